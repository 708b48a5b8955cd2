#include "base/text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/other_names.hpp"
#include "base/printable.hpp"
#include "base/stop.hpp"

namespace fairfront::base {
namespace {

/// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// The one candidate that begins with `name`: --out is short for --output.
const std::string* only_completion(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t least = 3;
  if (name.size() < least) return nullptr;
  const std::string* found = nullptr;
  for (const std::string& candidate : candidates) {
    if (!candidate.starts_with(name)) continue;
    if (found != nullptr) return nullptr;
    found = &candidate;
  }
  return found;
}

/// Of a text whose number has no neighbour of the type on one side. A real number that is too near
/// to 0 is 0, as everywhere else where tables are read.
template <class Number>
std::optional<Number> parse_beyond_range(std::string_view text) {
  if constexpr (std::same_as<Number, double>) {
    const double value = std::strtod(std::string{text}.c_str(), nullptr);
    if (std::abs(value) < 1) return value;
  }
  return std::nullopt;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) noexcept {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) return parse_beyond_range<Number>(text);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

constexpr std::size_t largest_file = std::size_t{64} << 20;

/// Waits for bytes, or the end, of a pipe or a device; not for ever.
bool becomes_readable(int file) {
  using Clock = std::chrono::steady_clock;
  constexpr int look_interval = 100;  // milliseconds, for a stop that reached another thread
  const auto end = Clock::now() + std::chrono::seconds{10};
  while (true) {
    pollfd wanted{.fd = file, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wanted, 1, look_interval);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    stop_point();
    if (Clock::now() >= end) return false;
  }
}

}  // namespace

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string in_lower_case(std::string_view text) {
  std::string lower{text};
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string> split_outside_parentheses(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (trim(text).empty()) return parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool at_end = i == text.size();
    if (!at_end && text[i] == '(') ++depth;
    if (!at_end && text[i] == ')' && depth > 0) --depth;
    if (!at_end && (text[i] != separator || depth > 0)) continue;
    parts.emplace_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != parts.data()) joined += separator;
    joined += part;
  }
  return joined;
}

std::optional<double> parse_double(std::string_view text) noexcept {
  return parse_number<double>(text);
}

std::optional<std::int64_t> parse_int64(std::string_view text) noexcept {
  return parse_number<std::int64_t>(text);
}

std::optional<bool> parse_bool(std::string_view text) noexcept {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string format_double(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  constexpr std::size_t longest = 200;  // nobody has mistyped a longer one
  if (name.size() > longest) return std::nullopt;
  if (const std::string* whole = only_completion(name, candidates)) return *whole;
  const std::string* best = nullptr;
  const std::string lower = in_lower_case(name);
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (longer - std::min(name.size(), candidate.size()) >= best_distance) continue;
    const std::size_t distance = edit_distance(lower, in_lower_case(candidate));
    const bool shares_less_than_half = 2 * distance > longer;
    if (distance >= best_distance || shares_less_than_half) continue;
    best = &candidate;
    best_distance = distance;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string name_hint(std::string_view name, std::span<const std::string> valid) {
  return name_hint(name, valid, {});
}

std::string read_file(const std::string& path) {
  const auto refuse = [&](std::string_view why) {
    throw InputError(fmt::format("cannot read '{}': {}", excerpt(path), why));
  };
  // Without waiting, as a pipe that nobody writes to would be opened for ever.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (!file.valid() && errno == ENOENT) {
    refuse("No such file or directory; check the name, and the folder that it is below");
  }
  if (!file.valid()) refuse(std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) refuse(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse("it is a directory; name a file in it");
  std::string bytes;
  std::array<char, 1 << 16> chunk;  // in pieces: a pipe does not know its length
  while (true) {
    // Asked of files as well: some below /proc have bytes only now and then.
    if (!becomes_readable(file.get())) {
      refuse("it is no file, and nothing has come out of it for 10 seconds");
    }
    const ssize_t count = ::read(file.get(), chunk.data(), chunk.size());
    if (count == 0) return bytes;
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) refuse(std::strerror(errno));
    bytes.append(chunk.data(), static_cast<std::size_t>(count));
    if (bytes.size() > largest_file) refuse("it has more than 64 MiB");
  }
}

}  // namespace fairfront::base
