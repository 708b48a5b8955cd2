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

/// Writes beside `path`, syncs file and folder, renames: a reader never sees half an archive.
/// @throws base::InputError  exists and not `overwrite`, disk full, no permission.
void write(const std::string& path, const Content& content, bool overwrite = false);

/// The stored digests and the content. Does not compare them: verify does.
struct Stored {
  Content content;
  int format_version = 0;
  std::string digest;          ///< root attribute "digest" (results_digest when written)
  std::string content_digest;  ///< root attribute "content_digest"
  std::string status;          ///< "complete" or "partial"
};

/// @throws base::InputError  no such file.  @throws DamagedError  anything else that is wrong.
[[nodiscard]] Stored read(const std::string& path);

/// Everything that is wrong with the file; empty when it is sound. Checks checksums, layout,
/// lengths and ranges of every column, and both digests.
/// @throws base::InputError  no such file.
[[nodiscard]] std::vector<std::string> verify(const std::string& path);

}  // namespace fairfront::archive
