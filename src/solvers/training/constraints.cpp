#include "solvers/training/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fairfront::training {

GapConstraints::GapConstraints(Fairness fairness, std::span<const double> group_shares)
    : fairness_{fairness} {
  const std::size_t groups = group_shares.size();
  if (groups < 2) throw std::invalid_argument("a gap needs two groups");
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

GapConstraints::GapConstraints(const RateBound& rate, std::int64_t groups) : rate_{rate} {
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
  for (std::int64_t event = 0; event < cells.events(); ++event) {
    add_pairs(static_cast<std::size_t>(groups), static_cast<std::size_t>(event * groups));
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
    gap = 0;
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

double largest_size(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace fairfront::training
