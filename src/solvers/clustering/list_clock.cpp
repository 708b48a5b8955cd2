#include "solvers/clustering/list_clock.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairfront::clustering {

void ListClock::count(std::int64_t length) {
  constexpr double weight = 0.05;  // of the newest
  const double now = base::cpu_seconds();
  const double seconds = now - std::exchange(clocked_, now);
  const double each = seconds / static_cast<double>(length);
  seconds_per_entry_ += (seconds_ > 0 ? weight : 1) * (each - seconds_per_entry_);
  seconds_ += seconds;
}

double ListClock::share_done(const ListCourse& course) const {
  constexpr std::int64_t pieces = 16;  // of the iterations that are left
  const std::int64_t left = course.iterations - course.iteration;
  if (left == 0) return 1;
  if (!(seconds_ > 0)) return 0;
  const auto budget = static_cast<double>(course.budget);
  double entries = 0;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const double iteration = static_cast<double>(course.iteration) +
                             static_cast<double>(left * (2 * piece + 1) / (2 * pieces));
    const double length = static_cast<double>(course.length) *
                          std::sqrt(iteration / static_cast<double>(course.iteration));
    if (course.stop_at_budget && length > budget) break;
    entries += static_cast<double>(left) / static_cast<double>(pieces) * std::min(length, budget);
  }
  const double before = seconds_ + entries_before_ * seconds_per_entry_;
  return before / (before + entries * seconds_per_entry_);
}

}  // namespace fairfront::clustering
