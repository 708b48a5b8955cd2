/// @file
/// The fitted models of an archive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "models/fitted_model.hpp"
#include "results/content.hpp"

namespace fairfront::results {

/// A model and what it refers to.
struct StoredModel {
  std::unique_ptr<const models::SharedFit> shared;
  std::unique_ptr<models::FittedModel> model;
};

/// The model of a task, or of one point of its front.
/// @param point  counted within the task's front; nothing: what the task's measures are of, or else
///               the front's only point.
/// @throws base::InputError  no such task or point, it is not done or has no model, or it has one
///         for each point and none is chosen.
/// @throws base::DamagedError  the model does not fit the archive.
[[nodiscard]] StoredModel model_of(const Content& content, std::int64_t task,
                                   std::optional<std::int64_t> point = {});

}  // namespace fairfront::results
