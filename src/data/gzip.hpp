/// @file
/// Inflates gzip files in memory.
#pragma once

#include <string>
#include <string_view>

namespace fairfront::data {

/// The content of a gzip file (RFC 1952), also one of several members.
/// @param file  named in messages.
/// @throws base::InputError  the bytes are no gzip file, are damaged or end too early.
[[nodiscard]] std::string inflate_gzip(std::string_view bytes, const std::string& file);

}  // namespace fairfront::data
