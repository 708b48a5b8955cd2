#include "sweep/task_times.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "base/elementary.hpp"

namespace fairfront::sweep {

void Rate::observe(double seconds_per_unit) {
  if (latest_.size() < window_) {
    latest_.push_back(seconds_per_unit);
  } else {
    latest_[oldest_] = seconds_per_unit;
    oldest_ = (oldest_ + 1) % window_;
  }
  std::vector<double> sorted = latest_;
  std::sort(sorted.begin(), sorted.end());
  const std::ptrdiff_t cut =
      sorted.size() < 3 ? 0 : std::max<std::ptrdiff_t>(1, std::ssize(sorted) / 8);
  const auto middle = static_cast<double>(std::ssize(sorted) - 2 * cut);
  value_ = std::accumulate(sorted.begin() + cut, sorted.end() - cut, 0.0) / middle;
}

int size_of_cost(double unit_cost) {
  return static_cast<int>(std::lround(2 * base::log2(unit_cost)));
}

void TaskCourse::learn(std::span<const Mark> marks, double end) {
  constexpr std::size_t telling = 4;
  constexpr double from_checkpoint = 0.3;
  constexpr double most = 8;  // later tasks count as much as earlier ones from here on
  if (marks.size() < telling || marks.front().fraction > from_checkpoint) return;
  const Mark first = marks.front();
  const double all = end - first.time;
  if (!(all > 0)) return;
  learned_from_ = std::min(learned_from_ + 1, most);
  Mark before{0, 0};
  auto next = marks.begin();
  for (std::size_t i = 0; i <= pieces; ++i) {
    const double fraction = static_cast<double>(i) / static_cast<double>(pieces);
    const auto share_at = [&](const Mark& mark) {
      return first.fraction + (1 - first.fraction) * (mark.time - first.time) / all;
    };
    while (next != marks.end() && next->fraction < fraction) {
      before = {share_at(*next), next->fraction};
      ++next;
    }
    const Mark after = next == marks.end() ? Mark{1, 1} : Mark{share_at(*next), next->fraction};
    const double width = after.fraction - before.fraction;
    const double share =
        width > 0 ? before.time + (after.time - before.time) * (fraction - before.fraction) / width
                  : after.time;
    shares_[i] += (share - shares_[i]) / learned_from_;
  }
}

double TaskCourse::share_of_time(double fraction) const {
  const double place = fraction * static_cast<double>(pieces);
  const auto piece = std::min(static_cast<std::size_t>(place), pieces - 1);
  const double within = place - static_cast<double>(piece);
  const double learned = shares_[piece] + within * (shares_[piece + 1] - shares_[piece]);
  constexpr double even = 0.5;  // of a task
  return (learned_from_ * learned + even * fraction) / (learned_from_ + even);
}

void TaskTimes::observe(double unit_cost, double seconds) {
  const double seconds_per_unit = seconds / unit_cost;
  if (!(unit_cost > 0) || !(seconds >= 0) || !std::isfinite(seconds_per_unit)) return;
  if (const double guess = known() ? this->seconds(unit_cost) : 0; guess > 0 && seconds > 0) {
    const double error = base::log(seconds / guess);
    squares_ += error * error;
    guesses_ += 1;
  }
  Size& size = sizes_[size_of_cost(unit_cost)];
  size.rate.observe(seconds_per_unit);
  size.cost += unit_cost;
  size.count += 1;
}

double TaskTimes::seconds(double unit_cost) const {
  if (!(unit_cost > 0)) return 0;
  const int wanted = size_of_cost(unit_cost);
  const auto above = sizes_.lower_bound(wanted);
  if (above == sizes_.end()) return unit_cost * sizes_.rbegin()->second.rate.value();
  const Size& large = above->second;
  if (above->first == wanted || above == sizes_.begin()) return unit_cost * large.rate.value();
  const Size& small = std::prev(above)->second;
  const double share = (unit_cost - small.mean_cost()) / (large.mean_cost() - small.mean_cost());
  return small.seconds() + share * (large.seconds() - small.seconds());
}

double TaskTimes::doubt(double unit_cost) const {
  const bool is_known = unit_cost > 0 && sizes_.contains(size_of_cost(unit_cost));
  return is_known ? squares_ / guesses_ : 0;
}

}  // namespace fairfront::sweep
