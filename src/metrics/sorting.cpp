#include "metrics/sorting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
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

/// Sorted are words of the first 33 bits of a key, in three passes, and then what has them in
/// common: sign, exponent and 21 bits tell nearly all numbers apart. The other bits may number
/// rows.
constexpr unsigned other_bits = 31;
constexpr std::uint64_t other_mask = (std::uint64_t{1} << other_bits) - 1;
constexpr std::size_t digits = 3;
constexpr unsigned digit_bits = 11;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;

std::size_t digit_of(std::uint64_t word, std::size_t place) noexcept {
  return word >> (other_bits + digit_bits * place) & (digit_values - 1);
}

/// By the first bits, words of the same ones as they were. Least significant digit first; a digit
/// that all words share costs nothing.
void radix_sort(std::vector<std::uint64_t>& words) {
  std::vector<std::uint64_t> other(words.size());
  std::array<std::array<std::size_t, digit_values>, digits> counts{};
  for (const std::uint64_t word : words) {
    for (std::size_t place = 0; place < digits; ++place) ++counts[place][digit_of(word, place)];
  }
  for (std::size_t place = 0; place < digits; ++place) {
    auto& count = counts[place];
    if (count[digit_of(words.front(), place)] == words.size()) continue;
    std::size_t begin = 0;
    for (std::size_t& entry : count) begin += std::exchange(entry, begin);
    for (const std::uint64_t word : words) other[count[digit_of(word, place)]++] = word;
    words.swap(other);
  }
}

/// By ascending key, words of equal keys as they were. @param key_of_word  that of a word
template <class KeyOfWord>
void sort_by_key(std::vector<std::uint64_t>& words, KeyOfWord key_of_word) {
  radix_sort(words);
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t end = begin + 1;
    while (end < words.size() && words[end] >> other_bits == words[begin] >> other_bits) ++end;
    const std::span run(words.data() + begin, end - begin);
    // Of many equal scores, too.
    if (!std::ranges::is_sorted(run, {}, key_of_word))
      std::ranges::stable_sort(run, {}, key_of_word);
    begin = end;
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

template <class Number>
void write_order(std::span<const double> values, std::vector<Number>& order) {
  order.resize(values.size());
  if (values.size() < radix_pays || values.size() > other_mask) {
    std::iota(order.begin(), order.end(), Number{0});
    std::ranges::stable_sort(
        order, {}, [&](Number row) { return key_of(values[static_cast<std::size_t>(row)] + 0.0); });
    return;
  }
  std::vector<std::uint64_t> words(values.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = (key_of(values[i] + 0.0) & ~other_mask) | i;
  }
  sort_by_key(words, [&](std::uint64_t word) { return key_of(values[word & other_mask] + 0.0); });
  std::ranges::transform(words, order.begin(),
                         [](std::uint64_t word) { return static_cast<Number>(word & other_mask); });
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
    sort_by_key(keys, std::identity{});
    std::ranges::transform(keys, values.begin(), value_of);
  }
}

void order_ascending(std::span<const double> values, std::vector<std::int64_t>& order) {
  write_order(values, order);
}
void order_ascending(std::span<const double> values, std::vector<std::uint32_t>& order) {
  write_order(values, order);
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
