#include "experiments/training_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "experiments/measured.hpp"
#include "experiments/remarks.hpp"
#include "experiments/training_rates.hpp"
#include "solvers/training/full_data.hpp"

namespace fairfront::experiments {
namespace {

using training::BoundOf;

/// Of what the bound is, as the measure `gap` has it.
std::string in_words(const AskedBound& asked, double gap) {
  if (asked.of() == BoundOf::ratio) {
    return fmt::format(
        "the smallest ratio of two groups' rates on the training part is {:.4g}, "
        "below delta = {}",
        1 - gap, asked.asked());
  }
  return fmt::format("the largest {} of a group on the training part is {:.4g}, above delta = {}",
                     asked.problem().constraints.rate() ? "error" : "mean loss", gap,
                     asked.asked());
}

}  // namespace

AskedBound::AskedBound(const TrainingProblem& problem, double delta)
    : shared_{problem.problem}, asked_{delta} {
  if (of() != BoundOf::ratio) return;
  own_ = shared_;
  own_->constraints = shared_.constraints.with_ratio(delta);
}

void check_bound_of(const TrainingOptions& options) {
  if (options.bound_of == BoundOf::ratio && !options.rate) {
    throw base::InputError(
        "training.bound_of = ratio is of rates of decisions: training.rate must not be none");
  }
  if (options.bound_of != BoundOf::worst_group) return;
  if (options.rate) {
    training::require_errors({*options.rate, options.bound_of, 0}, "training");
  } else if (options.fairness == training::Fairness::group_to_overall) {
    throw base::InputError(
        "training.bound_of = worst_group bounds the mean loss of each group: training.fairness "
        "must be loss_gap, equal_opportunity or equalised_odds");
  }
}

void check_delta(const TrainingProblem& problem, const std::string& section, double delta) {
  if (problem.options.bound_of != BoundOf::ratio || (delta >= 0 && delta <= 1)) return;
  throw base::InputError(fmt::format(
      "{}.delta = {}, must be in [0, 1]: with training.bound_of = ratio it is the least ratio",
      section, delta));
}

void add_kept_bound(sweep::TaskResult& result, const AskedBound& asked, double least_bound) {
  if (asked.of() == BoundOf::gap) return;
  const double gap = value_of(result, "gap", "train");
  const bool is_kept = gap <= asked.most_gap() + training::bound_rounding;
  const bool is_out_of_reach = least_bound > asked.asked();
  if (asked.of() == BoundOf::worst_group) {
    result.metrics["least_bound"] = std::isnan(least_bound) ? gap : least_bound;
  }
  if (is_kept) return;
  append(
      result.remark,
      fmt::format("the bound is not kept: {}{}", in_words(asked, gap),
                  is_out_of_reach
                      ? fmt::format("; the least that a linear score keeps is {:.6g}", least_bound)
                      : ""));
}

void add_bounded_rates(sweep::TaskResult& result, const TrainingProblem& problem,
                       const std::function<std::vector<double>(data::Part which)>& scores_of) {
  const TrainingOptions& options = problem.options;
  if (!options.rate || options.bound_of == BoundOf::gap) return;
  sweep::TaskResult all;  // the gaps of decisions have measures of their own
  add_rate_gaps(all, problem, bounded_rate(options, 0),
                [&](data::Part which, std::span<double> decisions) {
                  const std::vector<double> scores = scores_of(which);
                  std::ranges::transform(scores, decisions.begin(),
                                         [](double score) { return score >= 0 ? 1.0 : 0.0; });
                });
  all.measured.erase("rate_gap");
  result.measured.merge(all.measured);
}

results::Measures bounded_rates_of(const TrainingProblem& problem,
                                   const results::Findings& findings) {
  sweep::TaskResult result;
  const solvers::Control unwatched;
  training::FullData full(problem.problem, unwatched, training::any_mean_loss);
  const std::vector<double> w = only_vector(findings, "weights");
  add_bounded_rates(result, problem,
                    [&](data::Part which) { return full.scores(problem.rows(which), w); });
  if (findings.solutions.contains("members")) {
    add_randomised_rates(result, problem, bounded_rate(problem.options, 0),
                         decisions_of(problem, draw_of(findings)));
  }
  return std::move(result.measured);
}

training::RateLimit bounded_rate(const TrainingOptions& options, double delta) {
  return {*options.rate, options.bound_of, delta};
}

sweep::Columns kept_bound_columns() {
  sweep::Columns columns;
  std::ranges::copy_if(rate_columns().measures, std::back_inserter(columns.measures),
                       [](const sweep::MeasuredQuantity& measure) {
                         return measure.what.name == "rate_ratio" ||
                                measure.what.name == "rate_worst_error";
                       });
  columns.metrics.push_back(least_bound_column());
  return columns;
}

}  // namespace fairfront::experiments
