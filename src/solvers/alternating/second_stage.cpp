#include "solvers/alternating/second_stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "optimise/linear_program.hpp"

namespace fairfront::alternating {
namespace {

constexpr int most_rounds = 30;
constexpr double first_radius = 0.25;  // of the box's intervals
constexpr double least_radius = 1e-4;
constexpr int rounds_of_progress = 15;
constexpr double least_progress = 1e-3;  // of the sum, in so many rounds
constexpr double good_share = 0.75;      // of the promised decrease

double sum_of(const std::array<double, 3>& u) { return u[0] + u[1] + u[2]; }

}  // namespace

SecondStage::Values SecondStage::in_units(const Values& values) const {
  Values u{};
  for (std::size_t i = 0; i < 3; ++i) u[i] = (values[i] - units_.lowest[i]) / units_.range[i];
  return u;
}

void SecondStage::add_cuts(std::span<const double> x, const Values& u) {
  for (std::size_t i = 0; i < 3; ++i) {
    Cut cut{i, u[i], std::vector<double>(widths_.size())};
    oracle_.gradient(i, x, cut.slope);
    for (std::size_t j = 0; j < widths_.size(); ++j) {
      cut.slope[j] /= units_.range[i];
      cut.at_origin -= cut.slope[j] * (x[j] - oracle_.box().lower()[j]);
      cut.slope[j] *= widths_[j];
    }
    cuts_.push_back(std::move(cut));
  }
}

double SecondStage::least_of(const Cut& cut, std::span<const double> low,
                             std::span<const double> high) const {
  double least = cut.at_origin;
  for (std::size_t j = 0; j < low.size(); ++j) {
    least += std::min(cut.slope[j] * low[j], cut.slope[j] * high[j]);
  }
  return least;
}

SecondStage::Step SecondStage::step_within(std::span<const double> x, const Values& u,
                                           double radius) const {
  const std::size_t n = widths_.size();
  std::vector<double> low(n), high(n), place(n);
  for (std::size_t j = 0; j < n; ++j) {
    const double whole = widths_[j] > 0 ? 1 : 0;
    place[j] = whole > 0 ? (x[j] - oracle_.box().lower()[j]) / widths_[j] : 0;
    low[j] = std::max(0.0, place[j] - radius);
    high[j] = std::clamp(place[j] + radius, low[j], whole);
  }
  Values floor;
  floor.fill(std::numeric_limits<double>::infinity());
  for (const Cut& cut : cuts_) {
    floor[cut.objective] = std::min(floor[cut.objective], least_of(cut, low, high));
  }
  // Unknowns: x above the region's lower corner, then each objective above its floor.
  optimise::LinearProgram program;
  program.columns = static_cast<std::int64_t>(n + 3);
  program.cost.assign(n, 0.0);
  program.cost.insert(program.cost.end(), 3, 1.0);
  const auto add_row = [&](double right) {
    program.matrix.resize(program.matrix.size() + n + 3, 0.0);
    program.right.push_back(right);
    ++program.rows;
    return std::span(program.matrix).last(n + 3);
  };
  for (const Cut& cut : cuts_) {
    double at_low = cut.at_origin, here = cut.at_origin;
    for (std::size_t j = 0; j < n; ++j) {
      at_low += cut.slope[j] * low[j];
      here += cut.slope[j] * place[j];
    }
    // Only of objectives that are not convex a cut is above the value here: it is lowered.
    at_low -= std::max(0.0, here - u[cut.objective]);
    const auto row = add_row(floor[cut.objective] - at_low);
    std::copy(cut.slope.begin(), cut.slope.end(), row.begin());
    row[n + cut.objective] = -1;
  }
  for (std::size_t i = 0; i < 3; ++i) add_row(std::max(bounds_[i], u[i]) - floor[i])[n + i] = 1;
  for (std::size_t j = 0; j < n; ++j) add_row(high[j] - low[j])[j] = 1;
  const optimise::LinearProgramResult found = optimise::solve_linear_program(program);
  Step step{std::vector<double>(x.begin(), x.end()), {}, sum_of(u)};
  if (!found.feasible) return step;  // by rounding: x is
  for (std::size_t j = 0; j < n; ++j) {
    const double share = std::min(low[j] + found.x[j], high[j]);
    step.x[j] = std::clamp(oracle_.box().lower()[j] + widths_[j] * share, oracle_.box().lower()[j],
                           oracle_.box().upper()[j]);
  }
  step.sum = found.value + sum_of(floor);
  for (std::size_t k = 0; k < cuts_.size(); ++k) {
    step.weights[cuts_[k].objective] += found.multiplier[k];
  }
  return step;
}

bool SecondStage::improve(SurfacePoint& point) {
  cuts_.clear();
  Values u = bounds_ = in_units(point.values);
  std::vector<double> from = point.x;
  Values at = u;
  double radius = first_radius;
  double won_lately = 0;
  for (int round = 0; round < most_rounds && oracle_.may_go_on(); ++round) {
    add_cuts(from, at);
    const Step step = step_within(point.x, u, radius);
    const double promised = sum_of(u) - step.sum;
    if (promised <= second_stage_gap * std::min(1.0, radius)) {
      if (sum_of(step.weights) > 0) point.weights = step.weights;
      return true;
    }
    from = step.x;
    const Values values = oracle_.values(from);
    at = in_units(values);
    bool kept = true;
    for (std::size_t i = 0; i < 3; ++i) kept = kept && at[i] <= bounds_[i] + second_stage_slack;
    const double won = kept ? sum_of(u) - sum_of(at) : 0;
    if (won >= good_share * promised) {
      radius = std::min(1.0, 2 * radius);
    } else {
      radius = std::max(least_radius, 0.5 * radius);
    }
    won_lately += std::max(won, 0.0);
    if (round % rounds_of_progress == rounds_of_progress - 1) {
      if (won_lately < least_progress) return false;
      won_lately = 0;
    }
    if (!(won > 0)) continue;
    point.x = from;
    point.values = values;
    u = at;
  }
  return false;
}

}  // namespace fairfront::alternating
