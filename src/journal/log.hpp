/// @file
/// Internal: reads one log, whatever happened to it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/folder.hpp"
#include "journal/frame.hpp"

namespace fairfront::journal {

/// What was found beside the good records.
struct LogReport {
  std::int64_t bytes = 0;
  std::vector<std::string> warnings;  ///< at most three, without the name of the file
};

/// Calls `visit` with the payload of every record whose checksums are right, in their order.
///
/// Of a damaged record with a sound header only that record is passed over. Where a header is
/// damaged, reading goes on at the next place where a header and its payload are both right.
/// Takes time proportional to the file and memory for its largest record.
///
/// @param visit  throws base::DamagedError for a payload that is no record: counted as damage.
/// @throws base::InputError  the file cannot be read, or is of a newer version.
[[nodiscard]] LogReport read_log(const base::Folder& journal, const std::string& name,
                                 const std::function<void(ByteView payload)>& visit);

}  // namespace fairfront::journal
