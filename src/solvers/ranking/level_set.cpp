#include "solvers/ranking/level_set.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/elementary.hpp"
#include "solvers/ranking/level_search.hpp"

namespace fairfront::ranking {
namespace {

constexpr std::string_view magic = "fairfront sfls 4";

void check(const LevelSetOptions& options) {
  LevelSetOptions copy = options;
  base::OptionTable table("LevelSetOptions");
  add_options(table, copy);
  table.check();
}

}  // namespace

void add_options(base::OptionTable& table, MirrorDescentOptions& options) {
  table.add("step", options.step, base::above(0.0), "",
            "Step t of mirror descent has the length c / sqrt(t + 1), c this number.");
  table.add("dual_step", options.dual_step, base::above(0.0), "",
            "A dual step is this long over a primal one, in units of the constant C.");
  table.add("steps", options.steps, base::between<std::int64_t>(1, 1'000'000'000), "",
            "Each call of mirror descent takes this many steps, the paper's T.");
  table.add("batch", options.batch, base::between<std::int64_t>(1, 1'000'000), "rows",
            "A step draws this many rows.");
  table.add_choice<RowOrder>(
      "rows", options.rows,
      {{"balanced", RowOrder::balanced},
       {"drawn", RowOrder::drawn},
       {"shuffled", RowOrder::shuffled},
       {"file", RowOrder::file}},
      "Rows come in this way: with balanced, as many of each label and group, drawn with "
      "replacement and weighted by their shares; with drawn, from all; with shuffled and file, "
      "online, with the shares of labels and groups as counted so far, each once in a random order "
      "or in that of the data, then again.");
  table.assign_role(base::Role::tuning, {"step", "dual_step"});
}

void add_options(base::OptionTable& table, LevelSetOptions& options) {
  add_options(table, options.descent);
  table.add("level_step", options.level_step, base::at_least(1.0), "",
            "The level is lowered by |U| / (2 theta), theta this number.");
  table.add(
      "tolerance", options.tolerance, base::above(0.0), "",
      "The method ends when the upper bound U is at least minus this, and still is with twice "
      "the steps.");
  table.add("most_calls", options.most_calls, base::between<std::int64_t>(1, 100'000), "",
            "There are at most this many calls of mirror descent.");
  table.add("most_doublings", options.most_doublings, base::between<std::int64_t>(0, 30), "",
            "The steps of a call are doubled at most this often: each time that the upper bound U "
            "is above 0, so that the call could not tell, and the first time that it is within the "
            "tolerance at a level; `step`, where it is above 0.03, is halved with it. With 0 the "
            "method ends there, as in the paper.");
  table.add("evaluations", options.evaluations,
            base::between<std::int64_t>(1, 1'000'000'000'000'000), "rows",
            "At most this many rows' scores are computed: those of the steps, and all of the "
            "training part for the mean and the last iterate of each call. The last call is as "
            "long as what is left.");
  table.add_choice<Start>("start", options.start,
                          {{"last_mean", Start::last_mean}, {"zero", Start::zero}},
                          "With last_mean, a call of mirror descent starts at the mean of the call "
                          "before; with zero, it starts where the first one did, as in the paper.");
}

std::int64_t most_steps(const LevelSetOptions& options) {
  return std::max<std::int64_t>(1, options.evaluations / options.descent.batch);
}

double expected_steps(const LevelSetOptions& options, double begin, std::int64_t problems) {
  const auto calls = static_cast<double>(options.most_calls);  // of a problem
  // A call takes 1 / (2 theta) of the distance off.
  const double falls = begin > options.tolerance
                           ? std::round(base::log(options.tolerance / begin) /
                                        base::log1p(-0.5 / options.level_step))
                           : 0;
  auto length = static_cast<double>(options.descent.steps);
  const double falling = std::min(falls, calls * static_cast<double>(problems));  // calls
  double steps = falling * length;
  double problems_left = static_cast<double>(problems) - std::floor(falling / calls);
  double calls_left = calls - std::fmod(falling, calls);
  for (std::int64_t doubling = 0; problems_left >= 1; ++doubling) {
    steps += length;
    if (doubling == options.most_doublings) {
      steps += (problems_left - 1) * length;
      break;
    }
    length *= 2;
    if (--calls_left < 1) {
      --problems_left;
      calls_left = calls;
    }
  }
  return std::min(steps, static_cast<double>(most_steps(options)));
}

double expected_steps(const LevelSetOptions& options) {
  constexpr double begin = 0.256;  // of w = 0
  return expected_steps(options, begin, 1);
}

LevelSetResult level_set(const SurrogateProblem<LinearScores>& problem,
                         const LevelSetOptions& options, std::uint64_t seed,
                         const std::string& task_key, const solvers::Control& control,
                         const IterateWatch& watch) {
  check(options);
  check_problem(problem.surrogate, problem.kappa, problem.radius, problem.interval);
  LevelSearch<LinearScores> search(problem, options, {seed, task_key, "ranking/rows"},
                                   Ending::confirmed);
  if (control.resume) {
    solvers::Unpacker unpacker = unpacker_of(*control.resume, magic);
    search.unpack(unpacker);
  } else {
    search.begin(std::vector<double>(static_cast<std::size_t>(problem.rows.columns())), 0);
  }
  const auto state = [&] {
    solvers::Packer packer;
    packer.raw(magic);
    search.pack(packer);
    return packer.take();
  };
  solvers::Heartbeat heartbeat(control);
  const std::int64_t most = most_steps(options);
  while (!search.done()) {
    search.advance(watch);
    obey(heartbeat.ask([&] { return solvers::progress("step", search.steps(), most, "at most"); }),
         control, state);
  }
  return {search.best(),  search.has_improved(), search.stop(),
          search.calls(), search.steps(),        search.evaluations()};
}

}  // namespace fairfront::ranking
