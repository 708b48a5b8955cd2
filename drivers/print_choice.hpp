/// @file
/// A choice as text, and for programs.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "results/choice.hpp"

namespace fairfront::drivers {

/// The problem, what is to be said of the choice, and a row for the chosen point and each that is
/// next to it.
/// @param most  rows, at most.
[[nodiscard]] std::string choice_text(const results::Content& content, const std::string& problem,
                                      const results::Choice& choice, const results::Wish& wish,
                                      std::size_t most);

/// The same as `choose --json` prints it.
/// @param most  points, the chosen one and those next to it, at most.
[[nodiscard]] nlohmann::ordered_json choice_json(const results::Content& content,
                                                 const std::string& problem,
                                                 const results::Choice& choice,
                                                 const results::Wish& wish, std::size_t most);

}  // namespace fairfront::drivers
