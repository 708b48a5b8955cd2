/// @file
/// From the text of a config to the values of one option, and back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"

namespace fairfront::config {

/// The values that `text` gives the option: items between commas (between `|` for an option whose
/// single value is a list), numeric short forms expanded, each checked and rewritten by `table`.
/// @throws base::InputError  a value that the option does not accept, a broken short form or
///         quotation, an empty item among others, a value given twice.
[[nodiscard]] std::vector<std::string> read_values(base::OptionTable& table,
                                                   const base::OptionInfo& info,
                                                   std::string_view text);

/// Text that read_values turns into `values` again.
[[nodiscard]] std::string write_values(const base::OptionInfo& info,
                                       std::span<const std::string> values);

}  // namespace fairfront::config
