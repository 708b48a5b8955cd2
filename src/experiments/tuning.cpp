#include "experiments/tuning.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::experiments {
namespace {

constexpr std::string_view magic = "fairfront trials 1";

std::string key_of(const sweep::Task& trial, const std::string& tuned) {
  base::Sha256 hash;
  hash.add_text("trial");
  hash.add_text(trial.method);
  for (const auto& [name, value] : trial.values) {  // a map: sorted by name
    if (name == tuned) continue;
    hash.add_text(name);
    hash.add_text(value);
  }
  return hash.finish();
}

}  // namespace

std::vector<sweep::Task> trials_of(const std::optional<Tuning>& tuning, const sweep::Task& task) {
  if (!tuning) return {};
  std::vector<sweep::Task> trials = tuning->trials(task);
  for (sweep::Task& trial : trials) trial.key = key_of(trial, task.method + "." + tuning->option);
  return trials;
}

double score_of(const Tuning& tuning, const std::function<sweep::TaskResult()>& run) {
  try {
    return tuning.score(run());
  } catch (const std::domain_error&) {  // the value does not suit the method
    return std::numeric_limits<double>::quiet_NaN();
  }
}

std::size_t best_of(const Tuning& tuning, const std::vector<double>& scores) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) continue;
    if (!best || scores[i] > scores[*best]) best = i;
  }
  if (best) return *best;
  throw std::domain_error(fmt::format(
      "with none of the values that are tried for `{}` the iterates stay finite", tuning.option));
}

sweep::Columns tuning_columns(const std::string& option, const std::string& score_definition) {
  return {
      .metrics = {{option + "_used",
                   fmt::format("the value of `{}` that the trials chose; missing without "
                               "trials",
                               option),
                   "", base::Direction::none, ""}},
      .series = {{{"trial_score", score_definition, "", base::Direction::maximise, ""}, "trial"}}};
}

void add_tuning(sweep::TaskResult& result, const Tuning& tuning, const std::string& value,
                const std::vector<double>& scores) {
  result.metrics[tuning.option + "_used"] = base::parse_double(value).value();
  results::Trajectory& series = result.series["trial_score"];
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) continue;
    series.steps.push_back(static_cast<std::int64_t>(i));
    series.values.push_back(scores[i]);
  }
}

TrialStages::TrialStages(const solvers::Control& control, std::size_t trials)
    : control_{control}, trials_{trials} {
  if (!control.resume) return;
  solvers::Unpacker unpacker(*control.resume);
  if (unpacker.raw(magic.size()) != magic) {
    throw base::CheckpointError("the checkpoint is of a run without trials");
  }
  scores_ = unpacker.array<std::vector<double>>();
  state_ = unpacker.array<std::string>();
  if (scores_.size() > trials || !unpacker.at_end()) {
    throw base::CheckpointError("the checkpoint is of other trials");
  }
  resumed_ = scores_.size();
}

solvers::Control TrialStages::control() const {
  const std::size_t stage = scores_.size();
  solvers::Control inner = control_;
  inner.resume.reset();
  if (resumed_ == stage) inner.resume = state_;
  if (control_.save) {
    inner.save = [this](const std::string& state) {
      solvers::Packer packer;
      packer.raw(magic);
      packer.array(std::span(scores_));
      packer.array(std::span(state));
      control_.save(packer.take());
    };
  }
  if (control_.report && stage < trials_) {
    inner.report = [this, stage](const solvers::Progress& now) {
      const auto all = static_cast<double>(trials_ + 1);
      control_.report({(static_cast<double>(stage) + now.fraction) / all,
                       fmt::format("trial {}/{}, {}", stage + 1, trials_, now.text)});
    };
  } else if (control_.report) {
    inner.report = [this](const solvers::Progress& now) {
      const auto all = static_cast<double>(trials_ + 1);
      control_.report({(static_cast<double>(trials_) + now.fraction) / all, now.text});
    };
  }
  return inner;
}

}  // namespace fairfront::experiments
