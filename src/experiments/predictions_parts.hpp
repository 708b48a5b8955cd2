/// @file
/// Names of the parts of the rows that an audit can look at.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/predictions.hpp"

namespace fairfront::experiments {

[[nodiscard]] const std::vector<std::string_view>& audit_part_names();

[[nodiscard]] std::string_view name_of(AuditPart part);  ///< "none" of that

/// The part of that name; nothing: there is none.
[[nodiscard]] std::optional<AuditPart> part_named(std::string_view name);

/// What "auto" stands for in measures.parts: every part but the training rows, which say nothing of
/// other people. Parts that are drawn though nobody asked for any say nothing of which rows the
/// model was trained on: there, and where no other row is left, all rows.
[[nodiscard]] std::vector<AuditPart> held_out_parts(const Predictions& predictions);

/// @throws base::InputError  measures.parts names no part, a part twice, or others beside "auto";
///         or there are no parts that are asked for.
[[nodiscard]] std::vector<AuditPart> measured_parts(const Predictions& predictions,
                                                    const MeasuresOptions& options);

/// @param option  that names the part.
/// @throws base::InputError  no row is in the part, or there are no parts.
void check_rows(const Predictions& predictions, AuditPart part, std::string_view option);

}  // namespace fairfront::experiments
