#include "print_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory.hpp"
#include "base/printable.hpp"
#include "base/shared_pages.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "data/supervised.hpp"
#include "print_rows.hpp"
#include "results/content.hpp"
#include "results/enum_names.hpp"
#include "sweep/forecast.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t most_tasks = 10;
constexpr std::size_t longest_line = 72;   // of an option's value
constexpr std::size_t longest_text = 480;  // of a value or recipe

/// Of a longer text the middle is left out, between items of a list, or else between words: no name
/// is cut to what another one is, too.
std::string shortened(const std::string& text) {
  const std::string whole = base::printable(text);
  if (whole.size() <= longest_text) return whole;
  constexpr std::size_t half = longest_text / 2;
  for (const std::string_view between : {", ", " "}) {
    const std::size_t end = whole.rfind(between, half);
    const std::size_t begin = whole.find(between, whole.size() - half);
    if (end == std::string::npos || begin == std::string::npos) continue;
    return whole.substr(0, end + between.size()) + "... " + whole.substr(begin + between.size());
  }
  return whole;
}

/// The blank at which a long line ends: between items of a list, or else between words.
std::size_t end_of_line(const std::string& text) {
  for (const std::string_view between : {", ", " "}) {
    std::size_t at = text.rfind(between, longest_line + 1 - between.size());
    if (at == std::string::npos || at == 0) at = text.find(between, longest_line);
    if (at != std::string::npos) return at + between.size() - 1;
  }
  return std::string::npos;
}

/// A longer word is one line, as files may differ in the middle of their paths.
std::vector<std::string> lines_of_value(const std::string& value) {
  std::string rest = shortened(value);
  std::vector<std::string> lines;
  while (rest.size() > longest_line) {
    const std::size_t blank = end_of_line(rest);
    if (blank == std::string::npos) break;
    lines.push_back(rest.substr(0, blank));
    rest.erase(0, blank + 1);
  }
  lines.push_back(rest);
  return lines;
}

std::string options_text(const config::Config& config) {
  Table table({"option", "value", "unit", "from"});
  for (const config::ConfigOption& option : config.options) {
    const std::string value = option.is_axis() ? format_list(option.values) : option.text();
    const std::vector<std::string> lines = lines_of_value(value);
    table.add({option.name(), lines.front(), option.info.unit, option.origin});
    for (const std::string& line : std::span(lines).subspan(1)) table.add({"", line, "", ""});
  }
  return "options\n" + table.text();
}

std::string axes_text(const sweep::Plan& plan) {
  if (plan.axes().empty()) return "axes: none\n";
  Table table({"axis", "role", "values", ""});
  for (const results::Axis& axis : plan.axes()) {
    table.add({axis.name, results::name_of(axis.role), std::to_string(axis.values.size()),
               format_list(axis.values)});
  }
  return "axes\n" + table.text();
}

std::string tasks_text(const sweep::Plan& plan) {
  std::string text = fmt::format("tasks: {}\n", plan.num_tasks());
  for (std::int64_t i = 0; i < std::min(plan.num_tasks(), most_tasks); ++i) {
    text += fmt::format("  {:>3}  {}\n", i, plan.label(plan.task(i)));
  }
  if (plan.num_tasks() > most_tasks) {
    text += fmt::format("  ... and {} more\n", plan.num_tasks() - most_tasks);
  }
  return text;
}

std::string files_text(const data::Provenance& data) {
  return data.files.empty() ? std::string{"generated"} : base::join(data.files, ", ");
}

/// Problems of one table that differ in nothing that a text says, such as in the seed of a split.
class DataSets {
 public:
  explicit DataSets(const std::vector<sweep::PlannedProblem>& problems) {
    for (const sweep::PlannedProblem& problem : problems) {
      const data::Provenance& data = problem.forecast.data;
      const auto known = std::ranges::find_if(firsts_, [&](const sweep::PlannedProblem* first) {
        const data::Provenance& of_first = first->forecast.data;
        return of_first.name == data.name && of_first.files == data.files &&
               of_first.recipe == data.recipe;
      });
      which_.push_back(static_cast<std::size_t>(known - firsts_.begin()));
      if (known == firsts_.end()) firsts_.push_back(&problem);
      digests_.resize(firsts_.size());
      digests_[which_.back()].insert(data.digest);
    }
  }

  /// "data 2" behind the name, where there are several.
  [[nodiscard]] std::string name_for(std::size_t problem) const {
    return firsts_.size() == 1 ? "" : fmt::format("data {}: ", which_[problem] + 1);
  }

  /// What was understood of each. Reads those again that are no longer in the cache.
  [[nodiscard]] std::string text(const Sweep& sweep, const sweep::RunContext& context) const {
    std::string text = "data\n";
    std::string earlier;  // groups and parts that stand there already
    for (std::size_t i = 0; i < firsts_.size(); ++i) {
      const data::Provenance& data = firsts_[i]->forecast.data;
      const sweep::Task& task = firsts_[i]->first_task;
      text += fmt::format("  {}{} ({})", firsts_.size() == 1 ? "" : fmt::format("{}: ", i + 1),
                          data.name, files_text(data));
      const bool rows = has_rows(sweep.experiment, task);
      text += rows ? understood(sweep, context, i, earlier) : "\n";
      if (!data.recipe.empty()) {
        text += fmt::format("    {}\n", shortened(data.recipe));
      }
    }
    return text;
  }

 private:
  [[nodiscard]] std::string understood(const Sweep& sweep, const sweep::RunContext& context,
                                       std::size_t which, std::string& earlier) const {
    const sweep::Task& task = firsts_[which]->first_task;
    const sweep::PreparedRows rows = sweep.experiment.rows(task, context);
    std::string text = fmt::format(": {} rows, {} feature{}\n{}", rows->set.rows, rows->set.columns,
                                   rows->set.columns == 1 ? "" : "s", columns_text(*rows, task));
    const std::string groups = groups_text(*rows);
    if (groups == earlier) return text + "    groups as those above\n";
    earlier = groups;
    if (digests_[which].size() > 1) {
      text += fmt::format("    as task {} has them, the first of {} draws\n", task.index,
                          digests_[which].size());
    }
    return text + groups;
  }

  std::vector<const sweep::PlannedProblem*> firsts_;
  std::vector<std::set<std::string>> digests_;  ///< of all problems of each
  std::vector<std::size_t> which_;              ///< of each problem
};

/// All that is told of a problem but how many tasks it has, and its warnings.
struct ProblemLines {
  std::string name;
  std::string forecast;
  auto operator<=>(const ProblemLines&) const = default;
};

ProblemLines lines_of(const sweep::PlannedProblem& problem, const std::string& data) {
  const sweep::TaskForecast& forecast = problem.forecast;
  std::string text =
      fmt::format("    {}\n    a task takes {} beside the data", base::printable(forecast.problem),
                  format_bytes(forecast.work.bytes_per_rank));
  if (forecast.work.amount > 0) {
    text += fmt::format(", about {:.3g} {}", forecast.work.amount, forecast.work.unit);
  }
  return {fmt::format("  [{}] on {}{} ({})", problem.first_task.method, data, forecast.data.name,
                      files_text(forecast.data)),
          text + '\n'};
}

/// Problems of which the same is told, such as those of ten splits, are told of together, and no
/// warning twice.
std::string problems_text(const std::vector<sweep::PlannedProblem>& problems,
                          const DataSets& data) {
  struct Told {
    std::int64_t problems = 0;
    std::int64_t tasks = 0;
    std::vector<std::string> warnings;
  };
  std::map<ProblemLines, Told> told;
  std::vector<ProblemLines> order;
  std::set<std::string> warnings;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const ProblemLines lines = lines_of(problems[i], data.name_for(i));
    Told& same = told[lines];
    if (++same.problems == 1) order.push_back(lines);
    same.tasks += std::ssize(problems[i].amounts);
    for (const std::string& warning : problems[i].forecast.warnings) {
      if (warnings.insert(warning).second) same.warnings.push_back(warning);
    }
  }
  std::string text;
  for (const ProblemLines& lines : order) {
    const Told& same = told[lines];
    text += fmt::format("{}, {} tasks", lines.name, same.tasks);
    if (same.problems > 1) text += fmt::format(" of {} problems", same.problems);
    text += '\n' + lines.forecast;
    for (const std::string& warning : same.warnings) {
      text += fmt::format("    warning: {}\n", warning);
    }
  }
  return text;
}

/// What a rank that runs one of so many tasks takes, beside what all ranks share.
struct TaskMemory {
  double bytes = 0;
  std::int64_t tasks = 0;
};

/// What the ranks of one node take.
struct NodeMemory {
  double reading = 0;                  ///< of one rank at its peak, while the others wait
  double once = 0;                     ///< what all of them share
  std::vector<TaskMemory> of_tasks{};  ///< the largest first
  double results = 0;                  ///< of rank 0 when it makes the archive

  [[nodiscard]] double of(std::int64_t ranks) const {
    const double idle = static_cast<double>(ranks) * of_idle_rank;
    return idle + std::max({reading - of_idle_rank, once + of_busy(ranks), once + results});
  }
  [[nodiscard]] double of_task() const { return of_tasks.empty() ? 0 : of_tasks.front().bytes; }

 private:
  /// At most: when the tasks that take most run at the same time.
  [[nodiscard]] double of_busy(std::int64_t ranks) const {
    double bytes = 0;
    for (const TaskMemory& of_some : of_tasks) {
      const std::int64_t busy = std::min(ranks, of_some.tasks);
      bytes += static_cast<double>(busy) * of_some.bytes;
      ranks -= busy;
    }
    return bytes;
  }
  static constexpr double of_idle_rank = 6e6;  // MPI's buffers and tables, measured
};

/// @param own  of every rank, whichever task it runs.
std::vector<TaskMemory> memory_of_tasks(const std::vector<sweep::PlannedProblem>& problems,
                                        double own) {
  std::vector<TaskMemory> of_tasks;
  for (const auto& problem : problems) {
    const bool alone = std::ranges::count(problem.shared, 0) == std::ssize(problem.shared);
    // All ranks run a task that they share.
    of_tasks.push_back(
        {own + problem.forecast.work.bytes_per_rank,
         alone ? std::ssize(problem.amounts) : std::numeric_limits<std::int64_t>::max()});
  }
  std::ranges::sort(of_tasks, std::ranges::greater{}, &TaskMemory::bytes);
  return of_tasks;
}

/// After all problems were made, as this process then holds them.
/// @param before  what it held before that.
NodeMemory node_memory(const base::MemoryInUse& before, const sweep::RunContext& context,
                       const std::vector<sweep::PlannedProblem>& problems) {
  base::give_back_freed_pages();
  const base::MemoryInUse held = base::memory_in_use();
  const auto own = static_cast<double>(context.cache->own_bytes());
  constexpr double copies = 2;  // of a result, while it is written or read
  double results = 0;
  for (const auto& problem : problems) {
    const sweep::Work& work = problem.forecast.work;
    results += copies * work.result_bytes * static_cast<double>(problem.amounts.size());
  }
  return {.reading = held.peak,
          .once = held.own - before.own - own + held.of_files,
          .of_tasks = memory_of_tasks(problems, own),
          .results = results};
}

std::string memory_text(const NodeMemory& memory, std::int64_t ranks) {
  std::string text = fmt::format(
      "memory of a node\n  {} once for all its ranks, {} while one of them reads; a task takes {} "
      "beside\n  1 rank {}",
      format_bytes(memory.once), format_bytes(memory.reading), format_bytes(memory.of_task()),
      format_bytes(memory.of(1)));
  if (ranks > 1) text += fmt::format("; {} ranks on it {}", ranks, format_bytes(memory.of(ranks)));
  return text + '\n';
}

}  // namespace

std::string plan_text(const Sweep& sweep, const sweep::RunContext& context, std::int64_t ranks) {
  const sweep::Plan& plan = sweep.plan;
  std::string text = fmt::format("{}: {} ({})\n\n", plan.config().file, plan.config().experiment,
                                 sweep.experiment.title());
  for (const std::string& warning : plan.config().warnings) {
    text += fmt::format("warning: {}\n", warning);
  }
  text +=
      fmt::format("{}\n{}\n{}\n", options_text(plan.config()), axes_text(plan), tasks_text(plan));
  const base::MemoryInUse before = base::memory_in_use();
  const auto problems = sweep::forecast_problems(sweep.experiment, plan, context, ranks);
  const NodeMemory memory = node_memory(before, context, problems);  // before more is read
  const DataSets data(problems);
  text += data.text(sweep, context);
  text += fmt::format("\nproblems, forecast for {} rank{}\n", ranks, ranks == 1 ? "" : "s");
  return text + problems_text(problems, data) + memory_text(memory, ranks);
}

}  // namespace fairfront::drivers
