// What is said of real runs: their tasks as one rank ran them, by CPU time, on any number of teams;
// and tasks of one team, by the wall clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "recorded_lists.hpp"
#include "recorded_runs.hpp"
#include "solvers/clustering/list_clock.hpp"
#include "sweep/schedule.hpp"
#include "sweep/time_left.hpp"
#include "sweep/trials.hpp"

namespace fairfront::sweep::test {
namespace {

struct RecordedTask {
  TaskCost cost;
  double seconds = 0;
  double preparing = 0;
  std::vector<Mark> told{};  ///< times are seconds of the task
};

/// Rounds of trials, and then the tasks.
struct RecordedRun {
  double before = 0;  ///< seconds before the first task
  double after = 0;   ///< after the last one
  bool comparable = true;
  std::vector<std::vector<RecordedTask>> stages;
};

RecordedTask parse_task(std::istringstream& line) {
  RecordedTask task;
  line >> task.cost.task_class >> task.cost.method >> task.cost.unit_cost >> task.seconds >>
      task.preparing;
  for (Mark mark{}; line >> mark.time >> mark.fraction;) task.told.push_back(mark);
  return task;
}

RecordedRun parse(std::string_view text) {
  RecordedRun run;
  std::istringstream lines{std::string(text)};
  lines >> run.before >> run.after >> run.comparable;
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::size_t stage = 0;
    if (!(words >> stage)) continue;
    if (stage >= run.stages.size()) run.stages.resize(stage + 1);
    run.stages[stage].push_back(parse_task(words));
  }
  return run;
}

constexpr double cores = 2;

/// What was said was left, by the time at which it was said.
using Said = std::vector<std::pair<double, double>>;

/// Of what is said from a fifth of the run on up to its last second or fiftieth: the share that is
/// within a factor of 1.5 of the truth, and the worst factor.
struct Worth {
  double within = 0;
  double worst = 1;
};

Worth worth_of(const Said& said, double end) {
  double good = 0, all = 0;
  Worth worth;
  for (const auto& [time, seconds] : said) {
    const double left = end - time;
    if (time < 0.2 * end || left < std::max(1.0, 0.02 * end)) continue;
    const double factor = std::max(seconds / left, left / seconds);
    all += 1;
    good += factor < 1.5 ? 1 : 0;
    worth.worst = std::max(worth.worst, factor);
  }
  worth.within = good / all;
  return worth;
}

/// Teams that share two cores.
class Replay {
 public:
  Replay(const RecordedRun& run, std::int64_t teams)
      : run_{run},
        teams_{teams},
        now_{run.before},
        time_left_{run.comparable, [this] { return Seconds(now_); },
                   std::min(1.0, cores / static_cast<double>(teams))} {
    time_left_.expect(teams, costs_of(run.stages.back()));
    for (std::size_t stage = 0; stage + 1 < run.stages.size(); ++stage) make_trials(stage);
    const std::vector<TaskCost> costs = costs_of(run.stages.back());
    ScheduleOptions options;
    options.probe = true;
    options.comparable = run.comparable;
    options.clock = [this] { return Seconds(now_); };
    Schedule schedule(costs, {}, options);
    go(run.stages.back(), [&](const parallel::Finished& last) {
      time_left_.end(last);
      const auto task = schedule.next(last);
      if (task) time_left_.begin(*task, costs[static_cast<std::size_t>(*task)]);
      return task;
    });
    now_ += run.after;
  }

  [[nodiscard]] Worth worth() const { return worth_of(said_, now_); }

 private:
  using Seconds = std::chrono::duration<double>;
  using Next = std::function<std::optional<std::int64_t>(const parallel::Finished&)>;
  struct Team {
    std::int64_t task = -1;
    double begun = 0;
    double done = 0;  ///< seconds of the task
    std::size_t told = 0;
  };

  static std::vector<TaskCost> costs_of(const std::vector<RecordedTask>& tasks) {
    std::vector<TaskCost> costs;
    for (const RecordedTask& task : tasks) costs.push_back(task.cost);
    return costs;
  }

  void make_trials(std::size_t stage) {
    const std::vector<RecordedTask>& recorded = run_.stages[stage];
    std::vector<PlannedTrial> planned;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      planned.push_back({static_cast<std::int64_t>(i), 0});
    }
    std::vector<RecordedTask> trials;
    for (const PlannedTrial& trial : with_probes_first(planned, [&](std::int64_t i) {
           return recorded[static_cast<std::size_t>(i)].cost.task_class;
         })) {
      trials.push_back(recorded[static_cast<std::size_t>(trial.task)]);
    }
    time_left_.expect_first(teams_, costs_of(trials));
    std::int64_t next = 0;
    go(trials, [&](const parallel::Finished& last) -> std::optional<std::int64_t> {
      time_left_.end(last);
      if (next == std::ssize(trials)) return std::nullopt;
      time_left_.begin(next, trials[static_cast<std::size_t>(next)].cost);
      return next++;
    });
  }

  void claim(Team& team, const std::vector<RecordedTask>& tasks, const Next& next) {
    parallel::Finished last;
    if (team.task >= 0) {
      const RecordedTask& task = tasks[static_cast<std::size_t>(team.task)];
      const double seconds = now_ - team.begun;
      const double slower = task.seconds > 0 ? seconds / task.seconds : 1;
      last = {team.task, seconds, false, slower * task.preparing};
    }
    team = {.task = next(last).value_or(-1), .begun = now_};
  }

  /// Until the next event; whether a team is at work.
  bool pass(std::vector<Team>& teams, const std::vector<RecordedTask>& tasks) {
    const auto busy = std::ranges::count_if(teams, [](const Team& team) { return team.task >= 0; });
    if (busy == 0) return false;
    const double speed = std::min(1.0, cores / static_cast<double>(busy));
    double passed = next_look_ - now_;
    for (const Team& team : teams) {
      if (team.task < 0) continue;
      const RecordedTask& task = tasks[static_cast<std::size_t>(team.task)];
      const double event = team.told < task.told.size() ? task.told[team.told].time : task.seconds;
      passed = std::min(passed, std::max(0.0, event - team.done) / speed);
    }
    now_ += passed;
    for (Team& team : teams) team.done += passed * speed;
    return true;
  }

  void go(const std::vector<RecordedTask>& tasks, const Next& next) {
    constexpr double rounding = 1e-9;
    time_left_.begin_stage();
    std::vector<Team> teams(static_cast<std::size_t>(teams_));
    for (Team& team : teams) claim(team, tasks, next);
    while (pass(teams, tasks)) {
      for (Team& team : teams) {
        if (team.task < 0) continue;
        const RecordedTask& task = tasks[static_cast<std::size_t>(team.task)];
        for (; team.told < task.told.size() && task.told[team.told].time <= team.done + rounding;
             ++team.told) {
          time_left_.advance({team.task, task.told[team.told].fraction});
        }
        if (task.seconds <= team.done + rounding) claim(team, tasks, next);
      }
      if (now_ >= next_look_) look();
    }
    time_left_.end_stage();
  }

  void look() {
    next_look_ += 0.25;
    if (const auto said = time_left_.estimate().seconds) said_.emplace_back(now_, *said);
  }

  const RecordedRun& run_;
  std::int64_t teams_;
  double now_;
  double next_look_ = now_;
  TimeLeft time_left_;
  Said said_;
};

TEST(RecordedTimes, TheTimeLeftIsWithinAFactorFromAFifthOfTheRunOn) {
  for (const RecordedText& recorded : recorded_runs) {
    const RecordedRun run = parse(recorded.text);
    for (const std::int64_t teams : {1, 2, 4, 8}) {
      const auto [within, worst] = Replay(run, teams).worth();
      RecordProperty(std::string(recorded.name) + "_" + std::to_string(teams),
                     std::to_string(within) + ", " + std::to_string(worst));
      EXPECT_GE(within, recorded.within) << recorded.name << " on " << teams;
      EXPECT_LE(worst, recorded.worst) << recorded.name << " on " << teams;
    }
  }
}

/// One task of a team, which tells once a second how far its list has come.
class ListReplay {
 public:
  explicit ListReplay(const RecordedList& run)
      : clock_{[problem = run.problem](std::int64_t iteration) {
          return clustering::work_of_entry({}, problem, iteration);
        }},
        time_left_{true, [this] { return std::chrono::duration<double>(now_); },
                   std::min(1.0, cores / static_cast<double>(run.ranks))} {
    std::istringstream rows{std::string(run.text)};
    for (Row row; rows >> row.iteration >> row.length >> row.seconds;) rows_.push_back(row);
    const std::vector<TaskCost> task(1);
    time_left_.expect(1, task);
    time_left_.begin_stage();
    time_left_.begin(0, task.front());
    for (std::size_t i = 1; i < rows_.size(); ++i) go(rows_[i - 1], rows_[i], run.budget);
  }

  [[nodiscard]] Worth worth() const { return worth_of(said_, now_); }

 private:
  struct Row {
    std::int64_t iteration;
    std::int64_t length;
    double seconds;
  };

  /// Even steps from one row to the next.
  void go(const Row& from, const Row& to, std::int64_t budget) {
    const auto steps = static_cast<double>(to.iteration - from.iteration);
    const double each = (to.seconds - from.seconds) / steps;
    for (std::int64_t i = from.iteration; i < to.iteration; ++i) {
      const double share = static_cast<double>(i - from.iteration) / steps;
      const auto grown = share * static_cast<double>(to.length - from.length);
      const std::int64_t length = from.length + static_cast<std::int64_t>(grown);
      now_ = from.seconds + static_cast<double>(i + 1 - from.iteration) * each;
      clock_.count(length, each);
      tell({i + 1, rows_.back().iteration, length, budget, false});
    }
  }

  void tell(const clustering::ListCourse& course) {
    if (now_ < due_) return;
    due_ = now_ + 1;
    time_left_.advance({.task = 0,
                        .fraction = clock_.share_done(course),
                        .seconds_left = clock_.seconds_left(course)});
    if (const auto said = time_left_.estimate().seconds) said_.emplace_back(now_, *said);
  }

  std::vector<Row> rows_;
  double now_ = 0;
  double due_ = 0.25;
  clustering::ListClock clock_;
  TimeLeft time_left_;
  Said said_;
};

TEST(RecordedTimes, OfATeamOnBusyCoresTheTimeLeftIsWithinAFactorAsWell) {
  for (const RecordedList& recorded : recorded_lists) {
    const auto [within, worst] = ListReplay(recorded).worth();
    RecordProperty(std::string(recorded.name),
                   std::to_string(within) + ", " + std::to_string(worst));
    EXPECT_GE(within, 0.95) << recorded.name;
    EXPECT_LE(worst, 1.6) << recorded.name;
  }
}

}  // namespace
}  // namespace fairfront::sweep::test
