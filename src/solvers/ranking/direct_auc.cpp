#include "solvers/ranking/direct_auc.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "base/condition.hpp"
#include "base/elementary.hpp"
#include "base/index.hpp"
#include "base/stop.hpp"
#include "metrics/sorting.hpp"
#include "optimise/minimise.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/ranking/penalised.hpp"
#include "solvers/ranking/score_starts.hpp"
#include "solvers/ranking/turned_search.hpp"

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

struct Aucs {
  double all = 0, difference = 0;

  /// Those of the negated scores, but for rounding: every AUC is 1 less that of the scores.
  [[nodiscard]] Aucs negated() const { return {1 - all, -difference}; }
};

struct Candidate {
  std::vector<double> w{};
  Aucs aucs{};
  bool feasible = false;

  /// Of two feasible ones by AUC, of two others by difference; of equals the first one stays.
  [[nodiscard]] bool beats(const Candidate& other) const {
    if (other.w.empty() || feasible != other.feasible) return other.w.empty() || feasible;
    return feasible ? aucs.all > other.aucs.all
                    : std::abs(aucs.difference) < std::abs(other.aucs.difference);
  }
};

/// Scores along a line of one number, and what is known of some of them.
struct Curve {
  std::function<std::vector<double>(double)> weights = nullptr;
  double resolution = 0x1p-13;  ///< points nearer than this are not told apart
  std::map<double, Aucs> seen{};
};

/// The best of so many starts is led on: of the first two, and of 400 and ten times as many.
bool is_milestone(std::int64_t starts) {
  for (std::int64_t at = 400; at <= starts; at *= 10) {
    if (at == starts) return true;
  }
  return starts == 2;
}

class DirectSearch {
 public:
  DirectSearch(const LinearScores& rows, const PairSets& pairs, const ExactAuc& exact, double level,
               const solvers::Control& control)
      : rows_{rows},
        pairs_{pairs},
        exact_{exact},
        starts_{exact},
        level_{level},
        stages_{control, "direct_auc 3\n"},
        all_(at(rows.rows())) {
    std::iota(all_.begin(), all_.end(), 0);
    score_.resize(all_.size());
    slopes_.resize(all_.size());
  }

  DirectAucResult run(const DirectAucOptions& options) {
    std::vector<Candidate> begins;
    Candidate best;
    for (std::int64_t k = 0; k < options.starts; ++k) {
      try_start(k, best);
      const bool is_known = !begins.empty() && begins.back().w == best.w;
      if (is_milestone(k + 1) && !is_known) begins.push_back(best);
    }
    DirectAucResult result;
    result.start_auc = best.aucs.all;
    for (const Candidate& begin : begins) {
      const bool is_first = &begin == &begins.front();
      Candidate end = lead_on(is_first ? first_begins(begin.w) : Begins{begin.w}, begin, options);
      if (end.beats(best)) best = std::move(end);
    }
    result.w = std::move(best.w);
    result.auc = best.aucs.all;
    result.difference = best.aucs.difference;
    result.feasible = best.feasible;
    result.least_difference = least_difference_;
    result.evaluations = passes_ * rows_.rows();
    return result;
  }

 private:
  // ---- Looks

  [[nodiscard]] Aucs aucs_of(const std::vector<double>& w) {
    ++passes_;
    return stages_.next(
        [&] {
          base::stop_point();
          rows_.scores(w, all_, score_);
          const auto auc = [&](std::size_t k) { return auc_of(score_, rows_.cells(), pairs_[k]); };
          return Aucs{auc(0), auc(4) - auc(2)};
        },
        solvers::any_answer);
  }

  [[nodiscard]] Candidate candidate(std::vector<double> w, const Aucs& aucs) const {
    return {std::move(w), aucs, std::abs(aucs.difference) <= level_};
  }

  /// @return the AUCs of w. It, or the negated scores where they rank better, are kept as the best
  ///         if they are.
  Aucs look(const std::vector<double>& w, Candidate& best) {
    const Aucs found = aucs_of(w);
    least_difference_ = std::min(least_difference_, std::abs(found.difference));
    if (found.all >= 0.5) {
      Candidate tried = candidate(w, found);
      if (tried.beats(best)) best = std::move(tried);
    } else if (candidate(w, found.negated()).beats(best)) {
      std::vector<double> negated = w;
      for (double& value : negated) value = -value;
      Candidate tried = candidate(negated, aucs_of(negated));
      if (tried.beats(best)) best = std::move(tried);
    }
    return found;
  }

  // ---- Curves

  void visit(Curve& curve, double at, Candidate& best) {
    if (!curve.seen.contains(at)) curve.seen[at] = look(curve.weights(at), best);
  }

  /// Looks where the difference passes a value between two points.
  void cross(Curve& curve, double left, double right, double value, Candidate& best) {
    const auto is_above = [&](double at) {
      const double difference = curve.seen.at(at).difference;
      return value < 0 ? difference >= value : difference > value;
    };
    while (right - left > curve.resolution && is_above(left) != is_above(right)) {
      const double middle = left + (right - left) / 2;
      visit(curve, middle, best);
      (is_above(middle) == is_above(left) ? left : right) = middle;
    }
  }

  /// The best score between two points is mostly one whose difference is the bound.
  void refine(Curve& curve, double left, double right, Candidate& best) {
    const auto auc = [&](double at) {
      const double found = curve.seen.at(at).all;
      return std::max(found, 1 - found);
    };
    constexpr double narrow = 0.125;  // nothing much better lies between
    const bool is_worse = std::max(auc(left), auc(right)) < best.aucs.all;
    if (best.feasible && is_worse && right - left <= narrow) return;
    if (!best.feasible) cross(curve, left, right, 0, best);
    cross(curve, left, right, level_, best);
    cross(curve, left, right, -level_, best);
  }

  /// A further point of the curve, and what lies between it and those beside it.
  void add(Curve& curve, double at, Candidate& best) {
    if (curve.seen.contains(at)) return;
    visit(curve, at, best);
    const auto here = curve.seen.find(at);
    const auto next = std::next(here);
    const bool has_left = here != curve.seen.begin();
    const double left = has_left ? std::prev(here)->first : at;
    const double right = next != curve.seen.end() ? next->first : at;
    refine(curve, left, at, best);
    refine(curve, at, right, best);
  }

  /// From 0 to 1 half the circle from `from` over `by`, of the plane of both and of scores of like
  /// spread; the other half has the negated scores. Without `weights` where they are on a line.
  [[nodiscard]] static Curve half_circle(const std::optional<ScorePlane>& plane) {
    if (!plane) return {};
    const auto vector_of = [](const std::vector<double>& w) -> Eigen::VectorXd {
      return Eigen::Map<const Eigen::VectorXd>(w.data(), std::ssize(w));
    };
    return {.weights = [u = vector_of(plane->first), v = vector_of(plane->second)](double at) {
      const double angle = std::numbers::pi * at;
      const Eigen::VectorXd w = base::cos(angle) * u + base::sin(angle) * v;
      return std::vector<double>(w.begin(), w.end());
    }};
  }

  /// The half circle from a score whose AUCs are known.
  [[nodiscard]] Curve half_circle(const Candidate& from, const std::vector<double>& by) const {
    Curve curve = half_circle(starts_.plane(from.w, by));
    curve.seen = {{0.0, from.aucs}, {1.0, from.aucs.negated()}};
    return curve;
  }

  // ---- Starts

  /// Circles through the best score so far.
  void try_other(std::int64_t index, Candidate& best) {
    const std::int64_t count = index / 2 + 1;
    const bool is_any = index % 2 == 1 || count >= rows_.columns();
    Curve curve =
        half_circle(best, is_any ? starts_.any_direction(index) : starts_.without_features(count));
    if (!curve.weights) return;
    curve.resolution = 0x1p-9;
    add(curve, 0.5, best);
  }

  /// Does not depend on how many there are: more starts find nothing worse.
  void try_start(std::int64_t index, Candidate& best) {
    if (index == 0) {
      const Aucs aucs = look(starts_.best_surrogate(), best);
      plane_ = half_circle(starts_.plane_of_means());
      plane_.seen = {{0.0, aucs}, {1.0, aucs.negated()}};
      path_ = {.weights = [this](double at) { return starts_.optimum(at); }};
      path_.seen[1] = aucs;
    } else if (index % 2 == 1) {
      if (plane_.weights) add(plane_, radical_inverse(index / 2 + 1), best);
    } else if (index % 4 == 2) {
      add(path_, radical_inverse(index / 4 + 1), best);
    } else {
      try_other(index / 4 - 1, best);
    }
  }

  // ---- From a start on

  /// Looks around the least difference for one within the bound.
  void look_closer(Candidate& best) {
    constexpr std::int64_t few_rows = 400'000;
    const std::int64_t most =
        passes_ + std::clamp<std::int64_t>(few_rows / rows_.rows(), 200, 2000);
    for (std::int64_t k = 0; !best.feasible && passes_ < most; ++k) {
      Curve curve = half_circle(best, starts_.any_direction(k));
      if (!curve.weights) return;
      curve.resolution = 0x1p-30;
      double step = (1 + radical_inverse(k)) / 4;
      for (; step > 0x1p-16 && !best.feasible && passes_ < most; step /= 2) {
        add(curve, step, best);
        add(curve, 1 - step, best);
      }
    }
  }

  struct Chain {
    std::vector<double> w{};
    double width = 0;
    double bound = 0;
    Candidate own{};  ///< the best that its rounds have found
  };

  using Begins = std::vector<std::vector<double>>;

  /// Scores from which L-BFGS ends in different optima: of the AUCs of small groups there are many.
  [[nodiscard]] Begins first_begins(const std::vector<double>& best) const {
    Begins begins{best, exact_.tilted(exact_.tilt_without_difference())};
    for (const double at : {1. / 16, 1. / 2, 1. / 4, 1. / 8}) begins.push_back(starts_.optimum(at));
    return begins;
  }

  /// L-BFGS on smoothed AUCs from several scores; every round goes on with the better half of them.
  Candidate lead_on(const Begins& begins, Candidate best, const DirectAucOptions& options) {
    if (!best.feasible) look_closer(best);
    std::vector<Chain> chains;
    for (const std::vector<double>& w : begins) {
      rows_.scores(w, all_, score_);
      const double spread = spread_of(score_);
      if (spread > 0) chains.push_back({w, options.width * spread, level_});
    }
    double weight = 10;
    for (std::int64_t round = 0; round < options.rounds; ++round, weight *= 10) {
      const std::int64_t iterations = chains.size() > 1
                                          ? std::max<std::int64_t>(1, options.iterations / 2)
                                          : options.iterations;
      for (Chain& chain : chains) lead_on(chain, weight, iterations, best);
      std::ranges::stable_sort(chains,
                               [](const Chain& a, const Chain& b) { return a.own.beats(b.own); });
      chains.resize((chains.size() + 1) / 2);
    }
    return best;
  }

  /// A round. Where it ends beyond the bound, the best score between its end and one within the
  /// bound is looked for.
  void lead_on(Chain& chain, double weight, std::int64_t iterations, Candidate& best) {
    Climb found = stages_.next(
        [&](const solvers::Control& control) {
          return climb(chain.w, chain.width, weight, chain.bound, iterations, control);
        },
        [&](const Climb& kept) { return kept.w.size() == chain.w.size(); });
    chain.w = std::move(found.w);
    passes_ += found.passes;
    const Aucs end = look(chain.w, chain.own);
    const double missed = std::abs(end.difference) - level_;
    if (missed > 0) {
      chain.bound = std::max(0.0, chain.bound - missed);
      look_between(best, chain.w, end, chain.own);
    }
    if (chain.own.beats(best)) best = chain.own;
    chain.width /= 2;
  }

  void look_between(const Candidate& from, const std::vector<double>& w, const Aucs& end,
                    Candidate& best) {
    Curve curve{.weights =
                    [&from, &w](double at) {
                      std::vector<double> between = from.w;
                      for (std::size_t j = 0; j < w.size(); ++j) {
                        between[j] += at * (w[j] - between[j]);
                      }
                      return between;
                    },
                .resolution = 0x1p-7,
                .seen = {{0.0, from.aucs}, {1.0, end}}};
    refine(curve, 0, 1, best);
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
    const optimise::ValueAndGradient function = [&](std::span<const double> w,
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
    optimise::MinimiseResult found = optimise::minimise_lbfgs(
        function, curvatures, from, {.tolerance = 1e-7, .max_iterations = iterations});
    return {std::move(found.weights), found.evaluations};
  }

  const LinearScores& rows_;
  const PairSets& pairs_;
  const ExactAuc& exact_;
  ScoreStarts starts_;
  double level_;
  solvers::Stages stages_;
  std::vector<std::int64_t> all_, order_;
  std::vector<double> score_, slopes_;
  std::int64_t passes_ = 0;  ///< over all rows
  double least_difference_ = 1;
  Curve plane_, path_;
};

}  // namespace

void add_options(base::OptionTable& table, DirectAucOptions& options) {
  table.add("starts", options.starts, base::between<std::int64_t>(2, 100'000), "",
            "This many scores are tried first, and what lies between them where the difference "
            "passes the bound. More of them begin with the same ones: no result is worse.");
  table.add("rounds", options.rounds, base::between<std::int64_t>(0, 50), "",
            "The local search has this many rounds, each with half the smoothing and ten times the "
            "penalty; the better half of its scores goes on. Of at most 300 rows and 5 features "
            "each looks around the scores of its front behind every start.");
  table.add("iterations", options.iterations, base::between<std::int64_t>(1, 1'000'000), "",
            "A round makes at most this many L-BFGS iterations. Of at most 300 rows and 5 features "
            "there are none.");
  table.add("width", options.width, base::above(0.0), "",
            "The first smoothing of a pair's step is this wide to either side, over the standard "
            "deviation of the scores. Of at most 300 rows and 5 features nothing is smoothed.");
  table.only_if({"iterations", "width"}, base::above("rounds", 0),
                "auc_front.rounds = {} has no local search");
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
  if (is_turned(rows, exact)) return turned_search(rows, pairs, exact, level, options, control);
  return DirectSearch(rows, pairs, exact, level, control).run(options);
}

}  // namespace fairfront::ranking
