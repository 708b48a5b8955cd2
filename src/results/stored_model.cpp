#include "results/stored_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace fairfront::results {
namespace {

using models::ModelText;
using Vectors = std::vector<std::vector<double>>;

/// What names the weights of points where they are not those of what was measured.
constexpr const char* of_points = "weights_of_point";

/// All vectors that a task has under a name.
Vectors vectors_of(const Content& content, std::int64_t task, const std::string& name) {
  Vectors all;
  const auto column = std::ranges::find_if(
      content.solutions, [&](const Solutions& solutions) { return solutions.what.name == name; });
  if (column == content.solutions.end()) return all;
  for (std::size_t s = 0; s < column->task.size(); ++s) {
    if (column->task[s] != task) continue;
    std::visit(
        [&](const auto& values) {
          all.emplace_back(values.begin() + column->offsets[s],
                           values.begin() + column->offsets[s + 1]);
        },
        column->values);
  }
  return all;
}

/// Of the front of a task.
std::int64_t points_of(const Content& content, std::size_t task) {
  for (const FrontGroup& group : content.fronts) {
    if (group.name == content.tasks.method[task])
      return group.offsets[task + 1] - group.offsets[task];
  }
  return 0;
}

std::int64_t chosen_point(std::int64_t points, std::optional<std::int64_t> point,
                          std::int64_t task) {
  if (!point && points == 1) return 0;
  if (!point) {
    throw base::InputError(fmt::format(
        "task {} has a model for each of {} points of its front: choose one by --point, counted "
        "from 0",
        task, points));
  }
  if (*point >= 0 && *point < points) return *point;
  throw base::InputError(
      fmt::format("the front of task {} has {} points: point {} is none, counted "
                  "from 0",
                  task, points, *point));
}

ModelText text_of_task(const Content& content, std::int64_t task) {
  const std::int64_t tasks = std::ssize(content.tasks.key);
  if (task < 0 || task >= tasks) {
    throw base::InputError(fmt::format("there is no task {}, only 0 .. {}", task, tasks - 1));
  }
  const auto row = static_cast<std::size_t>(task);
  if (content.tasks.status[row] != TaskStatus::done) {
    throw base::InputError(fmt::format("task {} is not done: it has no model", task));
  }
  if (content.tasks.model[row].empty()) {
    throw base::InputError(
        fmt::format("task {} has no model: [{}] of the experiment {} leaves none", task,
                    content.tasks.method[row], content.experiment));
  }
  return ModelText::parse(content.tasks.model[row]);
}

models::SharedFit shared_of(const Content& content, const ModelText& text) {
  const auto found =
      std::ranges::find(content.datasets, text.at("data"), &data::Provenance::digest);
  if (found == content.datasets.end()) {
    throw base::DamagedError("a model is of a data set that the archive does not name");
  }
  return models::shared_fit_of(found->fitted);
}

}  // namespace

StoredModel assemble(models::SharedFit shared, ModelText text,
                     const models::NamedNumbers& numbers) {
  StoredModel stored{
      std::make_unique<const models::SharedFit>(std::move(shared)), std::move(text), {}, nullptr};
  stored.model = models::make_model(*stored.shared, stored.text, [&](const std::string& name) {
    return stored.numbers[name] = numbers(name);
  });
  return stored;
}

std::vector<std::string> said_of_row(const StoredModel& stored) {
  std::vector<std::string> names = stored.model->outputs();
  if (models::target_unit_of(*stored.shared)) names.emplace_back("prediction_in_own_unit");
  return names;
}

bool has_points_apart(const Content& content, std::size_t task) {
  const std::string& model = content.tasks.model[task];
  return !model.empty() && ModelText::parse(model).has(of_points);
}

bool measures_are_of_point(const Content& content, std::size_t task) {
  return points_of(content, task) == 1 && !has_points_apart(content, task);
}

bool has_one_model(const Content& content, std::int64_t task) {
  return points_of(content, static_cast<std::size_t>(task)) < 2 ||
         text_of_task(content, task).has(of_points);
}

StoredModel model_of(const Content& content, std::int64_t task, std::optional<std::int64_t> point,
                     Form form) {
  ModelText text = text_of_task(content, task);
  if (form == Form::randomised) text = models::randomised(text);
  const std::int64_t points = points_of(content, static_cast<std::size_t>(task));
  // What was measured may be none of the points, and then has another name. Solutions with a vector
  // for each point are of these.
  if (point && text.has(of_points)) text.options["weights"] = text.at(of_points);
  const auto numbers = [&](const std::string& name) {
    Vectors all = vectors_of(content, task, name);
    if (points < 2 || std::ssize(all) != points) return all;
    const auto place = static_cast<std::size_t>(chosen_point(points, point, task));
    return Vectors{std::move(all[place])};
  };
  if (point) (void)chosen_point(points, point, task);
  models::SharedFit shared = shared_of(content, text);
  return assemble(std::move(shared), std::move(text), numbers);
}

}  // namespace fairfront::results
