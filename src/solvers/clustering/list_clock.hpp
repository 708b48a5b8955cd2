/// @file
/// Internal: how far a run of Pareto-front SAfairKM has come, by time.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace fairfront::clustering {

/// Where a run is.
struct ListCourse {
  std::int64_t iteration = 0;   ///< so many are done
  std::int64_t iterations = 0;  ///< of so many
  std::int64_t length = 0;      ///< of the list
  std::int64_t budget = 0;      ///< of its length
  bool stop_at_budget = false;
};

/// Learns what an iteration takes: some time in any case, in which the ranks of a team wait for one
/// another, and more the more its entries look at. Only to tell how far a run is.
class ListClock {
 public:
  /// @param work  of an entry in an iteration, in any unit.
  explicit ListClock(std::function<double(std::int64_t iteration)> work) : work_{std::move(work)} {}

  /// The next iteration is over. @param length  of the list that was stepped.
  void count(std::int64_t length, double seconds);
  /// One was made before this run went on from a checkpoint.
  void count_before(std::int64_t length);

  /// What has been done, as a share of the time that all takes, if iterations go on to take as long
  /// for their work, and the list grows with the root of the iterations up to its budget, as it
  /// does on Adult and Bank.
  [[nodiscard]] double share_done(const ListCourse& course) const;

 private:
  /// Seconds of an iteration are fixed + of_work * work, both >= 0.
  struct Line {
    double fixed = 0;
    double of_work = 0;
  };
  [[nodiscard]] Line line() const;

  std::function<double(std::int64_t)> work_;
  double iterations_ = 0;  ///< those before included
  double work_done_ = 0;   ///< of these
  /// Sums over this run's iterations.
  struct Sums {
    double count = 0, work = 0, work_squared = 0, seconds = 0, product = 0;
  } sums_;
};

}  // namespace fairfront::clustering
