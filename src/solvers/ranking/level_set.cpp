#include "solvers/ranking/level_set.hpp"

#include <string_view>

#include "solvers/ranking/level_search.hpp"

namespace fairfront::ranking {
namespace {

constexpr std::string_view magic = "fairfront sfls 2";

void check(const LevelSetOptions& options) {
  LevelSetOptions copy = options;
  base::OptionTable table("LevelSetOptions");
  add_options(table, copy);
  table.check();
}

}  // namespace

void add_options(base::OptionTable& table, MirrorDescentOptions& options) {
  table.add("step", options.step, base::above(0.0), "",
            "c: step t of mirror descent has the length c / sqrt(t + 1).");
  table.add("dual_step", options.dual_step, base::above(0.0), "",
            "Length of a dual step over that of a primal one, in units of the constant C.");
  table.add("steps", options.steps, base::between<std::int64_t>(1, 1'000'000'000), "",
            "T: steps of each call of mirror descent.");
  table.add("batch", options.batch, base::between<std::int64_t>(1, 1'000'000), "rows",
            "Rows of a step.");
  table.add_choice<RowOrder>(
      "rows", options.rows,
      {{"drawn", RowOrder::drawn}, {"shuffled", RowOrder::shuffled}, {"file", RowOrder::file}},
      "How rows come: drawn with replacement; or online, with the shares of labels and groups as "
      "counted so far, each once in a random order or in that of the data, then again.");
  table.assign_role(base::Role::tuning, {"step", "dual_step"});
}

void add_options(base::OptionTable& table, LevelSetOptions& options) {
  add_options(table, options.descent);
  table.add("level_step", options.level_step, base::at_least(1.0), "",
            "theta: the level is lowered by |U| / (2 theta).");
  table.add("tolerance", options.tolerance, base::above(0.0), "",
            "The method ends when the upper bound U is at least minus this.");
  table.add("most_calls", options.most_calls, base::between<std::int64_t>(1, 100'000), "",
            "Calls of mirror descent, at most.");
  table.add_choice<Start>("start", options.start,
                          {{"last_mean", Start::last_mean}, {"zero", Start::zero}},
                          "Where a call of mirror descent starts: at the mean of the call before, "
                          "or where the first one did, as in the paper.");
}

LevelSetResult level_set(const SurrogateProblem<LinearScores>& problem,
                         const LevelSetOptions& options, std::uint64_t seed,
                         const std::string& task_key, const solvers::Control& control,
                         const IterateWatch& watch) {
  check(options);
  check_problem(problem.surrogate, problem.kappa, problem.radius, problem.interval);
  LevelSearch<LinearScores> search(problem, options, {seed, task_key, "ranking/rows"});
  const Primal zero(static_cast<std::size_t>(problem.rows.columns()), problem.pairs.size());
  if (control.resume) {
    solvers::Unpacker unpacker = unpacker_of(*control.resume, magic);
    search.unpack(unpacker);
  } else {
    search.begin(zero, problem.surrogate.at_zero(), 0);
  }
  const auto state = [&] {
    solvers::Packer packer;
    packer.raw(magic);
    search.pack(packer);
    return packer.take();
  };
  solvers::Heartbeat heartbeat(control);
  const std::int64_t most = options.descent.steps * options.most_calls;
  while (!search.done()) {
    search.advance(watch);
    obey(heartbeat.ask([&] { return solvers::progress("step", search.steps(), most, "at most"); }),
         control, state);
  }
  return {search.best().w, search.stop(), search.calls(), search.steps()};
}

}  // namespace fairfront::ranking
