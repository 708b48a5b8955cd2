// Tasks that reckon their own end, by seconds of the wall clock, while the teams at work change.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "sweep/time_left.hpp"

namespace fairfront::sweep {
namespace {

/// A task of 30 CPU seconds that tells once a second how far it is, and says that what is left goes
/// on as what came before: as many steps back as are ahead. Others share the cores at first.
class SelfReckoning {
 public:
  explicit SelfReckoning(std::int64_t teams) : teams_{teams} {
    const std::vector<TaskCost> costs(static_cast<std::size_t>(teams), TaskCost{0, 1});
    time_left_.expect(teams, costs);
    time_left_.begin_stage();
    for (std::int64_t i = 0; i < teams; ++i) time_left_.begin(i, costs.front());
  }

  void go(int seconds, double speed) {
    for (int i = 0; i < seconds; ++i) {
      now_ += 1;
      cpu_ += speed;
      cpu_at_.push_back(cpu_);
      const double back = std::max(0.0, cpu_ - (whole - cpu_));
      std::size_t from = 0;
      while (cpu_at_[from] < back) ++from;
      const double passed = now_ - static_cast<double>(from);
      for (std::int64_t other = 1; other < teams_; ++other) {
        time_left_.advance(
            {.task = other, .fraction = cpu_ / whole, .seconds = now_, .cpu_seconds = cpu_});
      }
      time_left_.advance({.task = 0,
                          .fraction = cpu_ / whole,
                          .seconds_left = (whole - cpu_) * passed / (cpu_ - cpu_at_[from]),
                          .seconds = now_,
                          .cpu_seconds = cpu_});
    }
  }

  void end_others() {
    for (std::int64_t i = 1; i < teams_; ++i) {
      time_left_.end({.task = i, .seconds = now_, .cpu_seconds = cpu_});
    }
    teams_ = 1;
  }

  [[nodiscard]] double said() const { return time_left_.estimate().seconds.value_or(0); }
  [[nodiscard]] double left() const { return whole - cpu_; }  ///< seconds of a task alone

 private:
  static constexpr double whole = 30;
  std::int64_t teams_;
  double now_ = 0;
  double cpu_ = 0;
  std::vector<double> cpu_at_{0.0};  ///< by second
  TimeLeft time_left_{true, [this] { return std::chrono::duration<double>(now_); }, 0.5};
};

TEST(OwnEnd, OfATaskThatSharesItsCoreAllTheTime) {
  SelfReckoning run(4);
  run.go(40, 0.5);
  run.end_others();
  EXPECT_NEAR(run.said(), 10, 1) << "it has a core of its own from now on";
}

/// It reckoned with the seconds that its steps had taken beside others: twice as many.
TEST(OwnEnd, OfATaskThatIsFasterSinceOthersHaveEnded) {
  SelfReckoning run(4);
  run.go(40, 0.5);
  run.end_others();
  for (int i = 0; i < 8; ++i) {
    run.go(1, 1);
    EXPECT_NEAR(run.said(), run.left(), 0.2 * run.left()) << i;
  }
}

/// Two tasks of a class say little of a third one, of whose own steps a tenth is over.
TEST(OwnEnd, OfATaskThatTakesTwiceAsLongAsTwoOthersDid) {
  double now = 0;
  TimeLeft time_left(true, [&] { return std::chrono::duration<double>(now); });
  const std::vector<TaskCost> costs(3, TaskCost{0, 1});
  time_left.expect(1, costs);
  time_left.begin_stage();
  for (std::int64_t task = 0; task < 3; ++task) {
    const double begun = now;
    const double whole = task < 2 ? 80 : 160;
    time_left.begin(task, costs.front());
    for (; now < begun + whole; now += 1) {
      time_left.advance({.task = task, .fraction = (now - begun) / whole});
      const double left = begun + whole - now;
      if (task < 2 || left > 0.9 * whole) continue;
      EXPECT_GT(1.5 * time_left.estimate().seconds.value_or(0), left) << left;
    }
    time_left.end({.task = task, .seconds = whole});
  }
}

}  // namespace
}  // namespace fairfront::sweep
