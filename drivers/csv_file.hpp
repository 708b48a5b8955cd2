/// @file
/// A new CSV table on disk (RFC 4180, with line ends of one character).
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace fairfront::drivers {

/// Made row by row; complete when close() has returned.
class CsvFile {
 public:
  /// @throws base::InputError  the file is there already, or cannot be made.
  explicit CsvFile(std::string path);

  /// @throws base::InputError  it cannot be written.
  void row(const std::vector<std::string>& cells);

  /// The path. @throws base::InputError  something was not written.
  const std::string& close();

 private:
  struct Close {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  [[noreturn]] void fail() const;
  std::string path_;
  std::unique_ptr<std::FILE, Close> stream_;
};

}  // namespace fairfront::drivers
