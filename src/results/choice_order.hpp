/// @file
/// The order in which a choice prefers its candidates.
#pragma once

#include <cstddef>
#include <functional>

#include "results/choice.hpp"

namespace fairfront::results {

/// What makes a candidate better than another.
struct OrderRule {
  std::size_t best = 0;  ///< the name whose value decides
  bool knee = false;     ///< or the distance below the line between both ends of the front
};

/// Sorts the candidates, the best first and those that do not keep the bounds at last, those that
/// miss them least first. Says which is chosen, and whether there is a knee.
void put_in_order(Choice& choice, const OrderRule& rule,
                  const std::function<bool(const Candidate&)>& keeps);

}  // namespace fairfront::results
