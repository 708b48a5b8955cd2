/// @file
/// The exceptions that every layer throws, whose fault they are, and the exit code each means.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace fairfront::base {

/// What the program's exit status says; scripts and job managers rely on these numbers.
enum class ExitCode : int {
  done = 0,
  some_tasks_failed = 1,
  bad_input = 2,
  interrupted = 3,  ///< resumable
  archive_damaged = 4,
  internal = 5,  ///< out of memory, MPI, our own bugs: nothing is known about what was asked for
  busy = 6,      ///< another run writes there: the same command may do later
};

/// Whose fault an exception is. It decides what becomes of a task that ends by one: only `input`
/// is the task's result, since it comes again in every run, on every rank; after `checkpoint` the
/// task starts anew; the others end the run with nothing recorded for the task, so that a later run
/// does it. From harmless to grave: of several ranks the gravest decides.
enum class Fault : int {
  input,       ///< what the user asked for cannot be done, or gives no finite numbers
  checkpoint,  ///< the state that an earlier run left is damaged or another one's: begin anew
  data,        ///< a file cannot be read, here and now; before a run begins, the user's fault, too
  program,     ///< ours or the machine's: memory, MPI, a bug
};

/// Base of all errors that a user can cause or mend. The message is complete: it names the file,
/// line, key, value and rule as far as they are known, and never repeats a cell of a data set.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  [[nodiscard]] virtual ExitCode exit_code() const noexcept { return ExitCode::bad_input; }
  [[nodiscard]] virtual Fault fault() const noexcept { return Fault::input; }
};

/// Bad configuration, command line, data set or path.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The file is not an archive, is truncated, was edited, or breaks the format's rules.
class DamagedError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] ExitCode exit_code() const noexcept override { return ExitCode::archive_damaged; }
};

/// A data set cannot be loaded.
class DataError : public InputError {
 public:
  using InputError::InputError;
  [[nodiscard]] Fault fault() const noexcept override { return Fault::data; }
};

/// A data set lacks a column that was asked for.
class MissingColumnError : public DataError {
 public:
  MissingColumnError(const std::string& message, std::string column)
      : DataError(message), column_{std::move(column)} {}
  [[nodiscard]] const std::string& column() const noexcept { return column_; }

 private:
  std::string column_;
};

/// A checkpoint does not fit what is to go on from it. Its task can be done without.
class CheckpointError : public InputError {
 public:
  using InputError::InputError;
  [[nodiscard]] Fault fault() const noexcept override { return Fault::checkpoint; }
};

/// Another run is at work on the same journal, or was a moment ago.
class BusyError : public InputError {
 public:
  using InputError::InputError;
  [[nodiscard]] ExitCode exit_code() const noexcept override { return ExitCode::busy; }
};

/// The program or the machine has failed; the message says what is safe.
class InternalError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] ExitCode exit_code() const noexcept override { return ExitCode::internal; }
  [[nodiscard]] Fault fault() const noexcept override { return Fault::program; }
};

/// An Error says it itself. std::invalid_argument (an option or a combination of them) and
/// std::domain_error (values that are not finite) are of the input, std::filesystem errors of the
/// data, and everything else (std::bad_alloc, std::logic_error, ...) is the program's.
[[nodiscard]] Fault fault_of(const std::exception_ptr& failure) noexcept;

[[nodiscard]] ExitCode exit_code_of(const std::exception_ptr& failure) noexcept;

/// Its text as printable(); "out of memory" for std::bad_alloc and std::length_error, "unknown
/// error" for no standard exception.
[[nodiscard]] std::string message_of(const std::exception_ptr& failure);

}  // namespace fairfront::base
