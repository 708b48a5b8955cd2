#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <system_error>

#include "base/error.hpp"

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

template <class Number>
std::optional<Number> parse_number(std::string_view text) noexcept {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
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
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance) continue;
    best = &candidate;
    best_distance = distance;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string name_hint(std::string_view name, std::span<const std::string> valid) {
  if (const auto nearest = nearest_name(name, valid)) {
    return fmt::format(" (did you mean '{}'?)", *nearest);
  }
  return fmt::format(" (valid: {})", join(valid, ", "));
}

std::string read_file(const std::string& path) {
  auto refuse = [&](std::string_view why) {
    throw InputError(fmt::format("cannot read '{}': {}", path, why));
  };
  std::error_code unknown;  // what the system says about it, opening the file says better
  if (std::filesystem::is_directory(path, unknown)) refuse("it is a directory");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse(std::strerror(errno));
  std::string bytes;
  std::array<char, 1 << 16> chunk;  // in pieces: a pipe does not know its length
  while (stream) {
    stream.read(chunk.data(), chunk.size());
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) refuse(std::strerror(errno));
  return bytes;
}

}  // namespace fairfront::base
