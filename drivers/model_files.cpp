#include "model_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/publish.hpp"
#include "base/text.hpp"
#include "data/fitted_preparation.hpp"

namespace fairfront::drivers {
namespace {

/// Only of a regular file: reading takes nothing from it.
bool begins_as_json(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  return file.get() == '{';
}

bool is_empty_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) &&
         std::filesystem::is_empty(path, ignored);
}

}  // namespace

void check_model_path(const std::string& path, bool overwrite) {
  base::check_writable(path, overwrite);
  if (!std::filesystem::exists(path) || std::filesystem::file_size(path) == 0) return;
  if (begins_as_json(path) && results::is_model_file(base::read_file(path))) return;
  throw base::InputError(
      fmt::format("cannot write '{}': choose another name: what is there is no model file, and "
                  "--force replaces nothing else",
                  path));
}

void write_model_file(const std::string& path, const std::string& text, bool overwrite) {
  base::publish(path, std::as_bytes(std::span{text}), overwrite);
}

void require_file(const std::string& path, std::string_view behind) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return;
  throw base::InputError(
      fmt::format("cannot read '{}': there is no such file; check the name, which is the one "
                  "behind {}",
                  base::excerpt(path), behind));
}

std::optional<results::ModelFile> read_model_file(const std::string& path) {
  if (!begins_as_json(path) && !is_empty_file(path)) return std::nullopt;
  return results::model_file_of(base::read_file(path), path);
}

results::StoredModel stored_model_of(const results::Content& content, const std::string& path,
                                     std::int64_t task, std::optional<std::int64_t> point,
                                     results::Form form) try {
  results::StoredModel stored = results::model_of(content, task, point, form);
  data::require_columns(stored.shared->preparation);
  return stored;
} catch (const base::DamagedError& error) {
  throw base::DamagedError(fmt::format("'{}', task {}: a model that is damaged: {}",
                                       base::excerpt(path), task, error.what()));
} catch (const base::InputError& error) {
  throw base::InputError(fmt::format("'{}': {}", base::excerpt(path), error.what()));
}

}  // namespace fairfront::drivers
