#include "solvers/alternating/second_stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fairfront::alternating {
namespace {

constexpr int most_rounds = 40;
constexpr std::int64_t most_known = 200;
constexpr std::size_t more_looks = 8;  // than variables, to begin with
constexpr double first_price = 1e3;
constexpr double greatest_price = 1e6;
constexpr double first_proximity = 0.1;
constexpr double least_proximity = 1e-6;
constexpr double greatest_proximity = 1e8;
constexpr double serious_share = 0.1;  // of the promised decrease
constexpr double good_share = 0.5;

Eigen::VectorXd metric_of(std::span<const double> widths) {
  const double widest = *std::max_element(widths.begin(), widths.end());
  Eigen::VectorXd metric = Eigen::VectorXd::Zero(std::ssize(widths));
  for (std::size_t j = 0; j < widths.size(); ++j) {
    const double share = widest > 0 ? widths[j] / widest : 0;
    metric[static_cast<Eigen::Index>(j)] = share * share;
  }
  return metric;
}

/// Of u by the shares of the intervals, with that metric.
std::array<double, 3> declared_bends(double convexity, const SurfaceUnits& units,
                                     std::span<const double> widths) {
  const double widest = *std::max_element(widths.begin(), widths.end());
  std::array<double, 3> bends{};
  for (std::size_t i = 0; i < 3; ++i) bends[i] = convexity * widest * widest / units.range[i];
  return bends;
}

}  // namespace

SecondStage::SecondStage(Oracle<3>& oracle, const SurfaceUnits& units,
                         std::span<const double> widths)
    : oracle_{oracle},
      units_{units},
      widths_{widths},
      cuts_{metric_of(widths), declared_bends(oracle.convexity(), units, widths)} {}

void SecondStage::observe(std::span<const double> x, const Values& values,
                          const std::array<std::vector<double>, 3>& gradients) {
  const std::size_t n = widths_.size();
  ObjectiveLook look;
  look.x.assign(x.begin(), x.end());
  look.values = values;
  look.place = Eigen::VectorXd::Zero(std::ssize(widths_));
  look.slopes.resize(std::ssize(widths_), 3);
  for (std::size_t j = 0; j < n; ++j) {
    const auto row = static_cast<Eigen::Index>(j);
    if (widths_[j] > 0) look.place[row] = (x[j] - oracle_.box().lower()[j]) / widths_[j];
    for (std::size_t i = 0; i < 3; ++i) {
      look.slopes(row, static_cast<Eigen::Index>(i)) =
          gradients[i][j] * widths_[j] / units_.range[i];
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    look.u[i] = (values[i] - units_.lowest[i]) / units_.range[i];
  }
  known_.push_back(std::move(look));
  // Those of a call of improve() stay for as long as it needs them.
  if (cuts_.looks().empty() && std::ssize(known_) > most_known) known_.pop_front();
}

const ObjectiveLook& SecondStage::look_at(std::span<const double> x, const Values& values) {
  std::array<std::vector<double>, 3> gradients;
  for (std::size_t i = 0; i < 3; ++i) {
    gradients[i].resize(widths_.size());
    oracle_.gradient(i, x, gradients[i]);
  }
  observe(x, values, gradients);
  cuts_.add(known_.back());
  return known_.back();
}

std::vector<double> SecondStage::point_at(const Eigen::VectorXd& place) const {
  std::vector<double> x(widths_.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double low = oracle_.box().lower()[j];
    x[j] = std::clamp(low + widths_[j] * place[static_cast<Eigen::Index>(j)], low,
                      oracle_.box().upper()[j]);
  }
  return x;
}

/// With the nearest of what is known.
/// @return  the look at the point itself; null where no gradient may be drawn for it.
const ObjectiveLook* SecondStage::begin_at(const SurfacePoint& point) {
  std::vector<std::pair<double, std::size_t>> near;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    double square = 0;
    for (std::size_t j = 0; j < widths_.size(); ++j) {
      square += (known_[k].x[j] - point.x[j]) * (known_[k].x[j] - point.x[j]);
    }
    near.emplace_back(square, k);
  }
  std::sort(near.begin(), near.end());
  near.resize(std::min(near.size(), widths_.size() + more_looks));
  for (const auto& [square, k] : near) cuts_.add(known_[k]);
  if (!near.empty() && near.front().first == 0) return &known_[near.front().second];
  return oracle_.may_go_on() ? &look_at(point.x, point.values) : nullptr;
}

bool SecondStage::keeps_bounds(const ObjectiveLook& look) const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (look.u[i] > sum_.bounds[i] + second_stage_slack) return false;
  }
  return true;
}

const ObjectiveLook& SecondStage::best_look() const {
  const auto& looks = cuts_.looks();
  return **std::min_element(looks.begin(), looks.end(),
                            [&](const auto* a, const auto* b) { return sum_(a->u) < sum_(b->u); });
}

bool SecondStage::improve(SurfacePoint& point) { return move(point, nullptr); }

bool SecondStage::reach(SurfacePoint& point, const Values& levels) { return move(point, &levels); }

bool SecondStage::move(SurfacePoint& point, const Values* levels) {
  const ObjectiveLook* const start = begin_at(point);
  if (start != nullptr) {
    sum_ = {levels != nullptr ? *levels : start->u, first_price, levels != nullptr};
  }
  // Levels of objectives that are not convex have ends that prove nothing.
  const auto may_descend = [&] { return levels == nullptr || cuts_.may_be_convex(); };
  const bool is_proven =
      start != nullptr && may_descend() && descend_from(*start, point) && may_descend();
  cuts_.clear();
  while (std::ssize(known_) > most_known) known_.pop_front();
  return is_proven;
}

bool SecondStage::descend_from(const ObjectiveLook& start, SurfacePoint& point) {
  const ObjectiveLook* centre = &start;
  double bound = -std::numeric_limits<double>::infinity();
  double proximity = first_proximity;
  bool trusts_pairs = true;
  bool is_proven = false;
  for (int round = 0; round < most_rounds; ++round) {
    const ObjectiveCuts::Step step = cuts_.step_from(*centre, sum_, proximity, trusts_pairs);
    if (step.bound > bound) {
      bound = step.bound;
      point.weights = step.weights;
    }
    const double here = sum_(centre->u);
    if (here - bound <= second_stage_gap) {
      is_proven = sum_.of_greatest || keeps_bounds(*centre);
      if (is_proven || sum_.price >= greatest_price) break;
      sum_.price *= 10;  // what is least is not less then
      centre = &best_look();
      continue;
    }
    if (!oracle_.may_go_on()) break;
    const std::vector<double> x = point_at(step.place);
    const ObjectiveLook& trial = look_at(x, oracle_.values(x));
    const double promised = here - step.model;
    const double won = here - sum_(trial.u);
    if (promised < 0.5 * second_stage_gap) {
      trusts_pairs = false;
      proximity = std::max(least_proximity, 0.1 * proximity);
    } else if (won >= good_share * promised) {
      proximity = std::max(least_proximity, 0.25 * proximity);
    } else if (won < -promised) {
      proximity = std::min(greatest_proximity, 2 * proximity);
    }
    if (won > serious_share * std::max(0.0, promised)) centre = &trial;
  }
  if (!sum_.of_greatest && !keeps_bounds(*centre)) centre = &start;
  point.x = centre->x;
  point.values = centre->values;
  return is_proven;
}

}  // namespace fairfront::alternating
