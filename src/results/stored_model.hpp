/// @file
/// The fitted models of an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/fitted_model.hpp"
#include "results/content.hpp"

namespace fairfront::results {

/// Vectors by the name of the solution that they are.
using ModelNumbers = std::map<std::string, std::vector<std::vector<double>>>;

/// A model and all that it is made of.
struct StoredModel {
  std::unique_ptr<const models::SharedFit> shared;
  models::ModelText text;
  ModelNumbers numbers;  ///< those that the model reads
  std::unique_ptr<models::FittedModel> model;
};

/// @throws base::DamagedError  the parts do not fit.
[[nodiscard]] StoredModel assemble(models::SharedFit shared, models::ModelText text,
                                   const models::NamedNumbers& numbers);

/// Names of what `predict` says of every row: the model's outputs, and a target in its own unit.
[[nodiscard]] std::vector<std::string> said_of_row(const StoredModel& stored);

/// Whether the task's measures are of another model than any point of its front: of a method that
/// selects its front among iterates. Of a done task.
/// @throws base::DamagedError  no text of a model.
[[nodiscard]] bool has_points_apart(const Content& content, std::size_t task);

/// Whether the task's measures are of the model of its front's point, which is then the only one.
/// Of a done task; one that has no model has measures of what it found.
/// @throws base::DamagedError  no text of a model.
[[nodiscard]] bool measures_are_of_point(const Content& content, std::size_t task);

/// Whether model_of() needs no point: what the task's measures are of has a name of its own, or its
/// front has one point at most. Of a done task that has a model.
/// @throws base::DamagedError  no text of a model.
[[nodiscard]] bool has_one_model(const Content& content, std::int64_t task);

/// Of methods that find a randomised classifier and its best single one: which of them.
enum class Form { single, randomised };

/// The model of a task, or of one point of its front.
/// @param point  counted within the task's front; nothing: what the task's measures are of, or else
///               the front's only point.
/// @throws base::InputError  no such task or point, it is not done or has no model, it has one for
///         each point and none is chosen, or no randomised one.
/// @throws base::DamagedError  the model does not fit the archive.
[[nodiscard]] StoredModel model_of(const Content& content, std::int64_t task,
                                   std::optional<std::int64_t> point = {},
                                   Form form = Form::single);

}  // namespace fairfront::results
