#include "experiments/ranking_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/stop.hpp"
#include "base/text.hpp"
#include "experiments/measured.hpp"
#include "experiments/ranking_results.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using sweep::TaskResult;

bool covers(const AucAndGap& a, const AucAndGap& b) { return a.auc >= b.auc && a.gap <= b.gap; }

constexpr std::array reference{0.5, 1.0};  ///< AUC, gap

/// Fitted models of the points, and of what was measured.
void name_models(TaskResult& result, models::ModelText text) {
  const auto points = result.solutions.find("weights");
  const auto measured = result.solutions.find("measured");
  if (points == result.solutions.end()) return;
  text.options["weights"] = "weights";
  if (measured != result.solutions.end() && points->second != measured->second) {
    text.options["weights"] = "measured";
    text.options["weights_of_point"] = "weights";
  } else {
    result.solutions.erase("measured");
  }
  result.model = text.text();
}

}  // namespace

void SelectedModels::look(std::span<const double> solution) {
  const RankingPart& part = problem_.validation;
  add(auc_and_gap(problem_, part, scores_(part, solution)), solution);
}

void SelectedModels::add(const AucAndGap& of_validation, std::span<const double> solution,
                         const std::optional<AucAndGap>& of_test) {
  const auto better = [&](const Model& model) { return covers(model.value, of_validation); };
  if (std::ranges::any_of(models_, better)) return;
  std::erase_if(models_, [&](const Model& model) { return covers(of_validation, model.value); });
  models_.push_back({of_validation, {solution.begin(), solution.end()}, of_test});
}

AucAndGap SelectedModels::on_test(const Model& model) const {
  const RankingPart& part = problem_.test;
  return model.of_test ? *model.of_test
                       : auc_and_gap(problem_, part, scores_(part, model.solution));
}

pareto::Front SelectedModels::front() const {
  pareto::Points points(2);
  for (std::size_t i = 0; i < models_.size(); ++i) {
    points.add(std::array{-models_[i].value.auc, models_[i].value.gap}, i);
  }
  pareto::Front front(points);
  const auto most = static_cast<std::size_t>(problem_.options.front_points);
  return front.size() > most ? front.subset(pareto::thin(front, most).kept) : front;
}

const SelectedModels::Model* SelectedModels::best_within(double level) const {
  const Model* best = nullptr;
  for (const Model& model : models_) {
    if (model.value.gap > level) continue;
    if (best == nullptr || model.value.auc > best->value.auc) best = &model;
  }
  return best;
}

void SelectedModels::put_into(TaskResult& result) const {
  const pareto::Front kept = front();
  for (const std::uint64_t origin : kept.points().origins()) {
    base::stop_point();
    const Model& model = models_[origin];
    const AucAndGap of_test = on_test(model);
    result.front.points.insert(result.front.points.end(), {model.value.auc, model.value.gap});
    // Without both labels on the test part nothing is reported.
    if (!std::isnan(of_test.auc)) {
      result.front.report.insert(result.front.report.end(), {of_test.auc, of_test.gap});
    }
    result.solutions["weights"].emplace_back(model.solution);
  }
  result.front.reference = {reference.begin(), reference.end()};
  result.front.hypervolume = pareto::hypervolume(kept, std::array{-reference[0], reference[1]});
  result.metrics["front_size"] = static_cast<double>(kept.size());
  name_models(result, scores_.text);
}

void SelectedModels::put_best(TaskResult& result, double level) const {
  const Model* best = best_within(level);
  result.metrics["feasible"] = best == nullptr ? 0 : 1;
  if (best == nullptr) {
    if (models_.empty()) return;  // the method says why
    const auto gap = [](const Model& model) { return model.value.gap; };
    add_remark(
        result,
        fmt::format("no model that was looked at keeps bound = {} on the validation part, so "
                    "that there is no best_auc: the least gap seen is {:.4g}",
                    base::format_double(level), gap(*std::ranges::min_element(models_, {}, gap))));
    return;
  }
  const AucAndGap of_test = on_test(*best);
  add_value(result, "best_auc", "validation", best->value.auc);
  add_value(result, "best_gap", "validation", best->value.gap);
  add_value(result, "best_auc", "test", of_test.auc);
  add_value(result, "best_gap", "test", of_test.gap);
}

std::span<const double> SelectedModels::nearest_to_level(double level) const {
  const Model* best = best_within(level);
  const auto gap = [](const Model& model) { return model.value.gap; };
  return best != nullptr ? best->solution : std::ranges::min_element(models_, {}, gap)->solution;
}

TaskResult SelectedModels::of_trial(double level) const {
  TaskResult result;
  const pareto::Front kept = front();
  for (const std::uint64_t origin : kept.points().origins()) {
    const AucAndGap& value = models_[origin].value;
    result.front.points.insert(result.front.points.end(), {value.auc, value.gap});
  }
  const Model* best = best_within(level);
  result.metrics["feasible"] = best == nullptr ? 0 : 1;
  if (best != nullptr) add_value(result, "best_auc", "validation", best->value.auc);
  return result;
}

void SelectedModels::pack(solvers::Packer& packer) const {
  packer.number(static_cast<std::uint64_t>(models_.size()));
  for (const Model& model : models_) {
    packer.number(model.value);
    packer.array(std::span(model.solution));
  }
}

void SelectedModels::unpack(solvers::Unpacker& unpacker) {
  models_.clear();
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
    const auto value = unpacker.number<AucAndGap>();
    models_.push_back({value, unpacker.array<std::vector<double>>()});
  }
}

IterateLooks::IterateLooks(SelectedModels& selected, std::int64_t every,
                           const solvers::Control& control)
    : watch_{every, [&selected](std::int64_t, std::span<const double> w) { selected.look(w); }},
      control_{control} {
  if (control.save) {
    control_.save = [&selected, &control](const std::string& state) {
      solvers::Packer packer;
      packer.array(std::span(state));
      selected.pack(packer);
      control.save(packer.take());
    };
  }
  if (control.resume) {
    solvers::Unpacker unpacker(*control.resume);
    control_.resume = unpacker.array<std::string>();
    selected.unpack(unpacker);
  }
}

sweep::Columns front_columns() {
  sweep::Columns columns;
  columns.metrics.push_back(
      {"front_size", "models of the front, after thinning", "", Direction::none, ""});
  columns.solutions = {
      {"weights",
       "w of each front point: the score is w^T (x - mean of the training rows); of a network "
       "its layers, matrix before biases; [score_postprocessing] adds factor and shift",
       "", Direction::none, "Yao, Lin, Yang (2023)"},
      {"measured",
       "the same of the model that the measures are of; missing where it is the front's only point",
       "", Direction::none, ""}};
  return columns;
}

sweep::Columns best_columns() {
  return {.metrics = {{"feasible",
                       "1: a model was seen whose gap on the validation part is at most `bound`; "
                       "0: none was",
                       "", Direction::none, ""}},
          .measures = {{{"best_auc",
                         "AUC of the model with the largest one on the validation part among those "
                         "with a gap up to `bound` there; missing if there is none",
                         "probability", Direction::maximise, ""},
                        {"validation", "test"}},
                       {{"best_gap", "gap of that model", "probability", Direction::minimise, ""},
                        {"validation", "test"}}}};
}

void add_level(base::OptionTable& table, double& level) {
  table.add("bound", level, base::between(0.0, 1.0), "probability",
            "The columns best_* are of the best model within this bound of the gap on the "
            "validation part. The front holds the best model of every level that the run has seen, "
            "so that one run serves all levels.");
  table.formerly("bound", "level");
  table.assign_role(base::Role::trade_off, {"bound"});
}

}  // namespace fairfront::experiments
