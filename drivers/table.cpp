#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "base/quotation.hpp"
#include "base/text.hpp"

namespace fairfront::drivers {
namespace {

bool is_number(const std::string& cell) {
  return cell == "-" || base::parse_double(cell).has_value();
}

/// Characters, not bytes: column and group names may be UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, width_of(cell)), ' ');
  return right ? blanks + cell : cell + blanks;
}

}  // namespace

std::string Table::text(std::size_t indent) const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> numeric(columns, rows_.size() > 1);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width_of(rows_[r][c]));
      if (r > 0 && !is_number(rows_[r][c])) numeric[c] = false;
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < columns; ++c) {
      line += padded(row[c], widths[c], numeric[c]) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string format_value(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits);
}

int digits_apart(std::span<const double> values) {
  constexpr int most_digits = 8;
  const auto different = [&](int digits) {
    std::set<std::string> texts;
    for (const double value : values) texts.insert(format_value(value, digits));
    return texts.size();
  };
  int digits = usual_digits;
  while (digits < most_digits && different(digits) < different(most_digits)) ++digits;
  return digits;
}

std::string format_list(const std::vector<std::string>& values) {
  constexpr std::size_t longest = 12;
  std::vector<std::string> items;
  for (const std::string& value : values) items.push_back(base::quoted_if_needed(value, ","));
  if (items.size() <= longest) return base::join(items, ", ");
  const std::size_t last = items.size() - 1;
  return fmt::format("{}, {}, {}, ..., {}, {} ({} values)", items[0], items[1], items[2],
                     items[last - 1], items[last], items.size());
}

std::string format_bytes(double bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace fairfront::drivers
