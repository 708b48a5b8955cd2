/// @file
/// How many rows a choice with a confidence would need where nothing has passed its tests.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "results/choice.hpp"
#include "results/content.hpp"
#include "results/part_roles.hpp"
#include "results/task_record.hpp"

namespace fairfront::results {

/// A bound that a point was tested for, and what is known there of the point.
struct FailedBound {
  Bound bound;
  double decided = 0;  ///< on the part that decides
  Measured tested{};   ///< with the limits that were compared with the bound
};

/// So many times the tested rows, drawn anew, let the point pass all bounds with a probability of
/// about .9, as many as there are at least.
///
/// Where the measures tell the numbers of the groups whose largest difference a bound is of, on
/// both parts, the probability is .9 over what they may be in truth, see
/// metrics::growth_after_failure(), and of two groups .85 at least where the truth is what both
/// parts say together. Else the truth is taken to lie midway between both parts.
///
/// What was fitted to the rows that decide looks better there than it is, see
/// metrics::growth_after_fit(); where the numbers of groups are not known, they are taken to spread
/// evenly on both parts.
///
/// @param row         of the point in the measures.
/// @param roles       of the parts of the measures.
/// @param confidence  of one end of an interval of the tested part.
/// @param fitted      the point, to the rows that decide.
/// @returns infinite where, by what both parts say, a bound is rather broken.
[[nodiscard]] double rows_needed(std::span<const FailedBound> bounds,
                                 const std::vector<Measure>& measures, const PartRoles& roles,
                                 std::size_t row, double confidence, bool fitted);

/// The same if the truth were known: at three truths, a probability of about .9 at each of them.
///
/// The truths are 0, half and .8 of the way to the bounds. It begins at 0 for gaps of which the
/// numbers of the groups are known, which keep the pattern that both parts together show and are as
/// far apart as the truth has it: with many groups at both ends more rows are needed. For measures
/// of all rows it begins midway between what both parts say.
///
/// @param confidence  of one end of an interval of the tested part.
/// @returns nothing where a bound is of another kind, or broken by what both parts say.
[[nodiscard]] std::vector<RowsAtTruth> rows_at_truths(std::span<const FailedBound> bounds,
                                                      const std::vector<Measure>& measures,
                                                      const PartRoles& roles, std::size_t row,
                                                      double confidence);

}  // namespace fairfront::results
