/// @file
/// Writing, reading and verifying an archive file. Local: never communicates.
#pragma once

#include <string>
#include <vector>

#include "archive/content.hpp"
#include "base/error.hpp"

namespace fairfront::archive {

/// The file is not an archive, is truncated, was edited, or breaks the format's rules.
class DamagedError : public base::Error {
 public:
  using Error::Error;
  [[nodiscard]] base::ExitCode exit_code() const noexcept override {
    return base::ExitCode::archive_damaged;
  }
};

/// SHA-256 over config, data digests and results: equal for equal experiments, whatever the
/// number of ranks, hosts or times. 64 hexadecimal digits.
[[nodiscard]] std::string results_digest(const Content& content);

/// Digest over everything, volatile facts included: shows any later edit of the file.
[[nodiscard]] std::string content_digest(const Content& content);

/// Throws if `path` exists (unless `overwrite`) or its folder cannot be written. Touches nothing.
/// @throws base::InputError
void check_writable(const std::string& path, bool overwrite);

/// Removes what runs that were killed while writing `path` have left beside it. Only for the run
/// that alone may write there. Does not fail.
void remove_drafts(const std::string& path) noexcept;

/// Writes beside `path`, syncs file and folder, renames: a reader never sees half an archive.
/// Equal contents give equal bytes. Needs memory for the compressed file beside the content.
/// @throws base::InputError  exists and not `overwrite`, disk full, no permission.
/// @throws std::invalid_argument  the content breaks a rule of the format, such as a column of
///     the wrong length, a name with a '/', text with a NUL character: a bug of the caller.
void write(const std::string& path, const Content& content, bool overwrite = false);

/// The stored digests and the content. Does not compare them: verify does.
struct Stored {
  Content content;
  int format_version = 0;
  std::string digest;          ///< root attribute "digest" (results_digest when written)
  std::string content_digest;  ///< root attribute "content_digest"
  std::string status;          ///< "complete" or "partial"
};

/// Checks the SHA-256 of the whole file (it stands in the file's first lines, see `head -3`)
/// before anything else looks at its bytes, then every length and range.
/// @throws base::InputError  no such file.  @throws DamagedError  anything else that is wrong.
[[nodiscard]] Stored read(const std::string& path);

/// Everything that is wrong with the file; empty when it is sound. Checks checksums, layout,
/// lengths and ranges of every column, both digests, and recomputes every front: no point may
/// dominate another, and two-objective hypervolumes must follow from the points. When the file's
/// SHA-256 is wrong, that is the only line: damaged bytes are not given to HDF5.
/// @throws base::InputError  no such file.
[[nodiscard]] std::vector<std::string> verify(const std::string& path);

}  // namespace fairfront::archive
