/// @file
/// Inflates gzip files in pieces.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "data/readers/text_window.hpp"

namespace fairfront::data {

/// The content of a gzip file (RFC 1952), also one of several members.
class GzipReader {
 public:
  /// @param compressed  the file's bytes.
  /// @param file        named in messages.
  GzipReader(ReadBytes compressed, std::string file);
  ~GzipReader();
  GzipReader(GzipReader&&) noexcept;
  GzipReader& operator=(GzipReader&&) noexcept;

  /// Fills `out` from its front and returns how many bytes there are; 0 at the end.
  /// @throws base::InputError  the bytes are no gzip file, are damaged or end too early.
  std::size_t read(std::span<char> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fairfront::data
