/// @file
/// Internal: the files of a journal's folder: their names, whole writes, atomic replacement.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/journal_frame.hpp"

namespace fairfront::archive {

/// "<journal>/<name>".
[[nodiscard]] std::string journal_file(const std::string& journal, std::string_view name);

/// One log of a journal.
struct LogName {
  std::int64_t launch = 0;
  std::int64_t rank = 0;
  std::string name;  ///< "0001-000003.log"
};
[[nodiscard]] std::string log_name(int launch, int rank);
/// Nothing when a file of this name is no log.
[[nodiscard]] std::optional<LogName> parse_log_name(const std::string& name);

/// The logs in a journal's folder, by launch and rank; other files are passed over.
/// @throws base::InputError  no such folder, or it cannot be read.
[[nodiscard]] std::vector<LogName> list_logs(const std::string& journal);

/// "cannot <action> '<path>': <reason of the system>". @param error  an errno.
[[noreturn]] void throw_system_error(std::string_view action, const std::string& path, int error);

/// Writes all of `bytes`, however often the system takes only a part or is interrupted.
/// Returns 0, or the errno of the failure.
[[nodiscard]] int write_all(int descriptor, ByteView bytes) noexcept;

/// Makes new, renamed and removed names in `folder` safe.
/// @throws base::InputError  the file system reports an I/O error.
void sync_folder(const std::string& folder);

enum class Durability { survives_process, survives_machine };

/// Puts the pieces, one behind another, into "<path>.part" and renames it to `path`: a reader
/// finds the old bytes or the new ones. One process at a time may do this for a path.
/// @throws base::InputError  with path and reason; the old file is untouched, no part is left.
void replace_file(const std::string& path, std::span<const ByteView> pieces, Durability durability);

/// The frames of a file with one payload: its kind and the payload's own. The payload is not
/// copied: write the frames, then the payload.
[[nodiscard]] Bytes sealing_frames(const std::string& kind, ByteView payload);

/// The payload of such a file.
/// @throws base::InputError  no such file, another kind of file, a newer version, damaged.
[[nodiscard]] std::string read_sealed(const std::string& path, const std::string& kind);

[[nodiscard]] inline ByteView view_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace fairfront::archive
