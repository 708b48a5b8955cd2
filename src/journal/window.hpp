/// @file
/// Internal: a file seen through a window, so that the memory of reading a log is bounded by its
/// largest record. Not mapped into memory: a bad block of the disk would be a SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/file.hpp"
#include "base/folder.hpp"
#include "journal/frame.hpp"

namespace fairfront::journal {

class FileWindow {
 public:
  /// @throws base::InputError  no such file, not a regular file, not readable.
  FileWindow(const base::Folder& folder, const std::string& name);

  /// Bytes in the file when it was opened: a log that still grows is read up to here. Smaller
  /// if it turns out to have been cut meanwhile.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The `count` bytes from `position`, fewer at the end of the file; valid until the next call.
  /// @throws base::InputError  the system cannot read them.
  [[nodiscard]] ByteView at(std::size_t position, std::size_t count);

 private:
  void load(std::size_t position, std::size_t count);

  std::string path_;
  base::Descriptor file_;
  std::size_t size_ = 0;
  Bytes buffer_;
  std::size_t begin_ = 0;   ///< position of buffer_[0] in the file
  std::size_t filled_ = 0;  ///< bytes of the file in buffer_
};

}  // namespace fairfront::journal
