/// @file
/// The table of an audit, and what its columns are.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "data/raw_table.hpp"
#include "experiments/predictions.hpp"
#include "metrics/measure.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments {

[[nodiscard]] std::string_view name_of(metrics::Needs kind);

/// Whether a value of a column is one of those that mean decision 1; 2.0 is the same as 2.
[[nodiscard]] bool means_decision(std::span<const std::string> positive, std::string_view value);

/// Whether another column is compared with: a model has no difference to itself.
[[nodiscard]] bool has_reference(const PredictionsOptions& options);

/// The table of a task with the column that is audited, and behind it that of the reference, if
/// there is one.
/// @throws base::InputError  no such column, or options that would change its values.
[[nodiscard]] std::shared_ptr<const data::RawTable> audited_table(const sweep::Task& task,
                                                                  const sweep::RunContext& context);

/// What the values of the columns are.
struct AuditedKinds {
  metrics::Needs score = metrics::Needs::score;
  metrics::Needs reference = metrics::Needs::score;  ///< where there is one
};

/// @param raw  see audited_table().
/// @throws base::InputError  a label, groups or values that cannot be audited, or are not what is
///         wanted.
[[nodiscard]] AuditedKinds audited_kinds(const data::RawTable& raw, PredictionKind wanted);

/// Why measures of the score and of the reference are not compared; empty: they are.
[[nodiscard]] std::string why_uncompared(const PredictionsOptions& options,
                                         const AuditedKinds& kinds);

/// "women (1200), men (800)".
[[nodiscard]] std::string sizes_of_groups(const data::RawTable& raw);

}  // namespace fairfront::experiments
