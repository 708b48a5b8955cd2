#include "optimise/mixture_program.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/stop.hpp"

namespace fairfront::optimise {
namespace {

/// Columns: members, violation, slacks of the constraints, right-hand side. Rows: sum of the
/// shares, constraints, reduced costs.
class MixtureTableau {
 public:
  MixtureTableau(std::span<const double> errors, std::span<const double> excess, double penalty,
                 Pricing pricing)
      : pricing_{pricing},
        rounding_{pricing == Pricing::first ? 1e-11 : 1e-9},
        members_{errors.size()},
        constraints_{excess.size() / errors.size()},
        width_{members_ + constraints_ + 2},
        cells_((constraints_ + 2) * width_, 0.0),
        basis_(constraints_ + 1) {
    std::fill_n(row(0), members_, 1.0);
    row(0)[width_ - 1] = 1;
    for (std::size_t k = 0; k < constraints_; ++k) {
      std::copy_n(&excess[k * members_], members_, row(k + 1));
      row(k + 1)[members_] = -1;
      row(k + 1)[members_ + 1 + k] = 1;
      basis_[k + 1] = members_ + 1 + k;
    }
    std::ranges::copy(errors, costs());
    costs()[members_] = penalty;
    start();
  }

  void minimise() {
    constexpr std::size_t few = 20;
    const std::size_t many = few * (members_ + constraints_);
    std::size_t pivots = 0;
    for (std::size_t column = entering(); column < width_ - 1; column = entering()) {
      base::stop_point();
      const std::size_t leaves = leaving(column);
      if (leaves == 0 && row(0)[column] <= rounding_) return;  // no row limits it: rounding
      pivot(leaves, column);
      if (pricing_ == Pricing::first) continue;
      is_steep_ = ++pivots < many;
      if (pivots >= 2 * many) return;
    }
  }

  [[nodiscard]] Mixture mixture() {
    Mixture found{.shares = std::vector<double>(members_, 0.0),
                  .multipliers = std::vector<double>(constraints_, 0.0),
                  .value = -costs()[width_ - 1]};
    for (std::size_t r = 0; r < basis_.size(); ++r) {
      if (basis_[r] < members_) found.shares[basis_[r]] = std::max(0.0, row(r)[width_ - 1]);
    }
    for (std::size_t k = 0; k < constraints_; ++k) {
      found.multipliers[k] = std::max(0.0, costs()[members_ + 1 + k]);
    }
    return found;
  }

 private:
  double* row(std::size_t r) { return &cells_[r * width_]; }
  double* costs() { return row(constraints_ + 1); }

  /// All of the first member, and as much violation as it has.
  void start() {
    pivot(0, 0);
    std::size_t worst = 0;
    double least = 0;
    for (std::size_t r = 1; r < basis_.size(); ++r) {
      if (row(r)[width_ - 1] >= least) continue;
      least = row(r)[width_ - 1];
      worst = r;
    }
    if (worst > 0) pivot(worst, members_);
  }

  [[nodiscard]] std::size_t entering() {
    if (pricing_ == Pricing::steepest && is_steep_) {
      const double* const least = std::min_element(costs(), costs() + width_ - 1);
      return *least < -rounding_ ? static_cast<std::size_t>(least - costs()) : width_ - 1;
    }
    std::size_t column = 0;
    while (column < width_ - 1 && costs()[column] >= -rounding_) ++column;
    return column;
  }

  [[nodiscard]] std::size_t leaving(std::size_t column) {
    std::size_t best = 0;
    double ratio = -1;
    for (std::size_t r = 0; r < basis_.size(); ++r) {
      if (row(r)[column] <= rounding_) continue;
      const double here = std::max(0.0, row(r)[width_ - 1]) / row(r)[column];
      if (ratio >= 0 && !leaves_before(r, here, best, ratio, column)) continue;
      ratio = here;
      best = r;
    }
    return best;
  }

  /// @param here, ratio  how far the rows let the column grow.
  [[nodiscard]] bool leaves_before(std::size_t r, double here, std::size_t best, double ratio,
                                   std::size_t column) {
    if (pricing_ == Pricing::first || !is_steep_) {
      return here < ratio || (here == ratio && basis_[r] < basis_[best]);
    }
    constexpr double next_to = 1e-12;
    if (std::abs(here - ratio) > next_to) return here < ratio;
    return row(r)[column] > row(best)[column];
  }

  void pivot(std::size_t at_row, std::size_t column) {
    double* const chosen = row(at_row);
    const double divisor = chosen[column];
    for (std::size_t j = 0; j < width_; ++j) chosen[j] /= divisor;
    for (std::size_t r = 0; r < constraints_ + 2; ++r) {
      const double factor = row(r)[column];
      if (r == at_row || factor == 0) continue;
      for (std::size_t j = 0; j < width_; ++j) row(r)[j] -= factor * chosen[j];
      row(r)[column] = 0;
    }
    basis_[at_row] = column;
  }

  Pricing pricing_;
  double rounding_;
  bool is_steep_ = true;
  std::size_t members_, constraints_, width_;
  std::vector<double> cells_;
  std::vector<std::size_t> basis_;
};

}  // namespace

Mixture best_mixture(std::span<const double> errors, std::span<const double> excess, double penalty,
                     Pricing pricing) {
  if (errors.empty() || excess.size() % errors.size() != 0) {
    throw std::invalid_argument("best_mixture: shapes do not fit");
  }
  if (!(penalty > 0)) throw std::invalid_argument("best_mixture: penalty must be > 0");
  MixtureTableau tableau(errors, excess, penalty, pricing);
  tableau.minimise();
  return tableau.mixture();
}

}  // namespace fairfront::optimise
