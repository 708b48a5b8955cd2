#include "solvers/training/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "solvers/training/rate_limits.hpp"

namespace fairfront::training {

GapConstraints::GapConstraints(Fairness fairness, std::span<const double> group_shares, BoundOf of)
    : of_{of}, fairness_{fairness} {
  const std::size_t groups = group_shares.size();
  if (groups < 2) throw std::invalid_argument("a gap needs two groups");
  if (of == BoundOf::ratio) throw std::invalid_argument("ratios are of rates, not of losses");
  for (std::size_t g = 0; g < groups; ++g) {
    const auto group = static_cast<std::int32_t>(g);
    switch (fairness) {
      case Fairness::equal_opportunity:
        cells_.push_back({group, true});
        break;
      case Fairness::equalised_odds:
        cells_.push_back({group, true});
        cells_.push_back({group, false});
        break;
      case Fairness::loss_gap:
      case Fairness::group_to_overall:
        cells_.push_back({group, std::nullopt});
    }
  }
  if (of == BoundOf::worst_group) {
    if (fairness == Fairness::group_to_overall) {
      throw std::invalid_argument("the worst group is not compared with all rows");
    }
    add_cells();
    return;
  }
  switch (fairness) {
    case Fairness::loss_gap:
    case Fairness::equal_opportunity:
      add_pairs(groups);
      break;
    case Fairness::equalised_odds:
      add_odds(groups);
      break;
    case Fairness::group_to_overall:
      add_overall(group_shares);
  }
}

GapConstraints::GapConstraints(const RateBound& rate, std::int64_t groups, BoundOf of)
    : of_{of}, rate_{rate} {
  if (groups < 2) throw std::invalid_argument("a gap needs two groups");
  if (!(rate.width > 0)) throw std::invalid_argument("a width of decisions must be above 0");
  const RateCells cells(rate.kind, groups);
  for (std::int64_t k = 0; k < cells.size(); ++k) {
    const std::int64_t group = k % groups;
    Cell cell{static_cast<std::int32_t>(group), std::nullopt};
    if (cells.cell_of(group, true) != cells.cell_of(group, false)) {
      cell.positive = cells.cell_of(group, true) == k;
    }
    cells_.push_back(cell);
  }
  if (of == BoundOf::worst_group) {
    if (rate.kind == RateKind::demographic_parity) {
      throw std::invalid_argument("the rate of decisions 1 has no errors");
    }
    add_cells();
    return;
  }
  constexpr double equal = 1;
  add_events(equal);
}

void GapConstraints::add_events(double ratio) {
  const auto events = static_cast<std::size_t>(RateCells::events_of(rate_->kind));
  const std::size_t groups = cells_.size() / events;
  for (std::size_t first = 0; first < cells_.size(); first += groups) {
    if (of_ == BoundOf::ratio) {
      add_ratios(groups, first, ratio);
    } else {
      add_pairs(groups, first);
    }
  }
}

GapConstraints GapConstraints::with_ratio(double ratio) const {
  if (of_ != BoundOf::ratio || !(ratio >= 0 && ratio <= 1)) {
    throw std::invalid_argument("a ratio that is asked for must be in [0, 1], of rates");
  }
  GapConstraints made = *this;
  made.matrix_.clear();
  made.ratio_ = ratio;
  made.add_events(ratio);
  return made;
}

double GapConstraints::inside(double bound, double share,
                              std::span<const double> cell_losses) const {
  if (of_ == BoundOf::gap) return share * bound;
  if (of_ == BoundOf::worst_group) {
    constexpr double much = 0.05;  // of an error
    return bound - (1 - share) * std::min(bound, much);
  }
  constexpr double least = 1e-3;
  const auto groups =
      cell_losses.size() / static_cast<std::size_t>(RateCells::events_of(rate_->kind));
  double mean = 1;
  for (std::size_t first = 0; first < cell_losses.size(); first += groups) {
    double sum = 0;
    for (const double rate : cell_losses.subspan(first, groups)) sum += rate;
    mean = std::min(mean, sum / static_cast<double>(groups));
  }
  return bound - (1 - share) * (1 - ratio_) * std::max(mean, least);
}

void GapConstraints::add_cells() {
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    add_gap();
    last_factor(k) = 1;
  }
}

void GapConstraints::add_ratios(std::size_t groups, std::size_t first, double ratio) {
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = 0; b < groups; ++b) {
      if (a == b) continue;
      add_gap();
      last_factor(first + a) = ratio;
      last_factor(first + b) = -1;
    }
  }
}

void GapConstraints::add_pairs(std::size_t groups, std::size_t first) {
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = a + 1; b < groups; ++b) {
      add_gap();
      last_factor(first + a) = 1;
      last_factor(first + b) = -1;
    }
  }
}

void GapConstraints::add_odds(std::size_t groups) {
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = a + 1; b < groups; ++b) {
      for (const double sign : {1.0, -1.0}) {
        add_gap();
        last_factor(2 * a) = 1;
        last_factor(2 * b) = -1;
        last_factor(2 * a + 1) = sign;
        last_factor(2 * b + 1) = -sign;
      }
    }
  }
}

void GapConstraints::add_overall(std::span<const double> group_shares) {
  for (std::size_t a = 0; a < group_shares.size(); ++a) {
    add_gap();
    for (std::size_t b = 0; b < group_shares.size(); ++b) {
      last_factor(b) = (a == b ? 1.0 : 0.0) - group_shares[b];
    }
  }
}

void GapConstraints::gaps_of(std::span<const double> cell_losses, std::span<double> out) const {
  const double* factor = matrix_.data();
  for (double& gap : out) {
    gap = constant();
    for (const double loss : cell_losses) gap += *factor++ * loss;
  }
}

void GapConstraints::pull_back(std::span<const double> of_gaps, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  const double* factor = matrix_.data();
  for (const double y : of_gaps) {
    for (double& weight : out) weight += *factor++ * y;
  }
}

double GapConstraints::largest_gap(std::span<const double> cell_losses,
                                   std::span<const double> gaps) const {
  const double largest = largest_size(gaps);
  if (of_ != BoundOf::ratio || std::isnan(largest)) return largest;
  constexpr double beyond = 1 + std::numeric_limits<double>::epsilon();
  double left = 0;
  const double* factor = matrix_.data();
  for (const double gap : gaps) {
    // Of ratios, a row of D has one factor above 0 at most, the ratio, and one below 0, which is
    // -1.
    double asked = 0, there = 0, larger = 0;
    for (const double loss : cell_losses) {
      if (*factor > 0) {
        larger = loss;
        asked = *factor * loss;
      }
      if (*factor < 0) there = loss;
      ++factor;
    }
    if (!(there < larger && asked > 0)) continue;
    const bool is_kept = there / larger >= ratio_;
    left = std::max(left, is_kept ? std::min(gap, 1.0) : std::max(gap, beyond));
  }
  return left;
}

double GapConstraints::unfairness(std::span<const double> cell_losses,
                                  std::span<const double> gaps) const {
  const double largest = largest_size(gaps);
  if (of_ != BoundOf::ratio || std::isnan(largest)) return largest;
  const auto groups = std::ssize(cells_) / RateCells::events_of(rate_->kind);
  const double ratio = smallest_ratio(RateCells(rate_->kind, groups), cell_losses);
  return std::isnan(ratio) ? 0 : 1 - ratio;  // rates that are all 0 are equal
}

void GapConstraints::sides_of(std::span<const double> gaps, double delta,
                              std::span<double> out) const {
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    out[2 * i] = gaps[i] - delta;
    out[2 * i + 1] = has_one_side() ? 0 : -gaps[i] - delta;
  }
}

double largest_size(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace fairfront::training
