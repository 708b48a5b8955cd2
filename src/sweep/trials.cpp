#include "sweep/trials.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/stop.hpp"
#include "solvers/common/packing.hpp"
#include "sweep/packed_text.hpp"

namespace fairfront::sweep {
namespace {

using solvers::Packer;
using solvers::Unpacker;

constexpr std::string_view magic = "fairfront trial 1";

/// What a checkpoint holds.
struct TrialState {
  std::optional<double> score{};  ///< the trial is done
  std::string of_run{};
};

std::string pack(const TrialState& state) {
  Packer packer;
  packer.raw(magic);
  packer.number(static_cast<std::uint8_t>(state.score ? 1 : 0));
  packer.number(state.score.value_or(0));
  put_text(packer, state.of_run);
  return packer.take();
}

TrialState unpack_state(const std::string& bytes) {
  Unpacker unpacker(bytes);
  if (unpacker.raw(magic.size()) != magic) {
    throw base::CheckpointError("the checkpoint is not that of a trial");
  }
  const bool done = unpacker.number<std::uint8_t>() != 0;
  const auto score = unpacker.number<double>();
  TrialState state{.of_run = unpacker.array<std::string>()};
  if (done) state.score = score;
  if (!unpacker.at_end()) throw base::CheckpointError("the checkpoint is too long");
  return state;
}

std::string pack(const TrialOutcomes& outcomes) {
  Packer packer;
  for (const auto& [address, outcome] : outcomes) {
    put_text(packer, address);
    packer.number(outcome.score);
    packer.number(static_cast<std::uint8_t>(outcome.failure ? 1 : 0));
    put_text(packer, outcome.failure.value_or(""));
  }
  return packer.take();
}

void unpack_into(TrialOutcomes& outcomes, const std::string& bytes) {
  Unpacker unpacker(bytes);
  while (!unpacker.at_end()) {
    TrialOutcome& outcome = outcomes[unpacker.array<std::string>()];
    outcome.score = unpacker.number<double>();
    const bool failed = unpacker.number<std::uint8_t>() != 0;
    auto message = unpacker.array<std::string>();
    if (failed) outcome.failure = std::move(message);
  }
}

/// All that the ranks have found, on every rank. Collective.
TrialOutcomes share_outcomes(const parallel::Comm& world, const TrialOutcomes& mine) {
  TrialOutcomes all;
  const auto texts = parallel::broadcast(world, 0, parallel::gather(world, pack(mine)));
  for (const std::string& bytes : texts) unpack_into(all, bytes);
  return all;
}

}  // namespace

std::string address_of(const Task& trial) {
  base::Sha256 hash;
  hash.add_text("trial of a sweep");
  hash.add_text(trial.method);
  for (const auto& [name, value] : trial.values) {  // a map: sorted by name
    hash.add_text(name);
    hash.add_text(value);
  }
  return hash.finish();
}

std::vector<PlannedTrial> planned_trials(const Experiment& experiment, const Plan& plan,
                                         std::span<const std::int64_t> tasks,
                                         const TrialOutcomes& known) {
  std::vector<PlannedTrial> planned;
  std::unordered_set<std::string> named;
  std::map<std::string, std::unordered_set<std::int64_t>> asked;  // a million seeds ask once
  TaskWalk walk(plan);
  for (const std::int64_t task : tasks) {
    base::stop_point();
    const Task& needing = walk.task(task);
    if (!asked[needing.method].insert(plan.place_without_seed(task)).second) continue;
    const std::vector<Task> trials = experiment.trials(needing, known);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const std::string address = address_of(trials[i]);
      if (known.contains(address) || !named.insert(address).second) continue;
      planned.push_back({task, static_cast<std::int64_t>(i)});
    }
  }
  return planned;
}

std::vector<PlannedTrial> with_probes_first(
    std::vector<PlannedTrial> trials,
    const std::function<std::int64_t(std::int64_t task)>& kind_of) {
  std::map<std::int64_t, std::vector<std::size_t>> of_kinds;
  for (std::size_t i = 0; i < trials.size(); ++i) of_kinds[kind_of(trials[i].task)].push_back(i);
  std::vector<bool> is_probe(trials.size(), false);
  std::vector<PlannedTrial> ordered;
  for (const auto& [kind, places] : of_kinds) {
    const std::size_t middle = places[places.size() / 2];
    is_probe[middle] = true;
    ordered.push_back(trials[middle]);
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!is_probe[i]) ordered.push_back(trials[i]);
  }
  return ordered;
}

std::vector<PlannedTrial> share_trials(const parallel::Comm& world,
                                       const std::vector<PlannedTrial>& trials) {
  Packer packer;
  packer.array(std::span(trials));
  const std::string bytes = parallel::broadcast(world, 0, packer.take());
  return Unpacker(bytes).array<std::vector<PlannedTrial>>();
}

double score_of_trial(const Experiment& experiment, const parallel::Comm& team, const Task& trial,
                      const RunContext& context) {
  TrialState kept;
  RunContext of_run = context;
  if (context.load_checkpoint) {
    const std::optional<std::string> bytes = context.load_checkpoint();
    if (bytes) kept = unpack_state(*bytes);
    if (kept.score) return *kept.score;
    of_run.load_checkpoint = [&kept, found = bytes.has_value()] {
      return found ? std::optional(kept.of_run) : std::nullopt;
    };
  }
  if (context.save_checkpoint) {
    of_run.save_checkpoint = [&context](const std::string& state) {
      context.save_checkpoint(pack(TrialState{.of_run = state}));
    };
  }
  const double score = experiment.score(team, trial, of_run);
  if (context.save_checkpoint) context.save_checkpoint(pack(TrialState{.score = score}));
  return score;
}

std::optional<std::int64_t> TrialSource::next(const parallel::Finished& finished) {
  time_left_.end(finished);
  if (next_ >= costs_.size()) return std::nullopt;
  const auto place = static_cast<std::int64_t>(next_);
  time_left_.begin(place, costs_[next_++]);
  return place;
}

void TrialSource::withdraw(const parallel::Finished& /*finished*/) { next_ = costs_.size(); }

TrialOutcomes make_trials(const parallel::Comm& world, parallel::TaskSource* source,
                          const std::function<bool()>& stop_wanted,
                          const std::function<bool(std::size_t place, parallel::TaskQueue& queue,
                                                   TrialOutcomes& outcomes)>& make) {
  using Clock = std::chrono::steady_clock;
  TrialOutcomes mine;
  parallel::TaskQueue queue(world, source, world.size());
  parallel::Finished last;
  while (const std::optional<std::int64_t> place = queue.claim(last)) {
    const Clock::time_point begin = Clock::now();
    if (stop_wanted() || !make(static_cast<std::size_t>(*place), queue, mine)) {
      queue.withdraw();
      break;
    }
    last = {*place, std::chrono::duration<double>(Clock::now() - begin).count()};
  }
  queue.finish();
  return share_outcomes(world, mine);
}

}  // namespace fairfront::sweep
