#include "config/axis_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <utility>

#include "base/elementary.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace fairfront::config {
namespace {

using Texts = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& reason) { throw std::invalid_argument(reason); }

/// Whole numbers without exponent, so that an integer option reads them too.
std::string number_text(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::trunc(value) == value && std::fabs(value) <= exact) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return base::format_double(value);
}

/// Products and one division only: exact wherever the result is a double, unlike a power by
/// logarithms.
double power(double base, std::int64_t exponent) {
  constexpr std::int64_t largest_double_exponent = 1100;
  if (exponent > largest_double_exponent || exponent < -largest_double_exponent) {
    refuse("the exponent is too large");
  }
  double product = 1;
  for (std::int64_t i = 0; i < std::abs(exponent); ++i) product *= base;
  const double result = exponent < 0 ? 1 / product : product;
  if (!std::isfinite(result)) refuse("the power is not a finite number");
  return result;
}

std::optional<double> parse_power(std::string_view item) {
  const auto caret = item.find('^');
  if (caret == std::string_view::npos) return std::nullopt;
  const auto base = base::parse_double(base::trim(item.substr(0, caret)));
  const auto exponent = base::parse_int64(base::trim(item.substr(caret + 1)));
  if (!base || !exponent) refuse("a power is written number^integer, such as 2^-4");
  return power(*base, *exponent);
}

double number(const std::string& text) {
  const auto value =
      text.find('^') == std::string::npos ? base::parse_double(text) : parse_power(text);
  if (!value || !std::isfinite(*value)) {
    refuse(fmt::format("'{}' is not a finite number", base::excerpt(text)));
  }
  return *value;
}

std::int64_t integer(const std::string& text) {
  const auto value = base::parse_int64(text);
  constexpr std::int64_t most = std::int64_t{1} << 60;  // differences cannot overflow
  if (!value) refuse(fmt::format("'{}' is not an integer", base::excerpt(text)));
  if (*value > most || *value < -most) refuse(fmt::format("{} is beyond {}", *value, most));
  return *value;
}

/// mantissa / 10^places
struct Decimal {
  std::int64_t mantissa = 0;
  int places = 0;
};

Decimal parse_decimal(const std::string& text) {
  const auto point = text.find('.');
  const std::string fraction = point == std::string::npos ? "" : text.substr(point + 1);
  const auto mantissa = base::parse_int64(text.substr(0, point) + fraction);
  constexpr std::size_t most_digits = 15;
  const bool digits_only = fraction.find_first_not_of("0123456789") == std::string::npos;
  if (!mantissa || !digits_only || text.size() > most_digits) {
    refuse(fmt::format("'{}' is not a decimal number of at most {} characters without exponent",
                       base::excerpt(text), most_digits));
  }
  return {*mantissa, static_cast<int>(fraction.size())};
}

std::string decimal_text(std::int64_t mantissa, int places) {
  std::string digits = fmt::format("{:0{}}", std::abs(mantissa), places + 1);
  if (places > 0) digits.insert(digits.size() - static_cast<std::size_t>(places), 1, '.');
  return fmt::format("{}{}", mantissa < 0 ? "-" : "", digits);
}

/// first, first + step, ... as long as `last` is not passed, each scaled by 10^-places.
Texts count_up(std::int64_t first, std::int64_t last, std::int64_t step, int places) {
  if (step == 0) refuse("the step is zero");
  if (last != first && (last > first) != (step > 0)) {
    refuse("the step leads away from the last value");
  }
  const std::int64_t steps = (last - first) / step;
  if (steps >= max_axis_values) refuse(fmt::format("more than {} values", max_axis_values));
  Texts values;
  for (std::int64_t i = 0; i <= steps; ++i) {
    values.push_back(decimal_text(first + i * step, places));
  }
  return values;
}

std::optional<Texts> expand_dots(std::string_view item) {
  const auto dots = item.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string first{base::trim(item.substr(0, dots))};
  std::string last{base::trim(item.substr(dots + 2))};
  std::string step = "1";
  if (const auto more = last.find(".."); more != std::string::npos) {
    step = base::trim(std::string_view{last}.substr(more + 2));
    last = base::trim(std::string_view{last}.substr(0, more));
  }
  return count_up(integer(first), integer(last), integer(step), 0);
}

Texts expand_range(const Texts& arguments) {
  if (arguments.size() != 2 && arguments.size() != 3) refuse("range takes (first, last[, step])");
  std::vector<Decimal> numbers;
  int places = 0;
  for (const std::string& text : arguments) numbers.push_back(parse_decimal(text));
  if (numbers.size() == 2) numbers.push_back({1, 0});
  for (const Decimal& d : numbers) places = std::max(places, d.places);
  for (Decimal& d : numbers) {
    for (; d.places < places; ++d.places) {
      if (std::abs(d.mantissa) > (std::int64_t{1} << 56)) refuse("too many digits");
      d.mantissa *= 10;
    }
  }
  return count_up(numbers[0].mantissa, numbers[1].mantissa, numbers[2].mantissa, places);
}

struct Spaced {
  double first;
  double last;
  std::int64_t count;
};

Spaced parse_spaced(const std::string& name, const Texts& arguments) {
  if (arguments.size() != 3) refuse(name + " takes (first, last, count)");
  const Spaced s{number(arguments[0]), number(arguments[1]), integer(arguments[2])};
  if (s.count < 2) refuse(name + " needs a count of at least 2");
  if (s.count > max_axis_values) refuse(fmt::format("more than {} values", max_axis_values));
  return s;
}

/// `between(t)` for t = i / (count - 1), with both ends exactly as they are written.
Texts spaced_texts(const Spaced& s, const std::function<double(double, double)>& between) {
  Texts values{number_text(s.first)};
  const auto last = static_cast<double>(s.count - 1);
  for (std::int64_t i = 1; i < s.count - 1; ++i) {
    values.push_back(number_text(between(static_cast<double>(i), last)));
  }
  values.push_back(number_text(s.last));
  return values;
}

Texts expand_linspace(const Texts& arguments) {
  const Spaced s = parse_spaced("linspace", arguments);
  return spaced_texts(
      s, [&](double i, double last) { return s.first + (s.last - s.first) * i / last; });
}

Texts expand_logspace(const Texts& arguments) {
  const Spaced s = parse_spaced("logspace", arguments);
  if (s.first <= 0 || s.last <= 0) refuse("logspace needs positive ends");
  const double low = base::log10(s.first);
  const double high = base::log10(s.last);
  return spaced_texts(
      s, [&](double i, double last) { return base::pow(10.0, low + (high - low) * i / last); });
}

Texts expand_powers(const Texts& arguments) {
  if (arguments.size() != 3) refuse("powers takes (base, first exponent, last exponent)");
  const double base = number(arguments[0]);
  const std::int64_t first = integer(arguments[1]);
  const std::int64_t last = integer(arguments[2]);
  const std::int64_t step = last < first ? -1 : 1;
  if (std::abs(last - first) >= max_axis_values) refuse("the exponent is too large");
  Texts values;
  for (std::int64_t e = first; e != last + step; e += step) {
    values.push_back(number_text(power(base, e)));
  }
  return values;
}

std::optional<Texts> expand_call(std::string_view item) {
  const auto open = item.find('(');
  if (open == std::string_view::npos || !item.ends_with(')')) return std::nullopt;
  const std::array<std::pair<std::string, Texts (*)(const Texts&)>, 4> forms{{
      {"range", expand_range},
      {"linspace", expand_linspace},
      {"logspace", expand_logspace},
      {"powers", expand_powers},
  }};
  const std::string_view name = base::trim(item.substr(0, open));
  const Texts arguments =
      base::split_outside_parentheses(item.substr(open + 1, item.size() - open - 2));
  Texts names;
  for (const auto& [form, expand] : forms) {
    if (form == name) return expand(arguments);
    names.push_back(form);
  }
  refuse(fmt::format("there is no function '{}'{}", base::excerpt(name),
                     base::name_hint(name, names)));
}

}  // namespace

std::optional<std::vector<std::string>> expand_expression(std::string_view item) {
  if (auto values = expand_call(item)) return values;
  if (auto values = expand_dots(item)) return values;
  if (const auto value = parse_power(item)) return Texts{number_text(*value)};
  return std::nullopt;
}

}  // namespace fairfront::config
