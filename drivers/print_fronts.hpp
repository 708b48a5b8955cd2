/// @file
/// Fronts as text: of one task, and of all tasks along the trade-off axes together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "print_archive.hpp"
#include "results/content.hpp"
#include "results/proven_bounds.hpp"

namespace fairfront::drivers {

/// What is known of all fronts of an archive together.
struct FrontFacts {
  std::vector<results::ProvenBound> bounds;
  /// By task, the part on which it decides and its hypervolume is measured, such as "all rows"; ""
  /// where it has no such option, and of all tasks where the part is the same.
  std::vector<std::string> parts;
};
[[nodiscard]] FrontFacts front_facts(const results::Content& content);

/// Nothing where the task has no points in the group.
/// @param marked  a point that is shown in any case, and told from the others.
[[nodiscard]] std::string front_text(const results::Content& content,
                                     const results::FrontGroup& group, std::size_t task,
                                     const FrontFacts& facts, const ShowLimits& limits,
                                     std::optional<std::int64_t> marked);

/// The bounds, and the best point that every one applies to; nothing without bounds.
[[nodiscard]] std::string bounds_text(const results::Content& content, const FrontFacts& facts);

/// Of tasks with a smaller delta what others with a larger one have proven beyond their own bounds;
/// nothing without any.
[[nodiscard]] std::string lent_text(const results::Content& content);

/// Configurations that several tasks have worked on: what they have found together.
[[nodiscard]] std::string merged_text(const results::Content& content, const FrontFacts& facts);

/// The task's value on an axis; "-" where it has none.
[[nodiscard]] std::string axis_value(const results::Content& content, std::size_t axis,
                                     std::size_t task);

/// What the tasks of a configuration have in common, as "model.hidden=64, training.loss=square":
/// the task's values on all axes but trade-offs and replicates; "" without any.
[[nodiscard]] std::string configuration_values(const results::Content& content, std::size_t task);

}  // namespace fairfront::drivers
