/// @file
/// Internal: the files of a journal's folder: their names, and those with one sealed payload.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/folder.hpp"
#include "journal/frame.hpp"
#include "results/sweep_identity.hpp"

namespace fairfront::journal {

/// Whoever holds it writes the journal.
inline constexpr const char* lock_name = "lock";

/// A journal holds no links of ours: somebody else may have put this one there, so that a file of
/// their choice is read or written over.
[[noreturn]] void throw_link(std::string_view action, const std::string& path);

/// Throws unless the journal's folder belongs to the user of this process: in a shared folder
/// somebody else may have made it, with files that we would write over or wait for.
/// @throws base::InputError
void require_own_folder(const base::Folder& journal);

/// Written by a newer version of the program.
class NewerError : public base::InputError {
 public:
  using InputError::InputError;
};

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
[[nodiscard]] std::vector<LogName> list_logs(const base::Folder& journal);

/// The frames of a file with one payload: its kind and the payload's own. The payload is not
/// copied: write the frames, then the payload.
[[nodiscard]] Bytes sealing_frames(const std::string& kind, ByteView payload);

/// Puts such a file in the place of `name`, as base::replace_file.
void replace_sealed(const base::Folder& journal, const std::string& name, const std::string& kind,
                    ByteView payload, base::Durability durability);

/// The payload of such a file. Nothing is read or allocated beyond `most_bytes` of payload.
/// @throws base::InputError  no such file, not a regular one, another kind of file, a newer
///     version (NewerError), damaged, longer.
[[nodiscard]] std::string read_sealed(const base::Folder& journal, const std::string& name,
                                      const std::string& kind, std::size_t most_bytes);

/// Of a header's payload.
inline constexpr std::size_t longest_header = std::size_t{1} << 30;

/// The frame behind the kind of a log when it is a copy of the journal's header, so that a log can
/// be read when that is lost; nothing for a log without one, or damaged there.
/// @throws base::InputError  the log cannot be read.
[[nodiscard]] std::optional<std::string> header_in_log(const base::Folder& journal,
                                                       const std::string& log);
/// Whether this rank's log begins with such a copy: it is as long as the list of a sweep's data
/// sets, and thousands of ranks would write more of it than of results. Ranks 0, 1, 2, 4, 8, and so
/// on.
[[nodiscard]] bool has_header_copy(int rank);
/// Whether a frame of a log is such a copy, and no record.
[[nodiscard]] bool is_header_copy(ByteView payload);

/// The payload of the journal's header, or nothing when it cannot be read.
[[nodiscard]] std::optional<std::string> header_payload(const base::Folder& journal) noexcept;

/// What is said of a sweep, and why it had to be taken from a log if it had.
struct FoundHeader {
  results::SweepIdentity sweep;
  std::string warning;  ///< empty when the header itself is sound
};
/// The header, or, when it is lost or damaged, its copy in the newest log that has one.
/// @throws base::InputError  there is neither; or it may not be read, or is of a newer version.
[[nodiscard]] FoundHeader find_header(const base::Folder& journal);
[[nodiscard]] bool holds_journal(const base::Folder& journal);

/// Whether a run makes files of such names; others are nobody's business.
[[nodiscard]] bool is_ours(std::string_view name);

[[nodiscard]] inline ByteView view_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace fairfront::journal
