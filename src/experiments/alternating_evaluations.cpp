#include "experiments/alternating_evaluations.hpp"

#include <cstddef>
#include <utility>
#include <variant>

#include "solvers/alternating/data_problem.hpp"

namespace fairfront::experiments {
namespace {

using alternating::DataProblem;
using Counts = std::vector<std::int64_t>;

/// Each count times what one takes of rows.
template <class RowsOf>
std::int64_t looks(const Counts& counts, RowsOf rows_of) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += counts[i] * rows_of(static_cast<std::int64_t>(i));
  }
  return sum;
}

/// Whether the second objective is computed exactly.
bool needs_sums(const DataProblem& problem, const AskedOfObjectives& asked) {
  const auto any = [](const Counts& counts) { return counts.size() > 1 && counts[1] > 0; };
  return any(asked.gradients) || any(asked.values) ||
         (!problem.stochastic() && any(asked.estimates));
}

/// Of a run that keeps the best iterate, values of S after each; objectives without weight have
/// none.
AskedOfObjectives of_run(Counts estimates, const alternating::RunOptions& run) {
  AskedOfObjectives asked{std::move(estimates), {}, {}};
  if (!run.track_best) return asked;
  for (const std::int64_t count : asked.estimates) {
    asked.values.push_back(count > 0 ? run.iterations : 0);
  }
  return asked;
}

}  // namespace

std::vector<std::int64_t> of_each(std::int64_t together, std::int64_t objectives) {
  return Counts(static_cast<std::size_t>(objectives), together / objectives);
}

std::int64_t evaluations_of(const alternating::AnyProblem& problem,
                            const AskedOfObjectives& asked) {
  const auto* const data = std::get_if<DataProblem>(&problem);
  if (data == nullptr) {
    const auto one = [](std::int64_t) { return std::int64_t{1}; };
    return looks(asked.estimates, one) + looks(asked.gradients, one) + looks(asked.values, one);
  }
  return looks(asked.estimates, [&](std::int64_t i) { return data->rows_of_estimate(i); }) +
         looks(asked.gradients, [&](std::int64_t i) { return data->rows_of_gradient(i); }) +
         looks(asked.values, [&](std::int64_t i) { return data->rows_of_value(i); }) +
         (needs_sums(*data, asked) ? data->rows_of_sums() : 0);
}

std::int64_t evaluations_of(const alternating::AnyProblem& problem,
                            const alternating::Sa2gdOptions& options) {
  Counts estimates;
  for (const std::int64_t steps : options.efforts) {
    estimates.push_back(options.run.iterations * steps);
  }
  return evaluations_of(problem, of_run(std::move(estimates), options.run));
}

std::int64_t evaluations_of(const alternating::AnyProblem& problem,
                            const alternating::WeightedSumOptions& options) {
  Counts estimates;
  for (const std::int64_t effort : options.efforts) {
    estimates.push_back(effort > 0 ? options.run.iterations * options.inner_steps : 0);
  }
  return evaluations_of(problem, of_run(std::move(estimates), options.run));
}

}  // namespace fairfront::experiments
