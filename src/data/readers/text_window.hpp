/// @file
/// A text that is read in pieces, as a window that moves over it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairfront::data {

/// Fills the buffer from its front and returns how many bytes there are; 0 at the end.
using ReadBytes = std::function<std::size_t(std::span<char> buffer)>;

/// Holds a part of the text that begins with what is still wanted. A scanner that meets the
/// window's end before it knows what it has found calls extend() and begins its item anew, so a
/// window is as large as the longest item and two blocks.
class TextWindow {
 public:
  /// A text that is wholly in memory and outlives the window.
  /// @param file  named in messages.
  /// @throws base::InputError  the text holds a zero byte, or carriage returns in the place of all
  ///         line feeds; so does extend().
  TextWindow(std::string_view text, std::string file);
  TextWindow(ReadBytes read, std::string file);
  TextWindow(TextWindow&&) = default;
  TextWindow& operator=(TextWindow&&) = default;  // moves only: a copy would view another's bytes

  [[nodiscard]] const char* begin() const noexcept { return text_.data(); }
  [[nodiscard]] const char* end() const noexcept { return text_.data() + text_.size(); }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  /// The window's end is the end of the text.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

  /// Forgets what lies before `from` and reads on; pointers into the window become invalid, and
  /// begin() is where `from` pointed. When the window is complete, nothing happens.
  void extend(const char* from);

 private:
  void check(std::string_view piece);
  void check_line_ends() const;

  std::string file_;
  ReadBytes read_;
  std::vector<char> buffer_;  // not a string: a move must leave the bytes where they are
  std::string_view text_;
  bool complete_ = false;
  bool has_line_feed_ = false;
  bool has_return_inside_ = false;  ///< a carriage return with something behind it
  bool ends_in_return_ = false;
};

}  // namespace fairfront::data
