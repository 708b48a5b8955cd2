/// @file
/// Internal: how far a run of Pareto-front SAfairKM has come, by time.
#pragma once

#include <cstdint>

#include "base/cpu_time.hpp"

namespace fairfront::clustering {

/// Where a run is.
struct ListCourse {
  std::int64_t iteration = 0;   ///< so many are done
  std::int64_t iterations = 0;  ///< of so many
  std::int64_t length = 0;      ///< of the list
  std::int64_t budget = 0;      ///< of its length
  bool stop_at_budget = false;
};

/// Times iterations, of CPU time, as cores may be busy now and then. Only to tell how far a run is.
class ListClock {
 public:
  /// An iteration is over. @param length  of the list that was stepped.
  void count(std::int64_t length);
  /// One was made before this run went on from a checkpoint.
  void count_before(std::int64_t length) { entries_before_ += static_cast<double>(length); }

  /// What has been done, as a share of the time that all takes, if an entry goes on to take as long
  /// as of late, and the list grows with the root of the iterations up to its budget, as it does on
  /// Adult and Bank.
  [[nodiscard]] double share_done(const ListCourse& course) const;

 private:
  double clocked_ = base::cpu_seconds();
  double entries_before_ = 0;
  double seconds_ = 0;            ///< of this run's iterations
  double seconds_per_entry_ = 0;  ///< of late
};

}  // namespace fairfront::clustering
