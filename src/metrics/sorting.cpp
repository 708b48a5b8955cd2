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

/// counts[i] = how many of the others come before row i, all ascending. Without branches on the
/// order of the scores, which no processor foresees.
template <class Before>
void count_before(std::span<const double> rows, std::span<const double> others, Before before,
                  std::span<double> counts) {
  std::size_t row = 0;
  std::size_t other = 0;
  while (row < rows.size() && other < others.size()) {
    const bool next_other = before(others[other], rows[row]);
    counts[row] = static_cast<double>(other);
    other += static_cast<std::size_t>(next_other);
    row += static_cast<std::size_t>(!next_other);
  }
  std::ranges::fill(counts.subspan(row), static_cast<double>(others.size()));
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

std::vector<double> shares_below(std::span<const double> rows, std::span<const double> others) {
  std::vector<double> shares(rows.size());
  count_before(rows, others, std::less<>{}, shares);
  std::vector<double> not_more(rows.size());
  count_before(rows, others, std::less_equal<>{}, not_more);
  const double pairs = 2 * static_cast<double>(others.size());
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = (shares[i] + not_more[i]) / pairs;
  return shares;
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
