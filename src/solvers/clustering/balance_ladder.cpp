#include "solvers/clustering/balance_ladder.hpp"

#include <optional>

#include "base/random.hpp"
#include "solvers/clustering/crew.hpp"
#include "solvers/clustering/ladder_run.hpp"
#include "solvers/clustering/point_sample.hpp"
#include "solvers/clustering/sampled_ladder.hpp"

namespace fairfront::clustering {
namespace {

std::optional<Problem> sample_for(const Problem& problem, const BalanceLadderOptions& options,
                                  std::uint64_t seed, const std::string& task_key) {
  if (!is_shared(problem, options)) return std::nullopt;
  base::Stream stream(base::StreamKey(seed, task_key, "balance_ladder/sample"), 0);
  return sample_of(problem, sample_size(problem, options.sample), stream);
}

BalanceLadderResult run(const Crew& crew, const Problem& problem,
                        const BalanceLadderOptions& wanted, std::uint64_t seed,
                        const std::string& task_key, const solvers::Control& control) {
  std::optional<Problem> sample;
  BalanceLadderOptions options;
  crew.work_to_the_end([&] {
    validate_for(problem, wanted);
    options = budget_of(problem, wanted);
    sample = sample_for(problem, options, seed, task_key);
  });
  if (sample) return sampled_ladder(crew, problem, *sample, options, seed, task_key, control);
  BalanceLadderResult result;
  crew.work_to_the_end([&] {
    if (!crew.is_root()) return;  // one chain of steps: nothing to share
    result = with_label_type(problem, [&]<class Label>(Label) {
      LadderRun<Label> ladder(problem, options, options.refinements, {.passes = options.passes}, 0,
                              seed, task_key, control);
      ladder.take_up();
      ladder.run();
      return ladder.take_result();
    });
  });
  return result;
}

}  // namespace

bool is_shared(const Problem& problem, const BalanceLadderOptions& options) {
  return options.sample > 0 && sample_size(problem, options.sample) > 0;
}

BalanceLadderResult balance_ladder(const Problem& problem, const BalanceLadderOptions& options,
                                   std::uint64_t seed, const std::string& task_key,
                                   const solvers::Control& control) {
  return run(Crew(nullptr), problem, options, seed, task_key, control);
}

BalanceLadderResult balance_ladder(const parallel::Comm& team, const Problem& problem,
                                   const BalanceLadderOptions& options, std::uint64_t seed,
                                   const std::string& task_key, const solvers::Control& control) {
  return run(Crew(&team), problem, options, seed, task_key, control);
}

}  // namespace fairfront::clustering
