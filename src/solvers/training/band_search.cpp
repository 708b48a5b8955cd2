#include "solvers/training/band_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "optimise/decomposition.hpp"
#include "solvers/training/penalty_step.hpp"

namespace fairfront::training {
namespace {

using Vector = DecisionBand::Vector;
using Matrix = DecisionBand::Matrix;

constexpr double price_of_excess = 30;  // the bounds come first
/// Of the rows whose slopes are taken, at first and at last.
constexpr double widest = 1, narrowest = 1.0 / 16;

Matrix damped(Matrix matrix, double share) {
  for (Eigen::Index j = 0; j < matrix.rows(); ++j) {
    matrix(j, j) += share * matrix(j, j) + 1e-12;
  }
  return matrix;
}

class BandSearch {
 public:
  BandSearch(DecisionBand& band, const GapConstraints& constraints, const LossModel& loss,
             double bound, std::int64_t passes, double most_loss)
      : band_{band},
        constraints_{constraints},
        loss_{loss},
        bound_{bound},
        most_{passes},
        most_loss_{most_loss},
        factor_{damped(loss.hessian, 0.01)} {
    at_.change = Vector::Zero(loss.gradient.size());
    at_.excess = excess_of_cells(band.cells());
  }

  BandMove run() {
    if (!factor_.is_definite()) return at_;
    descend();
    if (at_.is_at_reach) return at_;
    BandMove best = at_;
    std::vector<double> scores = band_.scores();
    constexpr int most_moves = 60;
    for (int k = 0; k < most_moves && best.excess > 0 && at_.passes + 3 < most_; ++k) {
      if (!leave(k)) continue;
      descend();
      const std::int64_t spent = at_.passes;
      if (merit(at_) < merit(best)) {
        best = at_;
        scores = band_.scores();
      } else {
        at_ = best;
        band_.go_back(scores);
      }
      best.passes = at_.passes = spent;
    }
    return best;
  }

 private:
  /// Slopes of rates, and the smallest changes of the weights that move each of them alone.
  struct RateChanges {
    Matrix slopes, solved;
    optimise::Cholesky among;
    explicit RateChanges(Matrix of_rates, const optimise::Cholesky& factor)
        : slopes{std::move(of_rates)},
          solved{factor.solve_columns(slopes.transpose())},
          among{damped(slopes * solved, 1e-3)} {}
    [[nodiscard]] Vector of_weights(const Vector& of_rates) const {
      return solved * among.solve(of_rates);
    }
  };

  [[nodiscard]] static double merit(const BandMove& move) {
    return price_of_excess * move.excess + move.loss;
  }
  [[nodiscard]] std::vector<double> gaps_of(const std::vector<double>& cells) const {
    std::vector<double> gaps(static_cast<std::size_t>(constraints_.gaps()));
    constraints_.gaps_of(cells, gaps);
    return gaps;
  }
  [[nodiscard]] double excess_of_cells(const std::vector<double>& cells) const {
    return total_excess(gaps_of(cells), bound_);
  }
  [[nodiscard]] RateChanges rate_changes(double width) {
    constexpr double share = 0.05, least = 64;
    ++at_.passes;
    return RateChanges(band_.slopes(share * width, static_cast<std::int64_t>(least * width)),
                       factor_);
  }

  /// Until nothing is beyond the bound and the loss falls no more, or nothing helps.
  void descend() {
    for (double width = widest; width >= narrowest && at_.passes < most_;) {
      if (!improve(width)) {
        if (at_.excess == 0) return;
        width /= 4;
      }
      if (at_.is_at_reach) return;
    }
  }

  /// @return whether anything was gained.
  bool improve(double width) {
    const RateChanges changes = rate_changes(width);
    bool is_better = try_step(changes);
    if (!changes.among.is_definite()) return is_better;
    constexpr int most_failures = 3;
    for (int failures = 0; failures < most_failures && at_.excess > 0 && at_.passes < most_;) {
      const auto change = of_one_cell(changes, failures);
      if (!change) break;
      if (go_along(*change)) {
        is_better = true;
        failures = 0;
      } else {
        ++failures;
      }
    }
    return is_better;
  }

  bool try_step(const RateChanges& changes) {
    PenaltyModel model{loss_.slope(at_.change), changes.slopes, band_.cells()};
    const double aim = at_.excess > 0 ? 0.9 : 1;  // rates go by jumps beside slopes
    const double goal = constraints_.inside(bound_, aim, model.cells);
    const PenaltyStep step = penalty_step(constraints_, model, factor_, price_of_excess, goal);
    return step.s.allFinite() && go_along(2 * step.s);
  }

  /// That moves the rate of the cell with the most to gain but `rank`.
  [[nodiscard]] std::optional<Vector> of_one_cell(const RateChanges& changes, int rank) const {
    const auto gaps = gaps_of(band_.cells());
    std::vector<double> signs(gaps.size(), 0.0);
    std::vector<double> gain(static_cast<std::size_t>(changes.slopes.rows()));
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (std::abs(gaps[i]) > bound_) signs[i] = gaps[i] > 0 ? 1 : -1;
    }
    constraints_.pull_back(signs, gain);
    std::vector<std::size_t> order(gain.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t k) { return std::abs(gain[k]); });
    if (rank >= std::ssize(order)) return std::nullopt;
    const std::size_t cell = order[static_cast<std::size_t>(rank)];
    if (gain[cell] == 0) return std::nullopt;
    const double room = bound_ - constraints_.inside(bound_, 0, band_.cells());
    const double far =
        2 * (largest_size(gaps) - bound_) + std::max(2 / band_.rows_of(cell), 0.05 * room);
    Vector of_rates = Vector::Zero(changes.slopes.rows());
    of_rates[static_cast<Eigen::Index>(cell)] = gain[cell] > 0 ? -far : far;
    return changes.of_weights(of_rates);
  }

  /// To where another descent may begin: all rates moved up or down by the same, a little more each
  /// time, or one row of one cell. @return false: there is no such change.
  bool leave(int k) {
    constexpr int ways = 3;
    const int round = k / ways;
    const double room = bound_ - constraints_.inside(bound_, 0, band_.cells());
    const double size = 0.5 * (1 + round) * room;
    if (k % ways == ways - 1) return move_one_row(round % 4);
    return shift(k % ways == 0 ? size : -size);
  }

  /// Of the cell with the most to gain but `rank`, whatever others lose.
  bool move_one_row(int rank) {
    const auto change = of_one_cell(rate_changes(widest), rank);
    if (!change || !change->allFinite()) return false;
    constexpr int count = 64;
    ++at_.passes;
    const double most = band_.aim(*change);
    const auto way = band_.cells_on_way(count);
    const std::vector<double> gaps_here = gaps_of(band_.cells());
    const std::size_t worst = static_cast<std::size_t>(
        std::ranges::max_element(gaps_here, {}, [](double gap) { return std::abs(gap); }) -
        gaps_here.begin());
    for (int k = 0; k < count; ++k) {
      const double t = static_cast<double>(k + 1) / count;
      if (t > most) break;
      const double gap = gaps_of(way[static_cast<std::size_t>(k)])[worst];
      if (std::abs(gap) >= std::abs(gaps_here[worst])) continue;
      go(*change, t);
      return true;
    }
    return false;
  }

  /// All rates by the same. @return false: there is no such change.
  bool shift(double by) {
    const RateChanges changes = rate_changes(widest);
    if (!changes.among.is_definite()) return false;
    const Vector change = changes.of_weights(Vector::Constant(changes.slopes.rows(), by));
    if (!change.allFinite()) return false;
    ++at_.passes;
    const double most = band_.aim(change);
    go(change, most);
    return most > 0.1;
  }

  /// To the best place on the way there. @return false: that is here.
  bool go_along(const Vector& change) {
    constexpr int count = 64;
    constexpr double least_gain = 0.01;  // of an excess
    if (!change.allFinite()) return false;
    ++at_.passes;
    const double most = band_.aim(change);
    const auto way = band_.cells_on_way(count);
    const double along = loss_.slope(at_.change).dot(change);
    const double curved = 0.5 * change.dot(loss_.hessian * change);
    double least = (1 - least_gain) * price_of_excess * at_.excess - 1e-5, best = 0;
    for (int k = 0; k < count; ++k) {
      const double t = static_cast<double>(k + 1) / count;
      if (t > most) break;
      if (at_.loss + t * (along + t * curved) > std::max(most_loss_, at_.loss)) continue;
      const double merit = price_of_excess * excess_of_cells(way[static_cast<std::size_t>(k)]) +
                           t * (along + t * curved);
      if (merit < least) {
        least = merit;
        best = t;
      }
    }
    if (most < 1 && (best == 0 ? most < 0.25 : best > most - 2.0 / count)) at_.is_at_reach = true;
    if (best == 0) return false;
    go(change, best);
    return true;
  }

  void go(const Vector& change, double t) {
    band_.go(t);
    at_.loss +=
        t * (loss_.slope(at_.change).dot(change) + 0.5 * t * change.dot(loss_.hessian * change));
    at_.change += t * change;
    at_.excess = excess_of_cells(band_.cells());
  }

  DecisionBand& band_;
  const GapConstraints& constraints_;
  const LossModel& loss_;
  double bound_;
  std::int64_t most_;
  double most_loss_;
  optimise::Cholesky factor_;
  BandMove at_;
};

}  // namespace

BandMove lead_within(DecisionBand& band, const GapConstraints& constraints, const LossModel& loss,
                     double bound, std::int64_t passes, double most_loss) {
  return BandSearch(band, constraints, loss, bound, passes, most_loss).run();
}

}  // namespace fairfront::training
