#include "metrics/threshold_front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "metrics/threshold_curve.hpp"

namespace fairfront::metrics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Places are looked at in passes, each of a stride: what the first ones find makes it possible to
/// leave out most of the others.
constexpr std::array<std::size_t, 5> strides{256, 64, 16, 4, 1};

/// How far passes over the same places are, each with four times as many of them as the one before:
/// where that one took long, this one does.
class PassProgress {
 public:
  /// @param later  passes after this one.
  void begin_pass(std::size_t later) {
    ahead_[bins] = 0;
    for (std::size_t bin = bins; bin > 0; --bin) {
      ahead_[bin - 1] = ahead_[bin] + growth * std::exchange(work_[bin - 1], 0.0);
    }
    later_ = 0;
    for (double pass = growth * ahead_[0]; later > 0; --later, pass *= growth) later_ += pass;
  }
  /// @param place  of the pass, in [0, 1).
  void count(double place, std::int64_t steps) {
    work_[bin_of(place)] += static_cast<double>(steps);
    done_ += static_cast<double>(steps);
  }
  /// Of the work of all passes.
  [[nodiscard]] double share(double place) const {
    const double ahead = ahead_[bin_of(place)] + later_;
    return ahead > 0 ? done_ / (done_ + ahead) : 0;
  }

 private:
  static constexpr std::size_t bins = 64;
  static constexpr double growth = 4;
  static std::size_t bin_of(double place) {
    return std::min(bins - 1, static_cast<std::size_t>(place * static_cast<double>(bins)));
  }
  std::array<double, bins> work_{};       ///< of this pass, by place
  std::array<double, bins + 1> ahead_{};  ///< from each place on, by the pass before
  double later_ = 0;
  double done_ = 0;
};

/// For each number of errors the smallest gap found, and what it was found at. Counts steps.
template <class Origin>
class Incumbents {
 public:
  Incumbents(std::int64_t rows, const ThresholdFrontOptions& options)
      : gap_(static_cast<std::size_t>(rows) + 1, infinity),
        origin_(gap_.size()),
        least_(gap_),
        options_{options} {}

  void offer(std::int64_t errors, double gap, const Origin& origin) {
    double& best = gap_[static_cast<std::size_t>(errors)];
    if (gap >= best) return;
    best = gap;
    origin_[static_cast<std::size_t>(errors)] = origin;
  }

  /// Nothing with so many errors or more is on the front at this gap, or at a larger one.
  [[nodiscard]] bool covers(std::int64_t errors, double gap) const noexcept {
    return gap >= least_[static_cast<std::size_t>(errors)];
  }

  /// @throws base::InputError  too many
  void spend(std::int64_t steps) {
    if (options_.between) options_.between(share_);
    steps_ += steps;
    if (steps_ > options_.max_steps) {
      throw base::InputError(
          fmt::format("the exact front takes more than thresholds.max_steps = {} steps here: raise "
                      "it, or lower thresholds.thresholds_per_group",
                      options_.max_steps));
    }
    if (steps_ >= next_refresh_) refresh();
  }

  /// Of the places that have been looked at, for the caller.
  void set_share(double share) noexcept { share_ = std::max(share_, share); }
  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }

  /// Errors ascending, gaps descending strictly: visit(errors, gap, origin).
  template <class Visit>
  void for_each_nondominated(Visit visit) const {
    double least = infinity;
    for (std::size_t e = 0; e < gap_.size(); ++e) {
      if (gap_[e] >= least) continue;
      least = gap_[e];
      visit(static_cast<std::int64_t>(e), gap_[e], origin_[e]);
    }
  }

 private:
  /// O(rows), so not after every offer: until the next time `covers` knows a little less.
  void refresh() {
    next_refresh_ = steps_ + std::ssize(gap_);
    double least = infinity;
    for (std::size_t e = 0; e < gap_.size(); ++e) least_[e] = least = std::min(least, gap_[e]);
  }

  std::vector<double> gap_;
  std::vector<Origin> origin_;
  std::vector<double> least_;  ///< smallest gap with so many errors or fewer, at the last refresh
  const ThresholdFrontOptions& options_;
  double share_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t next_refresh_ = 0;
};

/// Two groups: pairs of points.
template <bool two_rates>
class PairSearch {
 public:
  PairSearch(const std::vector<Curve>& curves, std::int64_t rows,
             const ThresholdFrontOptions& options)
      : a_{curves[0]}, b_{curves[1]}, found_(rows, options) {
    constexpr std::int64_t of_crossing = 20;  // steps that it takes to find
    PassProgress progress;
    for (std::size_t pass = 0; pass < strides.size(); ++pass) {
      progress.begin_pass(strides.size() - 1 - pass);
      for (std::size_t i = 0; i < a_.size(); i += strides[pass]) {
        const double place = static_cast<double>(i) / static_cast<double>(a_.size());
        found_.set_share(progress.share(place));
        const std::int64_t before = found_.steps();
        pairs_of(i);
        progress.count(place, found_.steps() - before + of_crossing);
      }
    }
  }

  /// visit(errors, gap, threshold of each group)
  template <class Visit>
  void for_each_point(Visit visit) const {
    found_.for_each_nondominated([&](std::int64_t errors, double gap, const Pair& pair) {
      visit(errors, gap, std::vector<double>{a_.threshold[pair.a], b_.threshold[pair.b]});
    });
  }

 private:
  struct Pair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };

  void pairs_of(std::size_t i) {
    const Rates from = a_.rates_at(i);
    const std::size_t crossing = crossing_of(from);
    walk(i, crossing, b_.after, b_.least_after[crossing],
         [&](std::size_t j) { return b_.beyond<two_rates>(j, from); });
    if (crossing == 0) return;
    walk(i, crossing - 1, b_.before, b_.least_before[crossing - 1],
         [&](std::size_t j) { return b_.short_of<two_rates>(j, from); });
  }

  /// The first point that is at least as far beyond as short of `from`: from there on the distance
  /// is that beyond and rises, before it is that short and falls.
  [[nodiscard]] std::size_t crossing_of(const Rates& from) const {
    std::size_t low = 0;
    std::size_t high = b_.size() - 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (b_.beyond<two_rates>(middle, from) >= b_.short_of<two_rates>(middle, from)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /// Goes away from point i of the first curve along the links of the second.
  template <class Gap>
  void walk(std::size_t i, std::size_t start, const std::vector<std::uint32_t>& links,
            std::int64_t least, Gap gap_at) {
    for (auto j = static_cast<std::uint32_t>(start); j != Curve::none; j = links[j]) {
      found_.spend(1);
      const double gap = gap_at(j);
      if (found_.covers(a_.errors[i] + least, gap)) return;
      found_.offer(a_.errors[i] + b_.errors[j], gap, {static_cast<std::uint32_t>(i), j});
    }
  }

  const Curve& a_;
  const Curve& b_;
  Incumbents<Pair> found_;
};

/// The lowest rates that windows begin at, ascending, and for each the first point of every group
/// whose rate is not below.
struct Axis {
  std::vector<Share> rates;
  std::vector<std::uint32_t> starts;  ///< rate * groups + group
};

Axis axis_of(const std::vector<Curve>& curves, Share (Curve::*rate)(std::size_t) const noexcept) {
  Axis axis;
  for (const Curve& curve : curves) {
    for (std::size_t i = 0; i < curve.size(); ++i) axis.rates.push_back((curve.*rate)(i));
  }
  std::ranges::sort(axis.rates, less);
  const auto same = [](Share a, Share b) { return !less(a, b); };  // a is not above b here
  axis.rates.erase(std::unique(axis.rates.begin(), axis.rates.end(), same), axis.rates.end());
  std::vector<std::uint32_t> first(curves.size(), 0);
  for (const Share lowest : axis.rates) {
    for (std::size_t g = 0; g < curves.size(); ++g) {
      // There always is one: every curve ends at the rate 1.
      while (less((curves[g].*rate)(first[g]), lowest)) ++first[g];
      axis.starts.push_back(first[g]);
    }
  }
  return axis;
}

/// Any number of groups: windows of allowed rates, by their lower corners. Branch and bound over
/// rectangles of corners.
template <bool two_rates>
class WindowSearch {
 public:
  WindowSearch(const std::vector<Curve>& curves, std::int64_t rows,
               const ThresholdFrontOptions& options)
      : curves_{curves},
        x_{axis_of(curves, &Curve::x_at)},
        y_{two_rates ? axis_of(curves, &Curve::y_at)
                     : Axis{{Share{}}, std::vector<std::uint32_t>(curves.size(), 0)}},
        found_(rows, options),
        now_(curves.size()),
        next_gap_(curves.size()) {
    double before = 0;
    for (const std::size_t stride : strides) {
      stride_ = stride;
      const double here = 1 / static_cast<double>(stride);  // the finer, the longer
      const double until = (before + here) / all_passes();
      search({0, (x_.rates.size() - 1) / stride}, {0, (y_.rates.size() - 1) / stride},
             {before / all_passes(), until});
      before += here;
    }
  }

  template <class Visit>
  void for_each_point(Visit visit) const {
    found_.for_each_nondominated([&](std::int64_t errors, double gap, const Corner& corner) {
      visit(errors, gap, thresholds(corner, gap));
    });
  }

 private:
  /// By the numbers of its rates.
  struct Corner {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
  };
  /// Multiples of the stride on an axis, both ends included.
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  /// Of all places that are to be looked at.
  struct Part {
    double begin = 0;
    double end = 0;
  };
  static double all_passes() {
    double all = 0;
    for (const std::size_t stride : strides) all += 1 / static_cast<double>(stride);
    return all;
  }

  /// Looks at all corners of a rectangle that could improve on what was found.
  void search(Range x, Range y, Part part) {
    found_.set_share(part.begin);
    const Corner lowest = corner(x.first, y.first);
    if (x.first == x.last && y.first == y.last) {
      grow(lowest, lowest, [&](std::int64_t errors, double gap) {
        found_.offer(errors, gap, lowest);
        return true;
      });
      return;
    }
    const bool may_improve =
        !grow(lowest, corner(x.last, y.last),
              [&](std::int64_t errors, double gap) { return found_.covers(errors, gap); });
    if (!may_improve) return;
    const double half = (part.begin + part.end) / 2;
    if (x.last - x.first >= y.last - y.first) {
      const std::size_t middle = (x.first + x.last) / 2;
      search({x.first, middle}, y, {part.begin, half});
      search({middle + 1, x.last}, y, {half, part.end});
    } else {
      const std::size_t middle = (y.first + y.last) / 2;
      search(x, {y.first, middle}, {part.begin, half});
      search(x, {middle + 1, y.last}, {half, part.end});
    }
  }

  [[nodiscard]] Corner corner(std::size_t x, std::size_t y) const {
    return {static_cast<std::uint32_t>(x * stride_), static_cast<std::uint32_t>(y * stride_)};
  }
  [[nodiscard]] Rates rates_of(Corner corner) const {
    return {x_.rates[corner.x], y_.rates[corner.y]};
  }
  [[nodiscard]] std::uint32_t start(Corner corner, std::size_t group) const {
    return std::max(x_.starts[corner.x * curves_.size() + group],
                    y_.starts[corner.y * curves_.size() + group]);
  }

  /// Grows a window from the smallest one that holds a point of every group, and calls
  /// step(least errors in it, its gap) at each gap where a group gains, until that is false.
  ///
  /// The window begins at `lowest` and its gap is measured from `highest`. Where the two are one
  /// corner, that is the window; where the chosen points do not fill it, another corner finds them
  /// with a smaller gap. For all corners between the two the steps are a lower bound: whatever has
  /// a gap below that of a step has at least the errors of the step before.
  /// @returns whether no call returned false
  template <class Step>
  bool grow(Corner lowest, Corner highest, Step step) {
    const std::size_t groups = curves_.size();
    found_.spend(static_cast<std::int64_t>(groups));
    const Rates from = rates_of(highest);
    std::int64_t errors = 0;
    std::int64_t least = 0;
    double gap = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      const std::uint32_t first = now_[g] = start(lowest, g);
      errors += curves_[g].errors[first];
      least += curves_[g].least_after[first];
      gap = std::max(gap, curves_[g].template beyond<two_rates>(first, from));
    }
    if (found_.covers(least, gap)) return true;
    for (std::size_t g = 0; g < groups; ++g) next_gap_[g] = gap_after(g, from);
    do {
      for (std::size_t g = 0; g < groups; ++g) {
        for (; next_gap_[g] <= gap; next_gap_[g] = gap_after(g, from)) {
          found_.spend(1);
          errors -= curves_[g].errors[now_[g]];
          now_[g] = curves_[g].after[now_[g]];
          errors += curves_[g].errors[now_[g]];
        }
      }
      if (!step(errors, gap)) return false;
      gap = std::ranges::min(next_gap_);
    } while (gap < infinity && !found_.covers(least, gap));
    return true;
  }

  /// The gap at which the window takes in the next better point of a group.
  [[nodiscard]] double gap_after(std::size_t group, const Rates& from) const {
    const Curve& curve = curves_[group];
    const std::uint32_t next = curve.after[now_[group]];
    return next == Curve::none ? infinity : curve.beyond<two_rates>(next, from);
  }

  /// Each group's first point of least errors in a window.
  [[nodiscard]] std::vector<double> thresholds(Corner corner, double gap) const {
    const Rates from = rates_of(corner);
    std::vector<double> chosen;
    for (std::size_t g = 0; g < curves_.size(); ++g) {
      const Curve& curve = curves_[g];
      std::uint32_t point = start(corner, g);
      while (curve.after[point] != Curve::none &&
             curve.beyond<two_rates>(curve.after[point], from) <= gap) {
        point = curve.after[point];
      }
      chosen.push_back(curve.threshold[point]);
    }
    return chosen;
  }

  const std::vector<Curve>& curves_;
  Axis x_;
  Axis y_;  ///< one rate, below all points, where there is no second one
  Incumbents<Corner> found_;
  std::size_t stride_ = 1;
  std::vector<std::uint32_t> now_;  ///< the point of each group that is chosen now
  std::vector<double> next_gap_;
};

template <class Found>
std::vector<ThresholdPoint> points_of(const Found& found, std::int64_t rows) {
  std::vector<ThresholdPoint> points;
  found.for_each_point([&](std::int64_t errors, double gap, std::vector<double> thresholds) {
    points.push_back(
        {static_cast<double>(errors) / static_cast<double>(rows), gap, std::move(thresholds)});
  });
  return points;
}

template <bool two_rates>
std::vector<ThresholdPoint> search(const std::vector<Curve>& curves, std::int64_t rows,
                                   const ThresholdFrontOptions& options) {
  if (curves.size() == 2) return points_of(PairSearch<two_rates>(curves, rows, options), rows);
  return points_of(WindowSearch<two_rates>(curves, rows, options), rows);
}

void validate(const ThresholdFrontOptions& options) {
  if (options.thresholds_per_group != 0 && options.thresholds_per_group < 2) {
    throw std::invalid_argument(
        fmt::format("ThresholdFrontOptions::thresholds_per_group = {}, must be 0 or at least 2",
                    options.thresholds_per_group));
  }
  if (options.max_steps < 1) {
    throw std::invalid_argument(fmt::format(
        "ThresholdFrontOptions::max_steps = {}, must be at least 1", options.max_steps));
  }
}

}  // namespace

ThresholdFront threshold_front(const Scored& scored, ThresholdGap gap,
                               const ThresholdFrontOptions& options) {
  validate(options);
  const Curves curves = threshold_curves(scored, gap, options.thresholds_per_group);
  if (!curves.missing.empty()) return {{}, curves.missing};
  const auto rows = static_cast<std::int64_t>(scored.rows());
  const bool two_rates = gap == ThresholdGap::equalised_odds;
  return {two_rates ? search<true>(curves.of_group, rows, options)
                    : search<false>(curves.of_group, rows, options),
          {}};
}

}  // namespace fairfront::metrics
