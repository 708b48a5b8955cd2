#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <stdexcept>

#include "archive/journal.hpp"
#include "archive/journal_file.hpp"
#include "base/error.hpp"

namespace fairfront::archive {
namespace {

constexpr const char* checkpoint_kind = "checkpoint";

std::string checkpoint_path(const std::string& journal, const std::string& key) {
  if (key.empty() || key.find('/') != std::string::npos) {
    throw std::invalid_argument(
        fmt::format("key of a checkpoint = '{}', must be a file name", key));
  }
  return journal_file(journal, key + ".checkpoint");
}

}  // namespace

void write_checkpoint(const std::string& journal, const std::string& key,
                      const std::string& bytes) {
  const Bytes frames = sealing_frames(checkpoint_kind, view_of(bytes));
  const std::array<ByteView, 2> pieces{frames, view_of(bytes)};
  replace_file(checkpoint_path(journal, key), pieces, Durability::survives_machine);
}

std::optional<std::string> read_checkpoint(const std::string& journal, const std::string& key) try {
  return read_sealed(checkpoint_path(journal, key), checkpoint_kind);
} catch (const base::InputError&) {
  return std::nullopt;
}

void remove_checkpoint(const std::string& journal, const std::string& key) noexcept try {
  const std::string path = checkpoint_path(journal, key);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::filesystem::remove(path + ".part", ignored);  // of a run that was killed while writing
} catch (...) {
  return;  // one that stays is overwritten or removed with the journal
}

}  // namespace fairfront::archive
