/// @file
/// What methods of every family spend, in one unit: evaluations of examples.
#pragma once

#include <cstdint>

#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// One evaluation is one look at one example at one set of parameters. A second look counts again,
/// whatever is taken of it: a score or loss, with or without its gradient and second derivatives.
///
/// An example is a row of the part that is learnt from, and the parameters are
/// - `training`, `ranking`: weights of the score;
/// - `regression`: weights of a model, or multipliers of the dual, at which a row has its
///   probabilities of the atoms; sums of all rows' products take one look, as of least squares. The
///   fits of the base models that a method stands on count with it;
/// - `alternating` on data: weights of the model, for each objective by itself. An objective of a
///   test problem is an example of its own, with one look for each value and gradient;
/// - `clustering`: all K centres, or the memberships of all K clusters. A look for some clusters
///   alone counts as their share: see clustering::evaluations_of().
///
/// What only measures, traces or proves what was found counts nothing, nor do the choice among
/// iterates by the validation part and the comparison with an optimum. So methods of one family are
/// compared at equal cost where their `evaluations` are equal, on the same rows.
[[nodiscard]] const base::Quantity& evaluations_row();

/// Adds the columns of add_evaluations().
void add_evaluations_column(sweep::Columns& columns);
void add_evaluations(sweep::TaskResult& result, std::int64_t evaluations);

}  // namespace fairfront::experiments
