/// @file
/// What numpy's legacy generator draws, because the papers' samples and parts come from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace fairfront::data {

/// numpy.random.RandomState(seed): the Mersenne twister of Matsumoto and Nishimura (1998). numpy
/// froze its streams (NEP 19), so they are the same in every version.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : engine_{seed} {}

  /// What shuffle() does to an array of one dimension, of fewer than 2^32 values.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i-- > 1;) {
      std::swap(values[i], values[draw(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::uint32_t draw(std::uint32_t most);  ///< uniform on 0 .. most

  std::mt19937 engine_;
};

/// What numpy.random.RandomState(seed).permutation(rows) returns: a shuffle of 0 .. rows-1. Its
/// first `count` numbers are those of choice(rows, count, replace=False).
/// @throws std::invalid_argument  unless 0 <= rows < 2^32.
[[nodiscard]] std::vector<std::int64_t> numpy_permutation(std::int64_t rows, std::uint32_t seed);

/// What numpy.random.RandomState(seed).choice(rows, count, replace=False) returns.
/// @throws std::invalid_argument  unless 0 <= count <= rows < 2^32.
[[nodiscard]] std::vector<std::int64_t> numpy_choice(std::int64_t rows, std::int64_t count,
                                                     std::uint32_t seed);

}  // namespace fairfront::data
