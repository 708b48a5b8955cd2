/// @file
/// Who reads data tells it, so that a person who waits for a large file is told why.
#pragma once

#include <functional>
#include <string>

namespace fairfront::data {

/// While it lives, what the calling thread reads is told to `told`, if there is one, in the place
/// of what an outer scope has: the file's path when reading begins, an empty text when it ends.
class ReadingScope {
 public:
  using Told = std::function<void(const std::string& file)>;

  explicit ReadingScope(Told told);
  ~ReadingScope();
  ReadingScope(const ReadingScope&) = delete;
  ReadingScope& operator=(const ReadingScope&) = delete;

 private:
  Told told_;
  const Told* outer_;
};

/// Lives while a file is read, and what is read is made a table. Of several that live at once the
/// first one tells.
class Reading {
 public:
  explicit Reading(const std::string& file);
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
};

}  // namespace fairfront::data
