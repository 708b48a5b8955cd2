/// @file
/// What a person wants to know of a chosen model before it is used: how it was chosen, what is
/// promised of it, what it measured, where it comes from.
#pragma once

#include <string>

#include "results/choice.hpp"
#include "results/content.hpp"
#include "results/stored_model.hpp"

namespace fairfront::results {

/// A choice, and what was chosen from.
struct ChosenFrom {
  const Content& content;
  const Choice& choice;  ///< something is chosen
  const Wish& wish;
  const PointMeasures& points;  ///< as choose() had them
  std::string problem;          ///< what a person calls it
  std::string archive;          ///< its file's name, without directories
  std::string archive_digest;   ///< of its results
};

/// What the bounds of the choice are worth, in words.
[[nodiscard]] std::string guarantee_of(const ChosenFrom& from);

/// JSON: an object with the members "card", "choice", "measures" and "provenance" of a model file.
/// @param program  version and revision of the program that writes it.
[[nodiscard]] std::string model_card(const ChosenFrom& from, const StoredModel& stored,
                                     const std::string& program);

}  // namespace fairfront::results
