#include "metrics/sorting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/error.hpp"

namespace fairfront::metrics {
namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

/// Unsigned numbers in the order of the doubles (Herf, 2001, "Radix tricks").
std::uint64_t key_of(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}
double value_of(std::uint64_t key) noexcept {
  return std::bit_cast<double>((key & sign_bit) != 0 ? key ^ sign_bit : ~key);
}

constexpr std::size_t digits = 8;
constexpr std::size_t digit_values = 256;

std::size_t digit_of(std::uint64_t key, std::size_t place) noexcept {
  return key >> 8 * place & (digit_values - 1);
}

/// A key alone, or the key of a row.
struct RowKey {
  std::uint64_t key;
  std::int64_t row;
};
std::uint64_t key_in(std::uint64_t record) noexcept { return record; }
std::uint64_t key_in(const RowKey& record) noexcept { return record.key; }

/// By ascending key, records of equal keys as they were. Least significant digit first; a digit
/// that all keys share costs nothing.
template <class Record>
void radix_sort(std::vector<Record>& records) {
  std::vector<Record> other(records.size());
  std::array<std::array<std::size_t, digit_values>, digits> counts{};
  for (const Record& record : records) {
    for (std::size_t place = 0; place < digits; ++place) {
      ++counts[place][digit_of(key_in(record), place)];
    }
  }
  for (std::size_t place = 0; place < digits; ++place) {
    auto& count = counts[place];
    if (count[digit_of(key_in(records.front()), place)] == records.size()) continue;
    std::size_t begin = 0;
    for (std::size_t& entry : count) begin += std::exchange(entry, begin);
    for (const Record& record : records) other[count[digit_of(key_in(record), place)]++] = record;
    records.swap(other);
  }
}

constexpr std::size_t radix_pays = 1'000;  // measured: below, std::sort is as fast

/// For each number how many of the other list come before it, where before(second, first) says so
/// of a pair. Both ascending. Without branches on their order, which no processor foresees.
template <class Before>
void add_counts(std::span<const double> first, std::span<const double> second, Before before,
                std::span<std::uint64_t> of_first, std::span<std::uint64_t> of_second) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.size() && j < second.size()) {
    const bool next_second = before(second[j], first[i]);
    of_first[i] += next_second ? 0 : j;
    of_second[j] += next_second ? i : 0;
    j += static_cast<std::size_t>(next_second);
    i += static_cast<std::size_t>(!next_second);
  }
  for (; i < first.size(); ++i) of_first[i] += second.size();
  for (; j < second.size(); ++j) of_second[j] += first.size();
}

std::vector<double> shares_of(std::span<const std::uint64_t> half_wins, std::size_t others) {
  const double pairs = 2 * static_cast<double>(others);
  std::vector<double> shares(half_wins.size());
  std::ranges::transform(half_wins, shares.begin(),
                         [&](std::uint64_t wins) { return static_cast<double>(wins) / pairs; });
  return shares;
}

}  // namespace

void sort_ascending(std::vector<double>& values) {
  for (double& value : values) value += 0.0;
  if (std::ranges::is_sorted(values)) return;
  if (values.size() < radix_pays) {
    std::ranges::sort(values);
  } else {
    std::vector<std::uint64_t> keys(values.size());
    std::ranges::transform(values, keys.begin(), key_of);
    radix_sort(keys);
    std::ranges::transform(keys, values.begin(), value_of);
  }
}

void order_ascending(std::span<const double> values, std::vector<std::int64_t>& order) {
  std::vector<RowKey> rows(values.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {key_of(values[i] + 0.0), static_cast<std::int64_t>(i)};
  }
  if (rows.size() < radix_pays) {
    std::ranges::stable_sort(rows, {}, &RowKey::key);
  } else {
    radix_sort(rows);
  }
  order.resize(rows.size());
  std::ranges::transform(rows, order.begin(), &RowKey::row);
}

SharesBelow shares_below(std::span<const double> first, std::span<const double> second) {
  std::vector<std::uint64_t> of_first(first.size());
  std::vector<std::uint64_t> of_second(second.size());
  add_counts(first, second, std::less<>{}, of_first, of_second);
  add_counts(first, second, std::less_equal<>{}, of_first, of_second);
  return {shares_of(of_first, second.size()), shares_of(of_second, first.size())};
}

std::vector<std::vector<double>> sorted_by_group(const Scored& scored) {
  std::vector<std::vector<double>> scores(static_cast<std::size_t>(scored.groups));
  bool nan = false;
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    nan |= std::isnan(scored.score[i]);
    scores[static_cast<std::size_t>(scored.group[i])].push_back(scored.score[i]);
  }
  if (nan) throw base::InputError("a score is NaN");
  for (auto& of_group : scores) sort_ascending(of_group);
  return scores;
}

}  // namespace fairfront::metrics
