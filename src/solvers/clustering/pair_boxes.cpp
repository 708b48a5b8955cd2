#include "solvers/clustering/pair_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "solvers/clustering/box_queue.hpp"
#include "solvers/clustering/least_number.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Interval {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// The box of both means, which is that of all points twice.
Box around_all_points(const Problem& problem) {
  const auto columns = at(problem.columns());
  Box pair{-infinity, std::vector<double>(2 * columns, infinity),
           std::vector<double>(2 * columns, -infinity)};
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    for (std::size_t side = 0; side < 2 * columns; ++side) {
      const double x = problem.point(p)[side % columns];
      pair.low[side] = std::min(pair.low[side], x);
      pair.high[side] = std::max(pair.high[side], x);
    }
  }
  return pair;
}

double rounding_of_sums(const Problem& problem) {
  const Box all = around_all_points(problem);
  const auto columns = at(problem.columns());
  double squared_diameter = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    squared_diameter += (all.high[i] - all.low[i]) * (all.high[i] - all.low[i]);
  }
  const auto points = static_cast<double>(problem.points());
  const double operations = 2 * points + static_cast<double>(columns) + 16;
  constexpr double guard = 1.01;  // of the terms in u^2
  return guard * operations * 0x1p-53 * 6 * points * squared_diameter;
}

/// What a bound of the sums over all points says of the cost.
double cost_of(const Problem& problem, double sums, double rounding) {
  return std::max(0.0, (sums - rounding) / static_cast<double>(problem.points()) * (1 - 0x1p-51));
}

/// Of a search: what it works with, in sums over all points.
struct Limits {
  double floor = 0;
  double known = 0;   ///< of a clustering
  double target = 0;  ///< pairs that reach it are done
  std::int64_t boxes = 0;
};

constexpr std::string_view name_of_pair_boxes = "pair_boxes 1\n";

/// Of a search between two pairs.
struct PairBoxesState {
  BoxQueue queue;
  std::int64_t boxes = 0;
};
template <solvers::MaybeConst<PairBoxesState> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.queue, self.boxes);
}

/// A pair of boxes is one: the sides of the first mean, then those of the second, 2 d in all.
class PairSearch {
 public:
  PairSearch(const Problem& problem, const Limits& limits, const std::function<void()>& between,
             const solvers::Control& control)
      : problem_{problem},
        limits_{limits},
        between_{between},
        control_{control},
        columns_{at(problem.columns())},
        first_{problem.group_begin(1)},
        second_{problem.points() - first_},
        centre_(2 * columns_),
        change_(at(problem.points())) {}

  PairBoxesResult run() {
    if (control_.resume) {
      restore(*control_.resume);
    } else {
      keep(around_all_points(problem_));
    }
    while (queue_.least_open() < limits_.target && result_.boxes < limits_.boxes) {
      solvers::obey(control_.wanted(), control_, [this] {
        return solvers::packed_state(name_of_pair_boxes, PairBoxesState{queue_, result_.boxes});
      });
      auto [lower, upper] = halves_of(queue_.take());
      keep(std::move(lower));
      keep(std::move(upper));
    }
    const double rounding = rounding_of_sums(problem_);
    result_.complete = queue_.least_open() >= limits_.target;
    result_.rounding = rounding / static_cast<double>(problem_.points());
    result_.cost_lower = cost_of(problem_, std::min(queue_.least(), limits_.known), rounding);
    return result_;
  }

 private:
  void restore(const std::string& bytes) {
    PairBoxesState kept;
    solvers::unpack_whole_state(name_of_pair_boxes, bytes, kept);
    if (!kept.queue.has_sides(2 * columns_)) {
      throw base::CheckpointError("a checkpoint has pairs of boxes of another problem");
    }
    queue_ = std::move(kept.queue);
    result_.boxes = kept.boxes;
  }

  /// Of the first or the second box.
  double set_centre_of(const Box& pair, std::size_t which) {
    const std::size_t from = which * columns_;
    return set_centre(std::span(pair.low).subspan(from, columns_),
                      std::span(pair.high).subspan(from, columns_),
                      std::span(centre_).subspan(from, columns_));
  }

  [[nodiscard]] double distance(std::int64_t p, std::size_t which) const {
    double sum = 0;
    for (std::size_t i = 0; i < columns_; ++i) {
      const double difference = problem_.point(p)[i] - centre_[which * columns_ + i];
      sum += difference * difference;
    }
    return sum;
  }

  [[nodiscard]] double bound_of(const Box& pair) {
    const double slack = set_centre_of(pair, 0);
    const double other_slack = set_centre_of(pair, 1);
    double all_second = 0;
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      const double second = distance(p, 1) - other_slack;
      all_second += second;
      change_[at(p)] = (distance(p, 0) - slack) - second;
    }
    std::ranges::sort(change_.begin(), change_.begin() + first_);
    std::ranges::sort(change_.begin() + first_, change_.end());
    return all_second + least_change();
  }

  /// Over all numbers of points of the two groups that the first cluster may have.
  [[nodiscard]] double least_change() {
    sums_.assign(1, 0.0);
    std::int64_t negative = 0;
    for (std::int64_t p = first_; p < problem_.points(); ++p) {
      sums_.push_back(sums_.back() + change_[at(p)]);
      negative += change_[at(p)] < 0 ? 1 : 0;
    }
    double least = infinity;
    double sum = 0;
    for (std::int64_t count = 0; count <= first_; ++count) {
      const Interval mine = partners(count);
      const Interval other = partners(first_ - count);
      const std::int64_t from = std::max(mine.from, second_ - other.to);
      const std::int64_t to = std::min(mine.to, second_ - other.from);
      if (from <= to) least = std::min(least, sum + sums_[at(std::clamp(negative, from, to))]);
      if (count < first_) sum += change_[at(count)];
    }
    return least;
  }

  /// How many points of the second group a nonempty cluster may have with so many of the first.
  [[nodiscard]] Interval partners(std::int64_t count) const {
    const auto number = static_cast<double>(count);
    if (limits_.floor <= 0) return {count == 0 ? 1 : 0, second_};
    const double most = std::min((number + 1e-9) / limits_.floor, static_cast<double>(second_));
    const auto fewest = static_cast<std::int64_t>(std::ceil(limits_.floor * number - 1e-9));
    return {std::max<std::int64_t>(fewest, count == 0 ? 1 : 0),
            static_cast<std::int64_t>(most + 1e-9)};
  }

  /// Bounds a pair; one that may hold a better clustering stays open.
  void keep(Box pair) {
    if (pair.low[0] > pair.high[columns_]) return;
    between_();
    ++result_.boxes;
    pair.bound = std::max(pair.bound, bound_of(pair));
    if (pair.bound >= limits_.target) {
      queue_.close(pair);
    } else {
      queue_.open(std::move(pair));
    }
  }

  const Problem& problem_;
  const Limits limits_;
  const std::function<void()>& between_;
  const solvers::Control& control_;
  std::size_t columns_;
  std::int64_t first_;          ///< points of the first group
  std::int64_t second_;         ///< and of the second
  std::vector<double> centre_;  ///< (2 d,), scratch
  std::vector<double> change_;  ///< (N,), scratch: v_p, in each group ascending
  std::vector<double> sums_;    ///< scratch: of the least changes of the second group
  BoxQueue queue_;
  PairBoxesResult result_;
};

}  // namespace

bool has_pair_boxes(const Problem& problem) {
  return problem.clusters() == 2 && problem.groups() == 2;
}

PairBoxesResult bound_by_pair_boxes(const Problem& problem, const PairBoxesOptions& options,
                                    const std::function<void()>& between,
                                    const solvers::Control& control) {
  const auto points = static_cast<double>(problem.points());
  const double known = points * options.known;
  const double lost = options.tolerance * known;
  // Boxes may lose what rounding leaves of the tolerance; where it takes most, the half.
  const double of_boxes = lost - std::min(1.05 * rounding_of_sums(problem), 0.5 * lost);
  const Limits limits{
      .floor = options.floor, .known = known, .target = known - of_boxes, .boxes = options.boxes};
  PairBoxesResult found = PairSearch(problem, limits, between, control).run();
  found.complete = found.complete && found.cost_lower >= options.known * (1 - options.tolerance);
  return found;
}

PairBoxesResult prove_by_pair_boxes(const Problem& problem, double floor, double claim,
                                    std::int64_t boxes, const std::function<void()>& between) {
  const double rounding = rounding_of_sums(problem);
  const double wanted = claim * static_cast<double>(problem.points());
  // A clustering may cost just what is claimed, so that no rounding more can be proven.
  const double target =
      least_number(wanted, (wanted + 2 * rounding) * (1 + 0x1p-40),
                   [&](double sums) { return cost_of(problem, sums, rounding) >= claim; });
  const Limits limits{.floor = floor, .known = target, .target = target, .boxes = boxes};
  return PairSearch(problem, limits, between, {}).run();
}

}  // namespace fairfront::clustering
