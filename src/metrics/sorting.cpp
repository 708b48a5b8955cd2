#include "metrics/sorting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "metrics/merge.hpp"

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

/// For each number how many of the other list come before it, where Before(second, first) says so
/// of a pair. Both ascending. Without branches on their order, which no processor foresees.
template <class Before>
class CountsBefore {
 public:
  CountsBefore(std::span<const double> first, std::span<const double> second)
      : first_{first}, second_{second}, of_first_(first.size()), of_second_(second.size()) {}

  [[nodiscard]] std::size_t safe_steps() const { return steps_of_merge(first_, i_, second_, j_); }

  /// Of the number that it passes it writes what stays; of the other one it is written again.
  void step() {
    of_first_[i_] = j_;
    of_second_[j_] = i_;
    const bool next_second = Before{}(second_[j_], first_[i_]);
    j_ += static_cast<std::size_t>(next_second);
    i_ += static_cast<std::size_t>(!next_second);
  }

  void end() {
    for (; i_ < first_.size(); ++i_) of_first_[i_] = second_.size();
    for (; j_ < second_.size(); ++j_) of_second_[j_] = first_.size();
  }

  [[nodiscard]] std::span<const std::uint64_t> of_first() const { return of_first_; }
  [[nodiscard]] std::span<const std::uint64_t> of_second() const { return of_second_; }

 private:
  std::span<const double> first_, second_;
  std::vector<std::uint64_t> of_first_, of_second_;
  std::size_t i_ = 0, j_ = 0;
};

/// Of wins, and of wins and ties: a tie is half a win.
std::vector<double> shares_of(std::span<const std::uint64_t> wins,
                              std::span<const std::uint64_t> wins_and_ties, std::size_t others) {
  const double pairs = 2 * static_cast<double>(others);
  std::vector<double> shares(wins.size());
  std::ranges::transform(wins, wins_and_ties, shares.begin(),
                         [&](std::uint64_t few, std::uint64_t many) {
                           return static_cast<double>(few + many) / pairs;
                         });
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
  CountsBefore<std::less<>> less(first, second);
  CountsBefore<std::less_equal<>> less_or_equal(first, second);
  merge_both(less, less_or_equal);
  less.end();
  less_or_equal.end();
  return {shares_of(less.of_first(), less_or_equal.of_first(), second.size()),
          shares_of(less.of_second(), less_or_equal.of_second(), first.size())};
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
