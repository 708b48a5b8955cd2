#include "solvers/clustering/list_clock.hpp"

#include <algorithm>
#include <cmath>

namespace fairfront::clustering {

void ListClock::count_before(std::int64_t length) {
  work_done_ += static_cast<double>(length) * work_(static_cast<std::int64_t>(iterations_));
  iterations_ += 1;
}

void ListClock::count(std::int64_t length, double seconds) {
  const double before = work_done_;
  count_before(length);
  const double work = work_done_ - before;
  sums_.count += 1;
  sums_.work += work;
  sums_.work_squared += work * work;
  sums_.seconds += seconds;
  sums_.product += seconds * work;
}

ListClock::Line ListClock::line() const {
  const double work = sums_.work / sums_.count;
  const double seconds = sums_.seconds / sums_.count;
  if (!(work > 0)) return {seconds, 0};
  const double variance = sums_.work_squared / sums_.count - work * work;
  const double covariance = sums_.product / sums_.count - work * seconds;
  // Where all have the same work it is all that they take.
  const double slope = variance > 0 ? covariance / variance : seconds / work;
  const double of_work = std::clamp(slope, 0.0, seconds / work);
  return {std::max(0.0, seconds - of_work * work), of_work};
}

double ListClock::share_done(const ListCourse& course) const {
  constexpr std::int64_t pieces = 16;  // of the iterations that are left
  const std::int64_t left = course.iterations - course.iteration;
  if (left == 0) return 1;
  if (!(sums_.seconds > 0)) return 0;
  const Line line = this->line();
  const auto budget = static_cast<double>(course.budget);
  const auto of_piece = static_cast<double>(left) / static_cast<double>(pieces);
  double ahead = 0;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t iteration = course.iteration + left * (2 * piece + 1) / (2 * pieces);
    const double length =
        static_cast<double>(course.length) *
        std::sqrt(static_cast<double>(iteration) / static_cast<double>(course.iteration));
    if (course.stop_at_budget && length > budget) break;
    ahead += of_piece * (line.fixed + line.of_work * work_(iteration) * std::min(length, budget));
  }
  const double done = line.fixed * iterations_ + line.of_work * work_done_;
  return done / (done + ahead);
}

}  // namespace fairfront::clustering
