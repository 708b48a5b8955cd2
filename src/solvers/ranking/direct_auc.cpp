#include "solvers/ranking/direct_auc.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/index.hpp"
#include "base/stop.hpp"
#include "metrics/sorting.hpp"
#include "models/minimise.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/ranking/penalised.hpp"

namespace fairfront::ranking {
namespace {

using base::at;

double spread_of(std::span<const double> score) {
  const auto rows = static_cast<double>(score.size());
  const double mean = std::accumulate(score.begin(), score.end(), 0.0) / rows;
  double squares = 0;
  for (const double value : score) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / rows);
}

/// Those of a set. Without branches on the cell, which no processor foresees.
RowsByScore rows_in(const RowsByScore& all, CellSet set) {
  RowsByScore found{{}, {}, {}};
  found.rows.resize(all.rows.size() + 1);
  found.scores.resize(all.rows.size() + 1);
  std::size_t size = 0;
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    found.rows[size] = all.rows[i];
    found.scores[size] = all.scores[i];
    size += contains(set, all.cells[i]) ? 1 : 0;
  }
  found.rows.resize(size);
  found.scores.resize(size);
  return found;
}

/// For each row of a set: of the other set those within the ramp are first .. last - 1, with the
/// sum of their scores less `origin`.
template <class Visit>
void visit_ramps(const RowsByScore& of, const RowsByScore& other, double width, double origin,
                 Visit visit) {
  std::size_t first = 0;
  std::size_t last = 0;
  double sum = 0;  // of the scores within, from a score near them on: no digits are lost
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    const double h = of.scores[i];
    for (; last < other.scores.size() && other.scores[last] < h + width; ++last) {
      sum += other.scores[last] - origin;
    }
    for (; first < last && other.scores[first] <= h - width; ++first) {
      sum -= other.scores[first] - origin;
    }
    visit(i, first, static_cast<double>(last - first), sum);
  }
}

/// The end of a round, and its passes over all rows.
struct Climb {
  std::vector<double> w;
  std::int64_t passes = 0;
};
template <solvers::MaybeConst<Climb> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.passes);
}

class DirectSearch {
 public:
  DirectSearch(const LinearScores& rows, const PairSets& pairs, const ExactAuc& exact, double level,
               const solvers::Control& control)
      : rows_{rows},
        pairs_{pairs},
        exact_{exact},
        level_{level},
        stages_{control, "direct_auc 2\n"},
        all_(at(rows.rows())) {
    std::iota(all_.begin(), all_.end(), 0);
    score_.resize(all_.size());
    slopes_.resize(all_.size());
  }

  DirectAucResult run(const DirectAucOptions& options) {
    const double fair = exact_.tilt_without_difference();
    const double intervals = static_cast<double>(std::max<std::int64_t>(options.starts - 1, 1));
    for (std::int64_t k = 0; k < options.starts; ++k) {
      (void)look(exact_.tilted(2 * fair * static_cast<double>(k) / intervals));
    }
    best_.start_auc = best_.auc;
    rows_.scores(best_.w, all_, score_);
    double width = options.width * spread_of(score_);
    double weight = 10;
    double bound = level_;
    std::vector<double> w = best_.w;
    for (std::int64_t round = 0; round < options.rounds && width > 0; ++round) {
      Climb found = stages_.next(
          [&](const solvers::Control& control) {
            return climb(w, width, weight, bound, options.iterations, control);
          },
          [&](const Climb& kept) { return kept.w.size() == w.size(); });
      w = std::move(found.w);
      passes_ += found.passes;
      const double missed = std::abs(look(w)) - level_;
      if (missed > 0) bound = std::max(0.0, bound - missed);
      width /= 2;
      weight *= 10;
    }
    best_.evaluations = passes_ * rows_.rows();
    return best_;
  }

 private:
  /// @return the difference of the AUCs of w, which is kept if it is the best so far.
  double look(const std::vector<double>& w) {
    ++passes_;
    const auto [auc, difference] = stages_.next([&] { return aucs_of(w); }, solvers::any_answer);
    const bool feasible = std::abs(difference) <= level_;
    const bool better =
        best_.w.empty() ||
        (feasible ? !best_.feasible || auc > best_.auc
                  : !best_.feasible && std::abs(difference) < std::abs(best_.difference));
    if (better) {
      best_ = {w, auc, difference, best_.start_auc, feasible};
    }
    return difference;
  }

  struct Aucs {
    double all = 0, difference = 0;
  };
  [[nodiscard]] Aucs aucs_of(const std::vector<double>& w) {
    base::stop_point();
    rows_.scores(w, all_, score_);
    return {auc_of(score_, rows_.cells(), pairs_[0]),
            auc_of(score_, rows_.cells(), pairs_[4]) - auc_of(score_, rows_.cells(), pairs_[2])};
  }

  /// Less the smoothed AUC, with weight / 2 times the square of what is beyond the bound.
  double value(std::span<const double> w, double width, double weight, double bound,
               std::span<double> gradient) {
    base::stop_point();
    rows_.scores(w, all_, score_);
    for (const double score : score_) {
      if (!std::isfinite(score)) return score;  // the line search takes a shorter step
    }
    metrics::order_ascending(score_, order_);
    std::ranges::fill(slopes_, 0.0);
    const RowsByScore rows(score_, order_, rows_.cells());
    const SmoothAuc all(rows, pairs_[0], width);
    all.add_gradient(-1, slopes_);
    const SmoothAuc first(rows, pairs_[4], width);
    const SmoothAuc second(rows, pairs_[2], width);
    const double difference = first.value() - second.value();
    const double beyond = std::abs(difference) - bound;
    if (beyond > 0) {
      const double factor = weight * beyond * (difference < 0 ? -1 : 1);
      first.add_gradient(factor, slopes_);
      second.add_gradient(-factor, slopes_);
    }
    std::ranges::fill(gradient, 0.0);
    rows_.add_gradient(all_, slopes_, gradient);
    return -all.value() + (beyond > 0 ? weight / 2 * beyond * beyond : 0);
  }

  Climb climb(const std::vector<double>& from, double width, double weight, double bound,
              std::int64_t iterations, const solvers::Control& control) {
    solvers::Stages evaluations(control, "climb 1\n");
    const Eigen::VectorXd diagonal = exact_.losses().objective_matrix().diagonal();
    const double least = 1e-9 * diagonal.maxCoeff();
    std::vector<double> curvatures;
    for (const double value : diagonal) curvatures.push_back(std::max(value, least));
    const models::ValueAndGradient function = [&](std::span<const double> w,
                                                  std::span<double> gradient) {
      const std::vector<double> found = evaluations.next(
          [&] {
            std::vector<double> all(gradient.size() + 1);
            all.back() = value(w, width, weight, bound, std::span(all).first(gradient.size()));
            return all;
          },
          solvers::of_size(gradient.size() + 1));
      std::copy_n(found.begin(), gradient.size(), gradient.begin());
      return found.back();
    };
    models::MinimiseResult found = models::minimise_lbfgs(
        function, curvatures, from, {.tolerance = 1e-7, .max_iterations = iterations});
    return {std::move(found.weights), found.evaluations};
  }

  const LinearScores& rows_;
  const PairSets& pairs_;
  const ExactAuc& exact_;
  double level_;
  solvers::Stages stages_;
  std::vector<std::int64_t> all_, order_;
  std::vector<double> score_, slopes_;
  std::int64_t passes_ = 0;  ///< over all rows
  DirectAucResult best_;
};

}  // namespace

void add_options(base::OptionTable& table, DirectAucOptions& options) {
  table.add("starts", options.starts, base::between<std::int64_t>(2, 100'000), "",
            "This many scores are tried first: they are the least surrogates for as many "
            "differences of means.");
  table.add("rounds", options.rounds, base::between<std::int64_t>(0, 50), "",
            "The local search has this many rounds, each with half the smoothing and ten times the "
            "penalty.");
  table.add("iterations", options.iterations, base::between<std::int64_t>(1, 1'000'000), "",
            "A round makes at most this many L-BFGS iterations.");
  table.add("width", options.width, base::above(0.0), "",
            "The first smoothing of a pair's step is this wide to either side, over the standard "
            "deviation of the scores.");
}

RowsByScore::RowsByScore(std::span<const double> score, std::span<const std::int64_t> order,
                         std::span<const std::uint8_t> cell_of_row)
    : rows(order.begin(), order.end()), scores(order.size()), cells(order.size()) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    scores[i] = score[at(rows[i])];
    cells[i] = cell_of_row[at(rows[i])];
  }
}

SmoothAuc::SmoothAuc(const RowsByScore& rows, const PairSet& pair, double width)
    : width_{width}, above_{{}, {}, {}}, below_{{}, {}, {}} {
  if (pair.above == pair.below) return;  // one half whatever the scores
  above_ = rows_in(rows, pair.above);
  below_ = rows_in(rows, pair.below);
  pairs_ = static_cast<double>(above_.rows.size()) * static_cast<double>(below_.rows.size());
  within_.resize(above_.rows.size());
  const double origin = below_.scores[below_.scores.size() / 2];
  double total = 0;
  visit_ramps(above_, below_, width, origin,
              [&](std::size_t i, std::size_t wins, double count, double sum) {
                const double h = above_.scores[i] - origin;
                within_[i] = count;
                total += static_cast<double>(wins) + (count * (h + width) - sum) / (2 * width);
              });
  value_ = total / pairs_;
}

void SmoothAuc::add_gradient(double factor, std::span<double> slopes) const {
  if (pairs_ == 0) return;
  const double ramp = factor / (2 * width_ * pairs_);
  for (std::size_t i = 0; i < within_.size(); ++i) slopes[at(above_.rows[i])] += ramp * within_[i];
  visit_ramps(below_, above_, width_, 0, [&](std::size_t i, std::size_t, double count, double) {
    slopes[at(below_.rows[i])] -= ramp * count;
  });
}

DirectAucResult direct_auc(const LinearScores& rows, const PairSets& pairs, const ExactAuc& exact,
                           double level, const DirectAucOptions& options,
                           const solvers::Control& control) {
  DirectAucOptions copy = options;
  base::OptionTable table("DirectAucOptions");
  add_options(table, copy);
  table.check();
  if (!(level >= 0 && level <= 1)) {
    throw std::invalid_argument("direct_auc: level must be from 0 to 1");
  }
  return DirectSearch(rows, pairs, exact, level, control).run(options);
}

}  // namespace fairfront::ranking
