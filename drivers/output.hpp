/// @file
/// All that the program writes to its two standard streams. Neither of them is worth a run: a full
/// disk, a closed descriptor or a reader that is gone never throws and never ends the process. And
/// whatever texts of others are in it, log() and print() send nothing that a terminal obeys.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/printable.hpp"

namespace fairfront::drivers {

/// Before anything opens a file: descriptors 0 to 2 that the caller has closed are taken, so that
/// no journal or data set gets such a number and has log lines written into it; writing to them
/// fails as before. SIGPIPE is ignored.
void guard_standard_streams() noexcept;

/// How long a line may wait for a reader that does not read (a stopped terminal, a full pipe)
/// before it is dropped.
enum class Patience { none, some };

/// Text on the standard error; dropped when it cannot be written. From any thread, and from a
/// signal handler.
void log_text(std::string_view text, Patience patience = Patience::some) noexcept;

template <class... Values>
void log(fmt::format_string<Values...> format, Values&&... values) {
  log_text(base::visible(fmt::format(format, std::forward<Values>(values)...), "\n"));
}

/// Text on the standard output. A failure is remembered, see flush_output().
void print_text(std::string_view text) noexcept;

template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  print_text(base::visible(fmt::format(format, std::forward<Values>(values)...), "\n"));
}

/// False once the reader of the standard output is known to have gone (`| head`): further rows are
/// for nobody. Known with the first write after that.
[[nodiscard]] bool has_reader() noexcept;

/// Whether all of the output has arrived, or its reader has had enough of it (`| head`). Says so on
/// the standard error when it has not.
[[nodiscard]] bool flush_output();

}  // namespace fairfront::drivers
