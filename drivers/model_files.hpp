/// @file
/// Model files on disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "results/content.hpp"
#include "results/model_file.hpp"
#include "results/stored_model.hpp"

namespace fairfront::drivers {

/// Throws if no model file can be written there: its folder is not writable, or something is at
/// `path` but, with `overwrite`, a model file. Touches nothing.
/// @throws base::InputError
void check_model_path(const std::string& path, bool overwrite);

/// Beside `path`, synced, renamed.
/// @throws base::InputError  it cannot be written.
void write_model_file(const std::string& path, const std::string& text, bool overwrite);

/// @param behind  after what the name stands where files of the kind are made, for the message.
/// @throws base::InputError  there is nothing of that name.
void require_file(const std::string& path, std::string_view behind);

/// Nothing if what is at `path` is not JSON, such as an archive: its first byte tells, whatever its
/// name.
/// @throws base::InputError, base::DamagedError  as model_file_of().
[[nodiscard]] std::optional<results::ModelFile> read_model_file(const std::string& path);

/// Of a task of an archive. What is refused is told with the archive's name.
/// @throws base::InputError, base::DamagedError  as results::model_of(), and of a model that is
///         older than names of features.
[[nodiscard]] results::StoredModel stored_model_of(const results::Content& content,
                                                   const std::string& path, std::int64_t task,
                                                   std::optional<std::int64_t> point,
                                                   results::Form form);

}  // namespace fairfront::drivers
