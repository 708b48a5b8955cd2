/// @file
/// Writing, reading and verifying an archive file. Local: never communicates.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "results/content.hpp"
#include "results/digest.hpp"

namespace fairfront::archive {

/// Throws unless an archive can be written there: its folder is writable, and nothing is at `path`
/// but, with `overwrite`, an archive of ours. Touches nothing.
/// @throws base::InputError
void check_output(const std::string& path, bool overwrite);

/// Writes beside `path`, syncs file and folder, renames: a reader never sees half an archive.
/// Equal contents give equal bytes. Needs memory for the compressed file beside the content.
/// @throws base::InputError  exists and not `overwrite` or no archive, disk full, no permission.
/// @throws std::invalid_argument  the content breaks a rule of the format, such as a column of
///     the wrong length, a name with a '/', text with a NUL character: a bug of the caller.
void write(const std::string& path, const results::Content& content, bool overwrite = false);

/// The stored digests and the content, which have been compared.
struct Stored {
  results::Content content;
  int format_version = 0;
  std::string digest;           ///< root attribute "digest" (results_digest when written)
  std::string measures_digest;  ///< root attribute "measures_digest"
  std::string content_digest;   ///< root attribute "content_digest"
  std::string status;           ///< "complete" or "partial"
};

/// Checks the SHA-256 of the whole file (it stands in the file's first lines, see `head -3`)
/// before anything else looks at its bytes, then every length and range.
/// @throws base::InputError  no such file.  @throws base::DamagedError  anything else that is
/// wrong.
[[nodiscard]] Stored read(const std::string& path);

/// Everything that is wrong with the file; empty when it is sound. Checks checksums, layout,
/// lengths and ranges of every column, all digests, and recomputes every front: no point may
/// dominate another, and two-objective hypervolumes must follow from the points. When the file's
/// SHA-256 is wrong, that is the only line: damaged bytes are not given to HDF5.
/// @throws base::InputError  no such file.
[[nodiscard]] std::vector<std::string> verify(const std::string& path);

}  // namespace fairfront::archive
