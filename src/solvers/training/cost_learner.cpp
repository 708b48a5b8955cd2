#include "solvers/training/cost_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "models/weighted_logistic.hpp"
#include "solvers/training/adam.hpp"
#include "solvers/training/pass.hpp"

namespace fairfront::training {
namespace {

using base::at;

/// Steps of Adam on weighted losses.
class WeightedSteps final : public Algorithm {
 public:
  /// @param weights  by row number, of which the training part's have a mean above 0.
  WeightedSteps(const Problem& problem, std::span<const double> weights,
                const NetworkLearnerOptions& options, base::StreamKey key)
      : problem_{problem},
        weights_{weights},
        options_{options},
        source_{problem.train.rows, std::move(key), Sampling::shuffled},
        pass_{problem},
        adam_{problem.parameters()},
        gradient_(problem.parameters()) {
    double sum = 0;
    for (const std::int64_t row : problem.train.rows) sum += weights[at(row)];
    scale_ = static_cast<double>(problem.train.size()) / sum / static_cast<double>(options.batch);
  }

  bool step(std::span<double> w, Allowance& allowance) override {
    const double done = allowance.fraction();
    if (!allowance.spend(options_.batch)) return false;
    rows_.clear();
    source_.append(options_.batch, rows_);
    pass_.forward(w, rows_);
    factors_.clear();
    for (const std::int64_t row : rows_) factors_.push_back(scale_ * weights_[at(row)]);
    add_penalty(w);
    pass_.backward(w, factors_, gradient_);
    adam_.step(w, gradient_, options_.step * std::min(1.0, 2 * (1 - done)), 0);
    return true;
  }
  [[nodiscard]] double mean_cost() const override { return static_cast<double>(options_.batch); }

  void pack(solvers::Packer& packer) const override {
    source_.pack(packer);
    adam_.pack(packer);
  }
  void unpack(solvers::Unpacker& unpacker) override {
    source_.unpack(unpacker);
    adam_.unpack(unpacker);
  }

 private:
  /// gradient_ = that of the penalty, which biases have none of.
  void add_penalty(std::span<const double> w) {
    std::ranges::fill(gradient_, 0.0);
    for (const models::Layer& layer : problem_.model.layers()) {
      for (std::size_t j = at(layer.weights); j < at(layer.biases); ++j) {
        gradient_[j] = options_.l2 * w[j];
      }
    }
  }

  const Problem& problem_;
  std::span<const double> weights_;
  const NetworkLearnerOptions& options_;
  RowSource source_;
  Pass pass_;
  Adam adam_;
  double scale_ = 0;
  std::vector<std::int64_t> rows_;
  std::vector<double> factors_, gradient_;
};

}  // namespace

CostFit LogisticLearner::fit(const WeightedLabels& target, std::span<const double> start,
                             std::int64_t /*number*/, const solvers::Control& /*control*/) {
  std::vector<double> first(at(model().parameters()), 0.0);
  std::ranges::copy(start, first.begin());
  std::rotate(first.begin(), first.end() - 1, first.end());  // a network's bias comes last
  if (!mixed_) mixed_.emplace(rows_);
  optimise::MinimiseResult found = models::fit_weighted_logistic(
      *mixed_, target.labels, target.weights, first, {.l2 = l2_, .tolerance = tolerance_});
  std::rotate(found.weights.begin(), found.weights.begin() + 1, found.weights.end());
  return {std::move(found.weights), found.evaluations * rows_.size()};
}

NetworkLearner::NetworkLearner(const Problem& problem, const NetworkLearnerOptions& options,
                               Address address, std::vector<double> first, const RunOptions& run)
    : CostLearner{problem.model},
      problem_{problem},
      options_{options},
      address_{std::move(address)},
      first_{std::move(first)},
      run_{run},
      labels_(problem.labels.size()) {
  problem_.labels = labels_;
  problem_.validation = {};
  problem_.test = {};
  run_.trace_points = 0;
}

CostFit NetworkLearner::fit(const WeightedLabels& target, std::span<const double> start,
                            std::int64_t number, const solvers::Control& control) {
  std::ranges::copy(target.labels, labels_.begin());
  WeightedSteps steps(problem_, target.weights, options_,
                      address_.key(fmt::format("response/{}", number)));
  const solvers::Control watch{
      .request = control.request, .save = control.save, .resume = control.resume};
  TrainingResult found =
      start.empty() ? train(problem_, steps, first_, run_, watch)
                    : train(problem_, steps, {start.begin(), start.end()}, later_fit(run_), watch);
  return {std::move(found.w), found.evaluations};
}

RunOptions later_fit(const RunOptions& run) {
  const auto part = [](std::int64_t whole) {
    if (whole == 0) return whole;
    const double share = NetworkLearner::later_share * static_cast<double>(whole);
    return std::max<std::int64_t>(1, std::llround(share));
  };
  RunOptions later = run;
  later.budget = part(run.budget);
  later.iterations = part(run.iterations);
  return later;
}

}  // namespace fairfront::training
