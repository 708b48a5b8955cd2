/// @file
/// The option that declares a difference of two AUCs, for every section that has it.
#pragma once

#include <string>

#include "base/options.hpp"
#include "metrics/declared_difference.hpp"

namespace fairfront::experiments {

/// Adds `difference`. @param purpose  what becomes of it, as "is measured beside these".
inline void add_difference(base::OptionTable& table, metrics::DeclaredDifference& difference,
                           const std::string& purpose) {
  table.add_parsed(
      {"difference", "text", "", "",
       "This difference of two AUCs " + purpose +
           ": auc(SET, SET) - auc(SET, SET). A SET is `all` or tests joined by `and` and `or`: "
           "label = 1, label = 0, group = NAME or NUMBER, or with !=. Group g is the protected one "
           "and h the other; of more than two groups they are each pair."},
      [&difference](std::string_view text) { difference = metrics::DeclaredDifference(text); },
      [&difference] { return difference.text(); });
}

}  // namespace fairfront::experiments
