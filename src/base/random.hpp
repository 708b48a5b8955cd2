/// @file
/// Counter-based random streams: Philox4x32-10 of Salmon, Moraes, Dror, Shaw (2011),
/// "Parallel random numbers: as easy as 1, 2, 3"; the tests compare with their Random123 library.
///
/// A stream is addressed by what the numbers are for, never by rank, thread or clock, so the
/// numbers do not depend on who draws them or when.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace fairfront::base {

/// One family of streams: everything that (seed, task key, purpose) draws.
class StreamKey {
 public:
  /// Hashes the three into the 64-bit Philox key.
  StreamKey(std::uint64_t seed, std::string_view task_key, std::string_view purpose);
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_;
};

/// The random numbers of one address (key, index): up to 2^64 blocks of four 32-bit words.
/// The distributions are ours, because those of the standard library differ between vendors.
class Stream {
 public:
  Stream(StreamKey key, std::uint64_t index) noexcept
      : key_{{low(key.value()), high(key.value())}}, counter_{{0, 0, low(index), high(index)}} {}

  /// The next 32 random bits.
  std::uint32_t bits32() noexcept {
    if (used_ == block_.size()) refill();
    return block_[used_++];
  }
  std::uint64_t bits64() noexcept {
    const std::uint64_t upper = bits32();
    return upper << 32 | bits32();
  }

  /// Uniform on 0 .. bound-1 without bias (Lemire, 2019); bound >= 1.
  std::uint32_t below(std::uint32_t bound) noexcept {
    std::uint64_t product = std::uint64_t{bits32()} * bound;
    if (low(product) < bound) {
      const std::uint32_t threshold = (0u - bound) % bound;
      while (low(product) < threshold) product = std::uint64_t{bits32()} * bound;
    }
    return high(product);
  }

  /// Fills `result` with what as many calls of below(bound) give, in less time.
  void fill_below(std::uint32_t bound, std::span<std::int64_t> result) noexcept;

  /// Uniform on [0, 1): multiples of 2^-53.
  double uniform() noexcept { return static_cast<double>(bits64() >> 11) * 0x1p-53; }

  /// Standard normal (Box and Muller, 1958); one value a call.
  double normal() noexcept;

  /// Fisher-Yates; every order equally likely.
  template <class T>
  void shuffle(std::span<T> values) noexcept {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  static constexpr std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
  static constexpr std::uint32_t high(std::uint64_t v) {
    return static_cast<std::uint32_t>(v >> 32);
  }
  /// The ten rounds of Figure 1 and Table 2 of the paper. Ours, because the library's header brings
  /// 60,000 lines of intrinsics into every unit, and a call that is not inline doubles the price.
  void refill() noexcept {
    auto [a, b, c, d] = counter_;
    auto [key, other_key] = key_;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t first = std::uint64_t{0xD2511F53} * a;
      const std::uint64_t second = std::uint64_t{0xCD9E8D57} * c;
      a = high(second) ^ b ^ key;
      b = low(second);
      c = high(first) ^ d ^ other_key;
      d = low(first);
      key += 0x9E3779B9;
      other_key += 0xBB67AE85;
    }
    block_ = {a, b, c, d};
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  std::size_t used_ = 4;
};

}  // namespace fairfront::base
