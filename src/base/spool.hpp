/// @file
/// Text that waits on disk until it is known whether anybody gets it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace fairfront::base {

/// A file without a name in the folder for temporary files (TMPDIR, or /tmp): whatever ends the
/// process, nothing is left of it.
class Spool {
 public:
  /// @throws InputError  it cannot be made.
  Spool();
  /// @throws InputError  it cannot be written, as where the disk is full.
  void add(std::string_view text);
  /// All of the text, in blocks of 64 KiB.
  /// @throws InputError  it cannot be read.
  void read(const std::function<void(std::string_view)>& take) const;

 private:
  std::string folder_;
  Descriptor file_;
};

}  // namespace fairfront::base
