/// @file
/// Model files on disk.
#pragma once

#include <optional>
#include <string>

#include "results/model_file.hpp"

namespace fairfront::drivers {

/// Throws if no model file can be written there: its folder is not writable, or something is at
/// `path` but, with `overwrite`, a model file. Touches nothing.
/// @throws base::InputError
void check_model_path(const std::string& path, bool overwrite);

/// Beside `path`, synced, renamed.
/// @throws base::InputError  it cannot be written.
void write_model_file(const std::string& path, const std::string& text, bool overwrite);

/// Nothing if what is at `path` is not JSON, such as an archive: its first byte tells, whatever its
/// name.
/// @throws base::InputError, base::DamagedError  as model_file_of().
[[nodiscard]] std::optional<results::ModelFile> read_model_file(const std::string& path);

}  // namespace fairfront::drivers
