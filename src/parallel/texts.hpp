/// @file
/// Texts that go from rank 0 to the others, from them to it one after another, or between all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "parallel/comm.hpp"

namespace fairfront::parallel {

/// Rank r's text of those that rank 0 has, one for each rank. Collective.
/// @throws std::length_error  on every rank: together they have 2^31 bytes or more.
[[nodiscard]] std::string scatter(const Comm& comm, const std::vector<std::string>& texts);

/// Every rank has a text for each, of any length. Collective.
/// @param texts  by the rank that it is for.
/// @return  by the rank that it is from.
/// @throws CollectiveError  on every rank, before any text is sent: there is no memory for them.
[[nodiscard]] std::vector<std::string> exchange_texts(const Comm& comm,
                                                      std::vector<std::string> texts);

/// On rank 0, calls `use` with the text of every other rank, in rank order, and holds one at a
/// time; of any length. Collective.
/// @throws CollectiveError  on every rank, once all texts have arrived: what `use` has thrown, or
///         there is no memory for a text.
void for_each_text(const Comm& comm, const std::string& text,
                   const std::function<void(const std::string&)>& use);

}  // namespace fairfront::parallel
