/// @file
/// Names of the parts of the rows that an audit can look at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/predictions.hpp"

namespace fairfront::experiments {

[[nodiscard]] const std::vector<std::string_view>& audit_part_names();

[[nodiscard]] std::string_view name_of(AuditPart part);  ///< "none" of that

/// @throws base::InputError  measures.parts names no part.
[[nodiscard]] AuditPart part_named(const std::string& text);

/// @param option  that names the part.
/// @throws base::InputError  no row is in the part.
void check_rows(const Predictions& predictions, AuditPart part, std::string_view option);

}  // namespace fairfront::experiments
