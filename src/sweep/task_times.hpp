/// @file
/// How long tasks of one class take, learned from those that have ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace fairfront::sweep {

/// What is known of a task before it runs.
struct TaskCost {
  std::int32_t task_class = 0;  ///< tasks that are alike but for their unit cost, >= 0
  double unit_cost = 1;         ///< work relative to other tasks, finite, >= 0
  std::int32_t loop = -1;       ///< of its class, parallel::most_at_once with one number may run at
                                ///< once; -1: it runs alone
  bool resumable = false;       ///< stops at a checkpoint: no deadline forbids to begin it; the
                                ///< same for all of a class
  std::int32_t method = 0;      ///< of the class: those of one method have costs of one unit
};

/// Seconds per unit of cost, as the mean of the latest observations but for the least and the
/// largest eighth of them, at least one each where there are three: one task that also loaded a
/// table, or met a busy node, does not move it, and a sum of many tasks is not far from it.
class Rate {
 public:
  explicit Rate(std::size_t window = 16) : window_{window} {}
  void observe(double seconds_per_unit);
  [[nodiscard]] bool known() const noexcept { return !latest_.empty(); }
  [[nodiscard]] std::size_t observations() const noexcept { return latest_.size(); }
  [[nodiscard]] double value() const noexcept { return value_; }  ///< 1 while unknown

 private:
  std::size_t window_;
  std::vector<double> latest_;
  std::size_t oldest_ = 0;
  double value_ = 1;
};

/// A number that stands for all costs within a factor of the square root of two.
[[nodiscard]] int size_of_cost(double unit_cost);

/// Where a running task was at a time.
struct Mark {
  double time;
  double fraction;     ///< of its work, in [0, 1]
  double on_wall = 0;  ///< reading of the clock of the wall
  double shared = 0;   ///< sum of what the seconds up to then were to a CPU second, see TimeLeft
};

/// How the time of a task goes with the fraction of its work that it tells: later steps may be
/// dearer than earlier ones. As tasks of the class had it that have ended, beside half a one that
/// was even: what few had need not be what others of other seeds have.
class TaskCourse {
 public:
  /// @param marks  of a task that has ended, in the order of time; few say nothing.
  void learn(std::span<const Mark> marks, double end);
  /// Share of a task's time in [0, 1] that is over when it tells this fraction. Rises with it.
  [[nodiscard]] double share_of_time(double fraction) const;

 private:
  static constexpr std::size_t pieces = 16;
  std::array<double, pieces + 1> shares_{};  ///< means at fractions i / pieces
  double learned_from_ = 0;                  ///< tasks, at most as many as count
};

/// Tasks of one class. Large ones may take less for a unit of cost than small ones, as all take
/// some time besides, so each size has its rate, and seconds of a size between two are on the line.
class TaskTimes {
 public:
  /// A task has ended. Costs of 0, and what is not finite, are ignored.
  void observe(double unit_cost, double seconds);
  [[nodiscard]] bool known() const noexcept { return !sizes_.empty(); }
  /// Expected, of a task of this cost, while known().
  [[nodiscard]] double seconds(double unit_cost) const;
  /// Expected square of the logarithm by which that is wrong, of a size of which a task has ended:
  /// as far as it was before, beside one task of which it was wrong by half. 0 of other sizes: how
  /// their time goes with what they tell is not known.
  [[nodiscard]] double doubt(double unit_cost) const;

  TaskCourse course;

 private:
  struct Size {
    Rate rate{64};  ///< tasks that follow one another may be alike, such as those of one trade-off
    double cost = 0;  ///< summed
    double count = 0;
    [[nodiscard]] double mean_cost() const { return cost / count; }
    [[nodiscard]] double seconds() const { return mean_cost() * rate.value(); }
  };

  std::map<int, Size> sizes_;
  double squares_ = 0.16;  ///< of logarithms by which tasks that have ended were expected wrongly
  double guesses_ = 1;     ///< so many
};

}  // namespace fairfront::sweep
