/// @file
/// The exceptions that every layer throws, and the exit code each of them means.
#pragma once

#include <stdexcept>
#include <string>

namespace fairfront::base {

/// What the program's exit status says; scripts and job managers rely on these numbers.
enum class ExitCode : int {
  done = 0,
  some_tasks_failed = 1,
  bad_input = 2,
  interrupted = 3,  ///< resumable
  archive_damaged = 4,
};

/// Base of all errors that a user can cause or mend. The message is complete: it names the file,
/// line, key, value and rule as far as they are known, and never repeats a cell of a data set.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  [[nodiscard]] virtual ExitCode exit_code() const noexcept { return ExitCode::bad_input; }
};

/// Bad configuration, command line, data set or path.
class InputError : public Error {
 public:
  using Error::Error;
};

}  // namespace fairfront::base
