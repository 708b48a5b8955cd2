/// @file
/// A model as one text that stands alone: JSON, read by this program, by others and by people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "results/stored_model.hpp"

namespace fairfront::results {

inline constexpr int model_file_version = 1;

/// Where the model of a file comes from.
struct ModelOrigin {
  std::string archive_digest;  ///< of the archive's results
  std::string key;             ///< of the task
  std::size_t task = 0;
  std::size_t point = 0;  ///< of the task's front
};

/// What is in a model file.
struct ModelFile {
  StoredModel stored;
  ModelOrigin origin;
};

/// The text of a file: what a person wants to know first, then what predicts, with every bit of the
/// numbers, and at last the SHA-256 of all bytes in front of it. One member a line.
/// @param about  JSON: an object with the members "card", "choice", "measures" and "provenance",
/// see
///               model_card().
/// @throws base::InputError  more than 64 MiB, the most that is read again.
[[nodiscard]] std::string text_of(const StoredModel& stored, const std::string& about);

/// Whether a text is meant as a model file, sound or not: its beginning says so, or it is JSON that
/// does.
[[nodiscard]] bool is_model_file(const std::string& text);

/// @param path  for messages.
/// @throws base::InputError    no model file, or one of a newer version.
/// @throws base::DamagedError  something in it is missing, or not as it was written.
[[nodiscard]] ModelFile model_file_of(const std::string& text, const std::string& path);

}  // namespace fairfront::results
