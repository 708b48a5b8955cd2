#include "solvers/training/levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "solvers/training/options.hpp"

namespace fairfront::training {
namespace {

double shrink(double x, double width) { return x > width ? x - width : x < -width ? x + width : 0; }

}  // namespace

Levels levels_of(const GapConstraints& constraints) {
  const std::size_t cells = constraints.cells().size();
  Levels levels{.cells = cells, .matrix = {}, .per_family = cells};
  const auto add = [&]() -> double* {
    levels.matrix.resize(levels.matrix.size() + cells, 0.0);
    return levels.matrix.data() + levels.matrix.size() - cells;
  };
  const auto add_gaps = [&] {
    levels.has_free_centre = false;
    levels.half_width = 1;
    for (std::int64_t i = 0; i < constraints.gaps(); ++i) {
      double* const level = add();
      for (std::size_t k = 0; k < cells; ++k) {
        level[k] = constraints.factor(i, static_cast<std::int64_t>(k));
      }
    }
  };
  if (constraints.has_one_side()) {
    add_gaps();
    levels.per_family = levels.size();
    levels.constant = constraints.constant();
    return levels;
  }
  if (constraints.rate()) {
    // A family is an event, the cells of which are compared with each other alone.
    levels.per_family =
        cells / static_cast<std::size_t>(RateCells::events_of(constraints.rate()->kind));
    for (std::size_t k = 0; k < cells; ++k) add()[k] = 1;
    return levels;
  }
  switch (constraints.fairness()) {
    case Fairness::loss_gap:
    case Fairness::equal_opportunity:
      for (std::size_t k = 0; k < cells; ++k) add()[k] = 1;
      break;
    case Fairness::equalised_odds:
      levels.per_family = cells / 2;
      for (const double sign : {1.0, -1.0}) {
        for (std::size_t k = 0; k < cells; k += 2) {
          double* const level = add();
          level[k] = 1;
          level[k + 1] = sign;
        }
      }
      break;
    case Fairness::group_to_overall:
      add_gaps();
  }
  return levels;
}

LevelMultipliers::LevelMultipliers(const Problem& problem, double penalty)
    : levels_{levels_of(problem.constraints)},
      rho_(levels_.size()),
      y_(levels_.size(), 0.0),
      v_(levels_.size(), 0.0),
      shifted_(levels_.size(), 0.0),
      pulled_(levels_.cells, 0.0) {
  const auto rows = static_cast<double>(problem.train.size());
  for (std::size_t j = 0; j < rho_.size(); ++j) {
    double share = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < levels_.cells; ++k) {
      const double factor = std::abs(levels_.row(j)[k]);
      const auto count = static_cast<double>(problem.train.of_cell[k].size());
      if (factor > 0) share = std::min(share, count / rows / factor);
    }
    rho_[j] = penalty * share;
  }
}

double LevelMultipliers::sum_at(double centre, std::size_t first, double width) const {
  double sum = 0;
  for (std::size_t j = first; j < first + levels_.per_family; ++j) {
    sum += rho_[j] * shrink(shifted_[j] - centre, width);
  }
  return sum;
}

double LevelMultipliers::centre_of(std::size_t first, double width) const {
  const auto of_family = std::span(shifted_).subspan(first, levels_.per_family);
  const auto [least, most] = std::ranges::minmax(of_family);
  double low = least;
  double high = most;
  if (high - low <= 2 * width) return 0.5 * (low + high);  // all v are 0
  constexpr int halvings = 50;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    (sum_at(middle, first, width) > 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::span<const double> LevelMultipliers::update(std::span<const double> cell_losses, double delta,
                                                 double rate) {
  const double width = levels_.half_width * delta;
  for (std::size_t j = 0; j < rho_.size(); ++j) {
    const auto row = levels_.row(j);
    const double first = y_[j] / rho_[j] + levels_.constant;
    shifted_[j] = std::inner_product(row.begin(), row.end(), cell_losses.begin(), first);
  }
  std::ranges::fill(pulled_, 0.0);
  for (std::size_t first = 0; first < rho_.size(); first += levels_.per_family) {
    const double centre = levels_.has_free_centre ? centre_of(first, width) : 0;
    for (std::size_t j = first; j < first + levels_.per_family; ++j) {
      v_[j] = rho_[j] * shrink(shifted_[j] - centre, width);
      y_[j] += rate * (v_[j] - y_[j]);
      const auto row = levels_.row(j);
      for (std::size_t k = 0; k < row.size(); ++k) pulled_[k] += row[k] * v_[j];
    }
  }
  return pulled_;
}

void LevelMultipliers::reset() {
  for (auto* values : {&y_, &v_, &pulled_}) std::ranges::fill(*values, 0.0);
}

void LevelMultipliers::pack(solvers::Packer& packer) const {
  for (const auto* values : {&y_, &pulled_}) packer.array(std::span<const double>(*values));
}

void LevelMultipliers::unpack(solvers::Unpacker& unpacker) {
  for (auto* values : {&y_, &pulled_}) *values = unpack_values(unpacker, values->size());
}

}  // namespace fairfront::training
