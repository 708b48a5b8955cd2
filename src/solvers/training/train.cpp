#include "solvers/training/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "solvers/common/trace_packing.hpp"
#include "solvers/training/row_team.hpp"

namespace fairfront::training {
namespace {

using solvers::Request;

constexpr std::string_view magic = "fairfront training 1\n";
constexpr std::int64_t no_bound = std::numeric_limits<std::int64_t>::max();

/// The parts that have rows, with their names.
std::vector<std::pair<std::string, const Part*>> parts_of(const Problem& problem) {
  std::vector<std::pair<std::string, const Part*>> parts{{"train", &problem.train}};
  if (problem.validation.size() > 0) parts.emplace_back("validation", &problem.validation);
  if (problem.test.size() > 0) parts.emplace_back("test", &problem.test);
  return parts;
}

std::vector<std::string> series_of(const Problem& problem) {
  std::vector<std::string> names;
  for (const auto& [name, part] : parts_of(problem)) {
    names.push_back("loss_" + name);
    names.push_back("gap_" + name);
  }
  return names;
}

class Training {
 public:
  Training(const Problem& problem, Algorithm& algorithm, std::vector<double> start,
           const RunOptions& options, const solvers::Control& control)
      : problem_{problem},
        algorithm_{algorithm},
        options_{options},
        control_{control},
        watch_{.report = nullptr, .request = [this] { return wanted(); }},
        heart_{watch_},
        full_{problem, watch_,
              algorithm.recovers() ? any_mean_loss : greatest_mean_loss(problem.loss)},
        allowance_{options},
        w_{std::move(start)},
        recorder_{series_of(problem), counts()} {}

  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  TrainingResult run() {
    if (control_.resume) restore(*control_.resume);
    TrainingResult result;
    try {
      take_steps();
      result.w = output();
    } catch (const solvers::Interrupted&) {
      save();
      throw;
    } catch (const std::domain_error& error) {
      const std::string when =
          allowance_.iterations() > 0
              ? fmt::format("diverged after {} iterations", allowance_.iterations())
              : "no iteration could be made from the first weights";
      throw std::domain_error(
          fmt::format("{}: {}{}", when, error.what(), remark_on_large_features(problem_)));
    }
    result.iterations = allowance_.iterations();
    result.evaluations = allowance_.used();
    result.trace = std::move(recorder_).take();
    return result;
  }

 private:
  void take_steps() {
    if (recorder_.due(allowance_.used())) record();
    while (allowance_.may_step()) {
      if (heart_.ask() == Request::stop) throw solvers::Interrupted();
      if (problem_.team != nullptr) meet_team();
      if (checkpoint_is_due_) save();
      if (!algorithm_.step(w_, allowance_)) break;
      allowance_.count_step();
      if (recorder_.due(allowance_.used())) record();
    }
  }

  void meet_team() {
    const std::int64_t done = std::exchange(met_at_, allowance_.used());
    constexpr double products = 6;  // a weight and row, forward and back
    problem_.team->meet_after(products * static_cast<double>(allowance_.used() - done) *
                              static_cast<double>(problem_.parameters()));
    problem_.team->stop_point();
  }

  [[nodiscard]] std::vector<std::int64_t> counts() const {
    const double last = std::ceil(forecast(options_, algorithm_.mean_cost()));
    return solvers::evenly_spaced(std::max<std::int64_t>(1, static_cast<std::int64_t>(last)),
                                  options_.trace_points);
  }

  /// The result, made of the last iterate, which stays as it is for a checkpoint. Both are looked
  /// at on all rows whether there is a trajectory or not: a run that has diverged fails either way.
  std::vector<double> output() {
    const auto& steps = recorder_.trace().steps;
    if (options_.trace_points == 0) {
      (void)losses_at(w_);
    } else if (steps.back() < allowance_.used()) {
      record();
    }
    std::vector<double> w = w_;
    algorithm_.finish(w);
    if (w != w_) (void)losses_at(w);
    return w;
  }

  void record() {
    std::vector<double> values;
    try {
      values = losses_at(w_);
    } catch (const std::domain_error&) {
      if (!algorithm_.recovers()) throw;
      values.assign(recorder_.trace().names.size(), std::numeric_limits<double>::quiet_NaN());
    }
    recorder_.record(allowance_.used(), values);
  }

  /// Loss and gap of every part. @throws std::domain_error  the run has diverged.
  std::vector<double> losses_at(std::span<const double> w) {
    if (!std::ranges::all_of(w, [](double value) { return std::isfinite(value); })) {
      throw std::domain_error("a weight is not finite");
    }
    std::vector<double> values;
    for (const auto& [name, part] : parts_of(problem_)) {
      const PartLosses found = full_.losses(*part, w);
      values.push_back(found.loss);
      values.push_back(problem_.constraints.unfairness(found.cells, found.gaps));
    }
    return values;
  }

  /// Reports, and keeps the wish for a checkpoint until a step is done.
  Request wanted() {
    control_.tell({allowance_.fraction(), fmt::format("iteration {}", allowance_.iterations())});
    const Request now = control_.wanted();
    if (now == Request::checkpoint) checkpoint_is_due_ = true;
    return now;
  }

  void save() {
    checkpoint_is_due_ = false;
    if (control_.save) control_.save(pack());
  }

  [[nodiscard]] std::string pack() const {
    solvers::Packer packer;
    packer.raw(magic);
    packer.array(std::span<const double>(w_));
    allowance_.pack(packer);
    solvers::pack(packer, recorder_.trace());
    algorithm_.pack(packer);
    return packer.take();
  }

  void restore(const std::string& state) {
    solvers::Unpacker unpacker(state);
    if (unpacker.raw(magic.size()) != magic) {
      throw base::CheckpointError("a checkpoint is not one of training");
    }
    auto w = unpacker.array<std::vector<double>>();
    if (w.size() != w_.size()) throw base::CheckpointError("a checkpoint has another network");
    w_ = std::move(w);
    allowance_.unpack(unpacker);
    solvers::unpack(unpacker, recorder_);
    algorithm_.unpack(unpacker);
    if (!unpacker.at_end()) throw base::CheckpointError("a checkpoint has more than it should");
  }

  const Problem& problem_;
  Algorithm& algorithm_;
  const RunOptions& options_;
  const solvers::Control& control_;
  solvers::Control watch_;  ///< of steps and of evaluations of whole parts
  bool checkpoint_is_due_ = false;
  std::int64_t met_at_ = 0;  ///< evaluations when ranks of a team last were asked to meet
  solvers::Heartbeat heart_;
  FullData full_;
  Allowance allowance_;
  std::vector<double> w_;
  solvers::Recorder recorder_;
};

}  // namespace

void add_options(base::OptionTable& table, RunOptions& options) {
  table.add("budget", options.budget, base::at_least<std::int64_t>(0), "evaluations",
            "A run may spend this: every row whose loss a step looks at counts once, with or "
            "without its gradient. With 0 there is no bound.");
  table.add("iterations", options.iterations, base::at_least<std::int64_t>(0), "",
            "A run takes at most this many steps; with 0 there is no bound.");
  table.add("trace_points", options.trace_points, base::between<std::int64_t>(0, 100'000), "",
            "The trajectory of losses and gaps on whole parts has this many points; they are not "
            "part of the budget.");
  table.assign_role(base::Role::setting, {"budget", "iterations", "trace_points"});
}

void validate(const RunOptions& options) {
  if (options.budget == 0 && options.iterations == 0) {
    throw std::invalid_argument("budget = 0 and iterations = 0: one of them must bound the run");
  }
}

Allowance::Allowance(const RunOptions& options)
    : budget_{options.budget == 0 ? no_bound : options.budget},
      bounded_{options.budget > 0},
      most_{options.iterations} {
  validate(options);
}

double Allowance::fraction() const {
  double fraction = 0;
  if (bounded_) {
    fraction = static_cast<double>(used()) / static_cast<double>(used() + budget_.left());
  }
  if (most_ > 0) {
    fraction = std::max(fraction, static_cast<double>(iterations_) / static_cast<double>(most_));
  }
  return fraction;
}

void Allowance::pack(solvers::Packer& packer) const {
  packer.number(budget_.used());
  packer.number(iterations_);
}

void Allowance::unpack(solvers::Unpacker& unpacker) {
  const auto used = unpacker.number<std::int64_t>();
  iterations_ = unpacker.number<std::int64_t>();
  if (used < 0 || iterations_ < 0 || (most_ > 0 && iterations_ > most_) || !budget_.spend(used)) {
    throw base::CheckpointError("a checkpoint has spent more than it may");
  }
}

double forecast(const RunOptions& options, double mean_cost) {
  double evaluations = std::numeric_limits<double>::infinity();
  if (options.budget > 0) evaluations = static_cast<double>(options.budget);
  if (options.iterations > 0) {
    evaluations = std::min(evaluations, mean_cost * static_cast<double>(options.iterations));
  }
  return std::min(evaluations, 1e18);
}

TrainingResult train(const Problem& problem, Algorithm& algorithm, std::vector<double> start,
                     const RunOptions& options, const solvers::Control& control) {
  validate(options);
  if (start.size() != problem.parameters()) {
    throw std::invalid_argument("train: start must have one value per weight");
  }
  return Training(problem, algorithm, std::move(start), options, control).run();
}

}  // namespace fairfront::training
