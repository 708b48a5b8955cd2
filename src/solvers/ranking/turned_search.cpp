#include "solvers/ranking/turned_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/ranking/penalised.hpp"
#include "solvers/ranking/score_starts.hpp"
#include "solvers/ranking/turned_scores.hpp"

namespace fairfront::ranking {
namespace {

using base::at;

struct RankedScore {
  std::vector<double> w{};
  double auc = 0.5;
  double difference = 0;

  [[nodiscard]] double gap() const { return std::abs(difference); }
};

std::vector<double> negated(std::vector<double> w) {
  for (double& value : w) value = -value;
  return w;
}

/// Scores of which none has both no more AUC and no less gap than another one.
class RankedFront {
 public:
  /// Whether no score here is as good.
  [[nodiscard]] bool wants(double auc, double gap) const {
    const auto next = std::ranges::upper_bound(scores_, gap, {}, &RankedScore::gap);
    return next == scores_.begin() || std::prev(next)->auc < auc;
  }
  void add(const RankedScore& score) {
    if (!wants(score.auc, score.gap())) return;
    const auto first = std::ranges::lower_bound(scores_, score.gap(), {}, &RankedScore::gap);
    const auto last = std::find_if(first, scores_.end(),
                                   [&](const RankedScore& other) { return other.auc > score.auc; });
    scores_.insert(scores_.erase(first, last), score);
  }
  [[nodiscard]] const std::vector<RankedScore>& scores() const { return scores_; }  ///< by gap
  /// @return how many are within a gap: the last of them has the largest AUC.
  [[nodiscard]] std::size_t within(double gap) const {
    const auto end = std::ranges::upper_bound(scores_, gap, {}, &RankedScore::gap);
    return static_cast<std::size_t>(end - scores_.begin());
  }

 private:
  std::vector<RankedScore> scores_;
};

/// What a start and the rounds behind it have found.
struct TurnedFinds {
  std::vector<double> weights;  ///< of one score after another
  std::vector<double> aucs, differences;
  std::vector<std::int64_t> rounds;  ///< 0: the start itself
  std::int64_t passes = 0;           ///< over all rows
};
template <solvers::MaybeConst<TurnedFinds> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.weights, self.aucs, self.differences, self.rounds, self.passes);
}

class TurnedSearch {
 public:
  TurnedSearch(const LinearScores& rows, const PairSets& pairs, const ExactAuc& exact, double level,
               const solvers::Control& control)
      : rows_{rows},
        pairs_{pairs},
        exact_{exact},
        starts_{exact},
        turned_{rows.cells(), pairs},
        level_{level},
        stages_{control, "turned_search 1\n"},
        all_(at(rows.rows())) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  DirectAucResult run(const DirectAucOptions& options) {
    fronts_.resize(at(options.rounds) + 1);
    // With two features the first half circle is all scores, and with one there is one score.
    const std::int64_t starts = exact_.rank() <= 2 ? 1 : options.starts;
    for (std::int64_t index = 0; index < starts; ++index) {
      const TurnedFinds finds = stages_.next(
          [&] {
            finds_ = {};
            const std::int64_t before = passes_;
            try_start(index);
            if (starts > 1) lead_on(index);
            finds_.passes = std::exchange(passes_, before) - before;
            return finds_;
          },
          [&](const TurnedFinds& kept) {
            return kept.weights.size() == kept.aucs.size() * at(rows_.columns()) &&
                   kept.differences.size() == kept.aucs.size() &&
                   kept.rounds.size() == kept.aucs.size();
          });
      keep(finds);
    }
    return result();
  }

 private:
  // ---- What was found

  /// Also of a stage that has just done so, where it changes nothing.
  void keep(const TurnedFinds& finds) {
    passes_ += finds.passes;
    for (std::size_t i = 0; i < finds.aucs.size(); ++i) {
      const auto w = finds.weights.begin() + rows_.columns() * static_cast<std::int64_t>(i);
      keep({{w, w + rows_.columns()}, finds.aucs[i], finds.differences[i]}, at(finds.rounds[i]));
    }
  }
  /// For a round and those after it.
  void keep(const RankedScore& score, std::size_t round) {
    for (std::size_t k = round; k < fronts_.size(); ++k) fronts_[k].add(score);
  }

  void find(const RankedScore& score, std::size_t round) {
    finds_.weights.insert(finds_.weights.end(), score.w.begin(), score.w.end());
    finds_.aucs.push_back(score.auc);
    finds_.differences.push_back(score.difference);
    finds_.rounds.push_back(static_cast<std::int64_t>(round));
    keep(score, round);
  }

  // ---- Looks

  [[nodiscard]] std::vector<double> scores(const std::vector<double>& w) const {
    std::vector<double> found(all_.size());
    rows_.scores(w, all_, found);
    return found;
  }

  [[nodiscard]] RankedScore aucs_of(std::vector<double> w) {
    ++passes_;
    const std::vector<double> score = scores(w);
    const auto auc = [&](std::size_t k) { return auc_of(score, rows_.cells(), pairs_[k]); };
    return {std::move(w), auc(0), auc(4) - auc(2)};
  }

  /// The score, or its negation where that ranks better.
  void look(std::vector<double> w) {
    RankedScore found = aucs_of(w);
    if (found.auc < 0.5) found = aucs_of(negated(std::move(w)));
    find(found, 0);
  }

  /// All scores between two.
  void look_between(const std::vector<double>& left, const std::vector<double>& right,
                    std::size_t round) {
    passes_ += 2;
    RankedFront found;
    for (const Stretch& of : turned_.between(scores(left), scores(right))) {
      const double gap = std::abs(of.difference);
      if (!fronts_[round].wants(of.auc, gap) || !found.wants(of.auc, gap)) continue;
      std::vector<double> w(left.size());
      for (std::size_t j = 0; j < w.size(); ++j) {
        w[j] = (1 - of.middle) * left[j] + of.middle * right[j];
      }
      if (of.is_negated) w = negated(std::move(w));
      found.add({std::move(w), of.auc, of.difference});
    }
    for (const RankedScore& score : found.scores()) find(score, round);
  }

  // ---- Starts

  void half_circle(const std::optional<ScorePlane>& plane) {
    if (!plane) return;
    look_between(plane->first, plane->second, 0);
    look_between(plane->second, negated(plane->first), 0);
  }

  /// With features of few values scores with many ties, which no score between two others has.
  void look_at_features() {
    constexpr std::int64_t most = 100;
    for (std::int64_t j = 0; j < std::min(most, rows_.columns()); ++j) {
      std::vector<double> w(at(rows_.columns()), 0.0);
      w[at(j)] = 1;
      look(std::move(w));
    }
  }

  /// Depends on what starts before have found alone.
  void try_start(std::int64_t index) {
    if (index == 0) {
      look(starts_.best_surrogate());
      look_at_features();
      half_circle(starts_.plane_of_means());
      return;
    }
    // A half circle is as dear as many looks beside scores.
    if (index % 4 != 0) return;
    const std::int64_t circle = index / 4;
    const auto any = [&](std::int64_t k) { return starts_.any_direction(2 * index + k); };
    if (circle % 3 == 1) {
      half_circle(starts_.plane(any(0), any(1)));
    } else if (circle % 3 == 2) {
      half_circle(starts_.plane(starts_.optimum(radical_inverse(circle / 3 + 1)), any(0)));
    } else {
      const bool is_any = circle / 3 >= rows_.columns();
      half_circle(starts_.plane(spread_score(0, circle).w,
                                is_any ? any(0) : starts_.without_features(circle / 3)));
    }
  }

  /// One of the front of a round; each number another one.
  [[nodiscard]] const RankedScore& spread_score(std::size_t round, std::int64_t number) const {
    const std::vector<RankedScore>& scores = fronts_[round].scores();
    return scores[at(
        static_cast<std::int64_t>(radical_inverse(number) * static_cast<double>(scores.size())))];
  }

  /// Every round looks to both sides of scores of its front, near and far.
  void lead_on(std::int64_t index) {
    constexpr std::int64_t looks_of_round = 8;
    constexpr std::int64_t widths = 5;  // 1/4 .. 1/64
    for (std::size_t round = 1; round < fronts_.size(); ++round) {
      for (std::int64_t look = 0; look < looks_of_round; ++look) {
        const std::int64_t number = looks_of_round * index + look;
        const double width = std::ldexp(0.25, -static_cast<int>(number % widths));
        look_beside(spread_score(round, number).w, direction_of(round, number), width, round);
      }
    }
  }

  [[nodiscard]] std::vector<double> direction_of(std::size_t round, std::int64_t number) const {
    constexpr std::int64_t most_rounds = 50;
    const std::int64_t of_starts = -3;  // those from here up are theirs
    return starts_.any_direction(of_starts - number * most_rounds -
                                 static_cast<std::int64_t>(round));
  }

  void look_beside(const std::vector<double>& w, const std::vector<double>& by, double width,
                   std::size_t round) {
    const std::optional<ScorePlane> plane = starts_.plane(w, by);
    if (!plane) return;
    std::vector<double> left = plane->first;
    std::vector<double> right = plane->first;
    for (std::size_t j = 0; j < left.size(); ++j) {
      left[j] -= width * plane->second[j];
      right[j] += width * plane->second[j];
    }
    look_between(left, right, round);
  }

  // ---- The result

  [[nodiscard]] DirectAucResult result() {
    DirectAucResult result;
    const std::size_t of_starts = fronts_.front().within(level_);
    if (of_starts > 0) result.start_auc = fronts_.front().scores()[of_starts - 1].auc;
    const std::vector<RankedScore>& scores = fronts_.back().scores();
    std::size_t last = std::max<std::size_t>(1, fronts_.back().within(level_));
    RankedScore best = aucs_of(scores[last - 1].w);
    // Where scores differ by rounding alone, they may be in another order than was counted.
    while (best.gap() > level_ && last > 1) best = aucs_of(scores[--last - 1].w);
    result.w = std::move(best.w);
    result.auc = best.auc;
    result.difference = best.difference;
    result.feasible = best.gap() <= level_;
    result.least_difference = scores.front().gap();
    result.evaluations = passes_ * rows_.rows();
    return result;
  }

  const LinearScores& rows_;
  const PairSets& pairs_;
  const ExactAuc& exact_;
  ScoreStarts starts_;
  TurnedScores turned_;
  double level_;
  solvers::Stages stages_;
  std::vector<std::int64_t> all_;
  std::vector<RankedFront> fronts_;  ///< of the starts, and of every round with all before it
  TurnedFinds finds_;
  std::int64_t passes_ = 0;  ///< over all rows
};

}  // namespace

bool is_turned(const LinearScores& rows, const ExactAuc& exact) {
  constexpr std::int64_t few_rows = 300;
  constexpr std::int64_t few_features = 5;
  return rows.rows() <= few_rows && exact.rank() <= few_features;
}

DirectAucResult turned_search(const LinearScores& rows, const PairSets& pairs,
                              const ExactAuc& exact, double level, const DirectAucOptions& options,
                              const solvers::Control& control) {
  return TurnedSearch(rows, pairs, exact, level, control).run(options);
}

}  // namespace fairfront::ranking
