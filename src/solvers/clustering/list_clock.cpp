#include "solvers/clustering/list_clock.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/clustering/step.hpp"

namespace fairfront::clustering {

double work_of_entry(const SafairFrontOptions& options, const ListProblem& problem,
                     std::int64_t iteration) {
  constexpr double dearer = 2;  // a distance of an update than one of an exchange
  const std::int64_t listed =
      std::max<std::int64_t>(1, problem.points / (4 * problem.clusters * problem.groups));
  const auto batch =
      static_cast<double>(std::min(listed, swap_batch(options.step, iteration, problem.points)));
  double distances = 0;
  for (const Effort& effort : options.pairs) {
    distances += dearer * static_cast<double>(effort.kmeans * problem.clusters);
    distances += 2 * batch * static_cast<double>(std::max<std::int64_t>(effort.swaps, 0));
  }
  return static_cast<double>(options.replicas) * distances;
}

void ListClock::count_before(std::int64_t length) {
  done_.work += static_cast<double>(length) * work_(static_cast<std::int64_t>(done_.iterations));
  done_.iterations += 1;
}

void ListClock::count(std::int64_t length, double seconds) {
  const double before = done_.work;
  count_before(length);
  const double work = done_.work - before;
  sums_.count += 1;
  sums_.work += work;
  sums_.work_squared += work * work;
  sums_.seconds += seconds;
  sums_.product += seconds * work;
  passed_.push_back({sums_.work, sums_.seconds});
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

ListClock::Amount ListClock::ahead(const ListCourse& course) const {
  constexpr std::int64_t pieces = 16;  // of the iterations that are left
  const std::int64_t left = course.iterations - course.iteration;
  const auto budget = static_cast<double>(course.budget);
  const auto of_piece = static_cast<double>(left) / static_cast<double>(pieces);
  Amount ahead;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t iteration = course.iteration + left * (2 * piece + 1) / (2 * pieces);
    const double length =
        static_cast<double>(course.length) *
        std::sqrt(static_cast<double>(iteration) / static_cast<double>(course.iteration));
    if (course.stop_at_budget && length > budget) break;
    ahead.iterations += of_piece;
    ahead.work += of_piece * work_(iteration) * std::min(length, budget);
  }
  return ahead;
}

double ListClock::share_done(const ListCourse& course) const {
  if (course.iteration == course.iterations) return 1;
  if (!(sums_.seconds > 0)) return 0;
  const Line line = this->line();
  const double done = line.seconds(done_);
  return done / (done + line.seconds(ahead(course)));
}

std::optional<double> ListClock::seconds_left(const ListCourse& course) const {
  constexpr std::int64_t least = 10;  // at least one in so many: a few iterations say little
  const std::int64_t count = std::ssize(passed_) - 1;
  if (count == 0) return std::nullopt;
  const std::int64_t back =
      std::clamp(course.iterations - course.iteration, (count + least - 1) / least, count);
  const Passed last = passed_.back();
  const Passed from = passed_[static_cast<std::size_t>(count - back)];
  const Line line = this->line();
  const double expected = line.seconds({static_cast<double>(back), last.work - from.work});
  if (!(expected > 0)) return std::nullopt;
  return line.seconds(ahead(course)) * (last.seconds - from.seconds) / expected;
}

}  // namespace fairfront::clustering
