/// @file
/// Internal: how far a run of Pareto-front SAfairKM has come, by time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/clustering/safairkm_front.hpp"

namespace fairfront::clustering {

/// What is clustered.
struct ListProblem {
  std::int64_t points = 0;
  std::int64_t clusters = 0;
  std::int64_t groups = 0;
};

/// About what the candidates of an entry take in an iteration, in distances. To draw a point of a
/// k-means update, to relabel it and to move two centres takes about as long as its distances to
/// all centres. Where one in four members of a cluster and a group would be drawn for an exchange,
/// they are listed once for all.
[[nodiscard]] double work_of_entry(const SafairFrontOptions& options, const ListProblem& problem,
                                   std::int64_t iteration);

/// Where a run is.
struct ListCourse {
  std::int64_t iteration = 0;   ///< so many are done
  std::int64_t iterations = 0;  ///< of so many
  std::int64_t length = 0;      ///< of the list
  std::int64_t budget = 0;      ///< of its length
  bool stop_at_budget = false;
};

/// Learns what an iteration takes by the wall clock: some time in any case, in which the ranks of a
/// team wait for one another, and more the more its entries look at. Only to tell how far a run is.
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
  /// The same in seconds, if the cores stay as busy as they were of late: for as many iterations
  /// back as are ahead, so that a long way is judged by a long one. Nothing before this run's first
  /// iteration.
  [[nodiscard]] std::optional<double> seconds_left(const ListCourse& course) const;

 private:
  struct Amount {
    double iterations = 0;
    double work = 0;
  };
  /// Seconds of an iteration are fixed + of_work * work, both >= 0.
  struct Line {
    double fixed = 0;
    double of_work = 0;
    [[nodiscard]] double seconds(const Amount& amount) const {
      return fixed * amount.iterations + of_work * amount.work;
    }
  };
  [[nodiscard]] Line line() const;
  [[nodiscard]] Amount ahead(const ListCourse& course) const;

  std::function<double(std::int64_t)> work_;
  Amount done_;  ///< iterations before this run included
  /// Work and seconds of this run's iterations up to each, summed.
  struct Passed {
    double work = 0;
    double seconds = 0;
  };
  std::vector<Passed> passed_{{}};
  /// Sums over this run's iterations.
  struct Sums {
    double count = 0, work = 0, work_squared = 0, seconds = 0, product = 0;
  } sums_;
};

}  // namespace fairfront::clustering
