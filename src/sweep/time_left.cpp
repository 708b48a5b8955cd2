#include "sweep/time_left.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "base/elementary.hpp"
#include "sweep/schedule.hpp"

namespace fairfront::sweep {
namespace {

/// Twice as many would be no better, but dearer.
void thin(std::vector<Mark>& marks) {
  constexpr std::size_t most = 64;
  if (marks.size() < most) return;
  for (std::size_t i = 0; i < most / 2; ++i) marks[i] = marks[2 * i];
  marks.resize(most / 2);
}

}  // namespace

/// Expected seconds of tasks, by what is known of their class; else of those of their method, which
/// differ by the problem; else of all methods, each of which counts as much.
class TimeLeft::Knowledge {
 public:
  explicit Knowledge(const TimeLeft& all) : all_{all} {
    for (const auto& [task_class, times] : all.times_) {
      of_methods_[all.method_of_.at(task_class)].own.push_back(&times);
    }
    for (const auto& [task, running] : all.running_) {
      const TaskCost& cost = running.cost;
      const auto whole = running.whole(all.course_of(cost.task_class));
      if (!whole || !(cost.unit_cost > 0) || is_own(cost.task_class)) continue;
      told_[cost.task_class].add(*whole / cost.unit_cost);
      of_methods_[cost.method].told.add(*whole / cost.unit_cost);
    }
  }

  [[nodiscard]] bool is_any() const { return !of_methods_.empty(); }
  [[nodiscard]] bool is_own(std::int32_t task_class) const {
    return all_.times_.contains(task_class);
  }
  /// Of what tasks of its class took, if some have ended.
  [[nodiscard]] std::optional<double> doubt(const TaskCost& cost) const {
    const auto own = all_.times_.find(cost.task_class);
    if (own == all_.times_.end()) return std::nullopt;
    return own->second.doubt(cost.unit_cost);
  }

  /// Nothing for a class of which nothing is known.
  [[nodiscard]] std::optional<double> seconds(const TaskCost& cost) const {
    const auto own = all_.times_.find(cost.task_class);
    if (own != all_.times_.end()) return own->second.seconds(cost.unit_cost);
    if (const auto told = told_.find(cost.task_class); told != told_.end()) {
      guessed_ = true;
      return cost.unit_cost * told->second.mean();
    }
    const auto of_method = of_methods_.find(cost.method);
    if (of_method == of_methods_.end() && !all_.comparable_) {
      missing_ = true;
      return std::nullopt;
    }
    guessed_ = true;
    if (of_method != of_methods_.end()) return of_method->second.seconds(cost.unit_cost);
    return of_all(cost.unit_cost);
  }

  /// Mean of the tasks of a bin.
  [[nodiscard]] double seconds(const Bins::value_type& bin) const {
    const auto& [place, tasks] = bin;
    return seconds({.task_class = place.first,
                    .unit_cost = tasks.cost / static_cast<double>(tasks.count),
                    .method = tasks.method})
        .value_or(0);
  }

  [[nodiscard]] bool is_guessed() const { return guessed_; }
  [[nodiscard]] bool is_missing() const { return missing_; }

 private:
  struct Mean {
    double sum = 0;
    double count = 0;
    void add(double value) {
      sum += value;
      count += 1;
    }
    [[nodiscard]] double mean() const { return sum / count; }
  };
  struct OfMethod {
    std::vector<const TaskTimes*> own{};  ///< of its classes of which tasks have ended
    Mean told{};                          ///< rates of running tasks of others
    [[nodiscard]] double seconds(double unit_cost) const {
      Mean mean;
      for (const TaskTimes* times : own) mean.add(times->seconds(unit_cost));
      return own.empty() ? unit_cost * told.mean() : mean.mean();
    }
  };

  /// By factors: one method that takes a hundred times as long as its work says decides nothing.
  [[nodiscard]] double of_all(double unit_cost) const {
    Mean logarithm;
    for (const auto& [method, known] : of_methods_) {
      const double seconds = known.seconds(unit_cost);
      if (seconds > 0) logarithm.add(base::log(seconds));
    }
    return logarithm.count > 0 ? base::exp(logarithm.mean()) : 0;
  }

  const TimeLeft& all_;
  std::map<std::int32_t, OfMethod> of_methods_;
  std::map<std::int32_t, Mean> told_;  ///< rates, by class
  mutable bool guessed_ = false;       ///< something that was asked
  mutable bool missing_ = false;
};

std::optional<double> TimeLeft::Running::whole(const TaskCourse& course) const {
  constexpr double telling = 0.05;  // less says nothing about the end
  if (marks.empty()) return std::nullopt;
  const double share_before = course.share_of_time(marks.front().fraction);
  if (reckoned_end && share_before < 1) {
    return (*reckoned_end - marks.front().time) / (1 - share_before);
  }
  const Mark last = marks.back();
  const double share = course.share_of_time(last.fraction);
  // The later half alone, if that is enough: it knows how busy the cores are now.
  const double half = (marks.front().time + last.time) / 2;
  const auto middle = std::ranges::lower_bound(marks, half, {}, &Mark::time);
  for (const Mark& from : {*middle, marks.front()}) {
    const double passed = share - course.share_of_time(from.fraction);
    if (passed >= telling) return (last.time - from.time) / passed;
  }
  return std::nullopt;
}

double TimeLeft::Running::left(std::optional<double> expected, std::optional<double> doubt,
                               const TaskCourse& course, double used) const {
  const double from = marks.empty() ? 0 : marks.front().time;
  const double share_before = marks.empty() ? 0 : course.share_of_time(marks.front().fraction);
  const double end_by_class = from + expected.value_or(0) * (1 - share_before);
  // What is overdue is not over: as long again as it is overdue by is as likely as not.
  const double by_class = expected ? std::abs(end_by_class - used) : 0;
  const std::optional<double> told = whole(course);
  if (!told) return by_class;
  const double share = course.share_of_time(marks.back().fraction);
  const double end_by_task = reckoned_end.value_or(marks.back().time + *told * (1 - share));
  const double by_task = std::abs(end_by_task - used);
  constexpr double sure = 0.1;  // by then its own steps say more than others of its class do
  if (!doubt || (reckoned_end && share >= sure)) return by_task;
  // The more of it is over, and the longer it takes than others of its class, the more it knows:
  // soon more than these, which may be few, and of other seeds.
  const double longer = end_by_class > used ? 0 : 1 - expected.value_or(0) / used;
  // At a tenth, a task's own steps are wrong by a third, and ever less from there on.
  constexpr double doubt_of_steps = 0.01;
  const double by_doubt =
      *doubt > 0 ? *doubt * share / (*doubt * share + doubt_of_steps * (1 - share)) : 0;
  const double weight = std::max({std::sqrt(share), longer, by_doubt});
  return weight * by_task + (1 - weight) * by_class;
}

void TimeLeft::add(Bins& bins, const TaskCost& cost, std::int64_t sign) {
  if (!(cost.unit_cost > 0)) return;
  const std::pair place{cost.task_class, size_of_cost(cost.unit_cost)};
  Bin& bin = bins[place];
  bin.count += sign;
  bin.cost += static_cast<double>(sign) * cost.unit_cost;
  bin.method = cost.method;
  if (bin.count <= 0) bins.erase(place);
}

TimeLeft::Stage TimeLeft::make_stage(std::int64_t teams, std::span<const TaskCost> waiting) {
  Stage stage{.teams = teams, .waiting = {}};
  for (const TaskCost& cost : waiting) add(stage.waiting, cost, 1);
  stage.count = stage.total = std::ssize(waiting);
  return stage;
}

void TimeLeft::expect(std::int64_t teams, std::span<const TaskCost> waiting) {
  const std::lock_guard lock(mutex_);
  stages_.push_back(make_stage(teams, waiting));
}

void TimeLeft::expect_first(std::int64_t teams, std::span<const TaskCost> waiting) {
  const std::lock_guard lock(mutex_);
  stages_.push_front(make_stage(teams, waiting));
}

void TimeLeft::begin_stage() {
  const std::lock_guard lock(mutex_);
  settle();
  stages_.front().at_work = 0;
}

void TimeLeft::end_stage() {
  const std::lock_guard lock(mutex_);
  settle();
  stages_.pop_front();
  running_.clear();
}

void TimeLeft::observe(const TaskCost& cost, double seconds, double writing) {
  const std::lock_guard lock(mutex_);
  learn(cost, seconds * cores_a_rank_);
  note_writing(cost, writing);
}

void TimeLeft::learn(const TaskCost& cost, double seconds) {
  const double seconds_per_unit = seconds / cost.unit_cost;
  if (!(cost.unit_cost > 0) || !(seconds >= 0) || !std::isfinite(seconds_per_unit)) return;
  times_[cost.task_class].observe(cost.unit_cost, seconds);
  method_of_[cost.task_class] = cost.method;
}

void TimeLeft::note_writing(const TaskCost& cost, double seconds) {
  Writing& writing = writing_[cost.task_class];
  writing.seconds += seconds;
  ++writing.tasks;
}

void TimeLeft::begin(std::int64_t task, const TaskCost& cost) {
  const std::lock_guard lock(mutex_);
  settle();
  Stage& stage = stages_.front();
  add(stage.waiting, cost, -1);
  --stage.count;
  running_.emplace(
      task,
      Running{
          .cost = cost, .begun = settled_, .begun_on_wall = settled_on_wall_, .told_at = settled_});
}

void TimeLeft::advance(const parallel::Advance& advance) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(advance.task);
  if (found == running_.end() || !(advance.fraction >= 0 && advance.fraction <= 1)) return;
  Running& running = found->second;
  // A stage of a solver may begin with less than the one before found of a sample.
  running.writing = std::max(running.writing, advance.writing);
  if (advance.cpu_seconds) {
    note_cpu(running, *advance.cpu_seconds, advance.seconds - advance.preparing);
  }
  const double used = running.used(now());
  running.reckoned_end.reset();
  if (advance.seconds_left) {
    running.reckoned_end = used + *advance.seconds_left * speed_of_late(running, advance.fraction);
  }
  std::vector<Mark>& marks = running.marks;
  thin(marks);
  if (!marks.empty() && advance.fraction < marks.back().fraction) marks.clear();  // it began anew
  marks.push_back({used, advance.fraction, wall(), shared()});
}

/// What a task has told of itself, and so of the cores.
/// @param seconds  of the wall clock in which it has used the CPU seconds.
void TimeLeft::note_cpu(Running& running, double cpu_seconds, double seconds) {
  const double used = cpu_seconds - running.cpu_told;
  const double passed = seconds - running.seconds_told;
  if (!(used >= 0 && passed >= 0) || !std::isfinite(used + passed)) return;
  settle();
  const Stage& stage = stages_.front();
  load_.observe(used, passed, own_slowdown(stage, teams_at_work(stage)), wall());
  running.cpu_told = cpu_seconds;
  running.seconds_told = seconds;
  running.told_at = settled_;
}

void TimeLeft::end(const parallel::Finished& finished) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(finished.task);
  if (found == running_.end()) return;
  settle();
  Running& running = found->second;
  if (finished.cpu_seconds) {
    note_cpu(running, *finished.cpu_seconds, finished.seconds - finished.preparing);
  }
  Stage& stage = stages_.front();
  const double passed = settled_on_wall_ - running.begun_on_wall;
  const double of_wall = passed > 0 ? (settled_ - running.begun) / passed : 1;
  const double all_seconds = of_wall * finished.seconds;
  const double seconds = std::max(0.0, all_seconds - of_wall * finished.preparing);
  const double cpu = finished.cpu_seconds.value_or(seconds);
  learn(running.cost, cpu);
  note_writing(running.cost, finished.writing);
  if (const auto own = times_.find(running.cost.task_class);
      own != times_.end() && !finished.failed) {
    own->second.course.learn(running.marks, running.used(settled_));
  }
  // What each team prepares for all of its tasks says nothing of those that wait.
  if (++stage.ended_count > stage.teams) preparing_.observe(all_seconds - seconds);
  add(stage.ended, running.cost, 1);
  stage.ended_seconds += seconds;
  stage.ended_cpu += cpu;
  stage.prepared += all_seconds - seconds;
  running_.erase(found);
}

TimeLeft::Counts TimeLeft::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts{stages_.front().count, std::ssize(running_)};
  for (const auto& [task, running] : running_) {
    if (!running.marks.empty()) counts.done_of_running += running.marks.back().fraction;
  }
  return counts;
}

const TaskCourse& TimeLeft::course_of(std::int32_t task_class) const {
  static const TaskCourse even;
  const auto own = times_.find(task_class);
  return own == times_.end() ? even : own->second.course;
}

/// Seconds of the wall clock for a CPU second of a task, while so many teams are at work.
double TimeLeft::slowdown(const Stage& stage, double at_work) const {
  return own_slowdown(stage, at_work) + load_.seconds();
}

/// The same without other programs.
double TimeLeft::own_slowdown(const Stage& stage, double at_work) const {
  return std::max(1.0, at_work / (cores_a_rank_ * static_cast<double>(stage.teams)));
}

double TimeLeft::speed() const {
  if (stages_.empty()) return 1;
  const Stage& stage = stages_.front();
  return 1 / slowdown(stage, teams_at_work(stage));
}

/// That of a team while a task went as many steps back as are ahead, which is what it reckons its
/// own end by, had other programs then taken what they take now: when teams have ended since, those
/// that are left are faster than the task knows.
double TimeLeft::speed_of_late(const Running& running, double fraction) const {
  constexpr double telling = 1;  // seconds
  const auto from = std::ranges::lower_bound(running.marks, 2 * fraction - 1, {}, &Mark::fraction);
  if (from == running.marks.end()) return speed();
  const double passed = wall() - from->on_wall;
  if (passed < telling) return speed();
  return 1 / ((shared() - from->shared) / passed + load_.seconds());
}

double TimeLeft::shared() const {
  if (stages_.empty()) return shared_;
  const Stage& stage = stages_.front();
  return shared_ + (wall() - settled_on_wall_) * own_slowdown(stage, teams_at_work(stage));
}

/// While tasks wait no team idles.
double TimeLeft::teams_at_work(const Stage& stage) const {
  const std::int64_t most = std::clamp<std::int64_t>(stage.total, 1, stage.teams);
  return static_cast<double>(stage.count > 0 ? most : std::min(std::ssize(running_), most));
}

/// Before it changes which teams are at work.
void TimeLeft::settle() {
  const double on_wall = wall();
  const double here = settled_ + (on_wall - settled_on_wall_) * speed();
  if (!stages_.empty()) {
    stages_.front().at_work += teams_at_work(stages_.front()) * (here - settled_);
  }
  shared_ = shared();
  settled_ = here;
  settled_on_wall_ = on_wall;
}

/// Seconds of a team of the running stage between two tasks, on the clock of tasks.
double TimeLeft::beside_tasks(const Knowledge& knowledge) const {
  const Stage& stage = stages_.front();
  if (stage.ended_count == 0) return 0;
  const auto ended = static_cast<double>(stage.ended_count);
  double in_tasks = stage.ended_seconds;
  if (stage.ended_seconds < look_ahead_seconds * ended) {
    in_tasks = 0;
    for (const auto& bin : stage.ended) {
      in_tasks += static_cast<double>(bin.second.count) * knowledge.seconds(bin);
    }
    if (stage.ended_cpu > 0) in_tasks *= stage.ended_seconds / stage.ended_cpu;
  }
  in_tasks += stage.prepared;
  for (const auto& [task, running] : running_) in_tasks += now() - running.begun;
  const double at_work = stage.at_work + teams_at_work(stage) * (now() - settled_);
  return std::max(0.0, at_work - in_tasks) / ended;
}

/// When the last team of a stage ends, in seconds of the wall clock, if waiting tasks are taken
/// longest first.
/// @param left    CPU seconds that running tasks still need.
/// @param beside  of a team between two tasks, on the clock of tasks.
double TimeLeft::end_of_teams(const Stage& stage, const std::vector<double>& left,
                              std::vector<double> waiting, double beside) const {
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  for (const double seconds : left) free_at.push(seconds);
  while (std::ssize(free_at) < stage.teams) free_at.push(0);
  std::ranges::sort(waiting, std::greater<>());
  for (const double seconds : waiting) {
    const double at = free_at.top() + beside + seconds;
    free_at.pop();
    free_at.push(at);
  }
  double end = 0;
  for (double before = 0; !free_at.empty(); free_at.pop()) {
    const auto at_work = static_cast<double>(std::min(std::ssize(free_at), stage.teams));
    end += (free_at.top() - before) * slowdown(stage, at_work);
    before = free_at.top();
  }
  return end;
}

double TimeLeft::seconds_of(const Stage& stage, const Knowledge& knowledge) const {
  constexpr std::int64_t few = 2000;
  const bool runs = &stage == &stages_.front();
  std::vector<double> left;
  double all = 0;
  for (const auto& [task, running] : running_) {
    if (!runs) break;
    const std::int32_t task_class = running.cost.task_class;
    left.push_back(running.left(knowledge.seconds(running.cost), knowledge.doubt(running.cost),
                                course_of(task_class), running.used(now())));
    all += left.back();
  }
  const double prepared = preparing_.known() ? preparing_.value() : 0;
  const double beside = prepared + beside_tasks(knowledge);
  std::vector<double> waiting;
  for (const auto& bin : stage.waiting) {
    const double each = knowledge.seconds(bin);
    const auto times = static_cast<std::size_t>(stage.count <= few ? bin.second.count : 1);
    waiting.insert(waiting.end(), times, each);
    all += static_cast<double>(bin.second.count) * (each + beside);
  }
  const auto teams = static_cast<double>(stage.teams);
  return std::max(all / teams * slowdown(stage, teams),
                  end_of_teams(stage, left, std::move(waiting), beside));
}

/// Seconds from the end of the last task to that of the run.
double TimeLeft::writing() const {
  const auto of_class = [this](std::int32_t task_class) {
    const auto ended = writing_.find(task_class);
    if (ended == writing_.end()) return 0.0;
    return ended->second.seconds / static_cast<double>(ended->second.tasks);
  };
  double seconds = 0;
  for (const auto& [task_class, ended] : writing_) seconds += ended.seconds;
  for (const auto& [task, running] : running_) {
    seconds += std::max(running.writing, of_class(running.cost.task_class));
  }
  for (const Stage& stage : stages_) {
    for (const auto& [place, waiting] : stage.waiting) {
      seconds += static_cast<double>(waiting.count) * of_class(place.first);
    }
  }
  return seconds * (1 + load_.seconds());
}

TimeEstimate TimeLeft::estimate() const {
  const std::lock_guard lock(mutex_);
  const Knowledge knowledge(*this);
  if (!knowledge.is_any()) return {};
  double seconds = writing();
  for (const Stage& stage : stages_) seconds += seconds_of(stage, knowledge);
  return {seconds, knowledge.is_guessed(), knowledge.is_missing()};
}

}  // namespace fairfront::sweep
