#include "terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/text.hpp"
#include "sweep/launch.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::array launchers{"mpirun", "mpiexec", "orterun", "prterun", "mpiexec.hydra"};
/// Words of a launcher's command line after which it does not pass on plain bytes.
constexpr std::array marking{"tag-output", "timestamp-output", "output-filename",
                             "xml",        "output",           "prepend-rank"};

std::size_t columns_of(int descriptor) {
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "12 (name) S 7 ...": a name may hold blanks and parentheses.
std::optional<std::int64_t> parent_of(std::int64_t process) {
  const std::string status = content_of(fmt::format("/proc/{}/stat", process));
  const auto close = status.rfind(')');
  if (close == std::string::npos || close + 4 >= status.size()) return std::nullopt;
  const std::string_view rest = std::string_view{status}.substr(close + 4);
  return base::parse_int64(rest.substr(0, rest.find(' ')));
}

bool is_launcher(std::int64_t process) {
  const std::string name = content_of(fmt::format("/proc/{}/comm", process));
  return std::ranges::any_of(launchers, [&](std::string_view launcher) {
    return std::string_view{name}.substr(0, name.find('\n')) == launcher;
  });
}

bool marks_lines(std::int64_t process) {
  const std::string words = content_of(fmt::format("/proc/{}/cmdline", process));
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find('\0', begin), words.size());
    std::string_view word = std::string_view{words}.substr(begin, end - begin);
    begin = end + 1;
    if (!word.starts_with('-')) continue;
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    if (std::ranges::find(marking, word.substr(0, word.find('='))) != marking.end()) return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> terminal_columns() {
  if (::isatty(STDERR_FILENO) != 0) return columns_of(STDERR_FILENO);
  if (!sweep::process_environment("OMPI_COMM_WORLD_RANK") &&
      !sweep::process_environment("PMI_RANK")) {
    return std::nullopt;
  }
  constexpr int most_ancestors = 8;  // wrappers between the launcher and the rank
  std::int64_t process = ::getppid();
  for (int i = 0; i < most_ancestors && process > 1; ++i) {
    if (is_launcher(process)) {
      if (marks_lines(process)) return std::nullopt;
      const base::Descriptor error(::open(fmt::format("/proc/{}/fd/2", process).c_str(),
                                          O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
      if (error.get() < 0 || ::isatty(error.get()) == 0) return std::nullopt;
      return columns_of(error.get());
    }
    process = parent_of(process).value_or(0);
  }
  return std::nullopt;
}

}  // namespace fairfront::drivers
