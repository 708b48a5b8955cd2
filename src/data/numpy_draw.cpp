#include "data/numpy_draw.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace fairfront::data {

/// Masks a draw to the fewest bits that hold `most`, and repeats while it is too big.
std::uint32_t NumpyRandom::draw(std::uint32_t most) {
  const std::uint32_t mask = std::numeric_limits<std::uint32_t>::max() >> std::countl_zero(most);
  while (true) {
    const auto value = static_cast<std::uint32_t>(engine_()) & mask;
    if (value <= most) return value;
  }
}

std::vector<std::int64_t> numpy_permutation(std::int64_t rows, std::uint32_t seed) {
  if (rows < 0 || rows > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument(
        fmt::format("numpy_permutation: rows = {}, must be 0 <= rows < 2^32", rows));
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  NumpyRandom(seed).shuffle(std::span{order});
  return order;
}

std::vector<std::int64_t> numpy_choice(std::int64_t rows, std::int64_t count, std::uint32_t seed) {
  if (count < 0 || count > rows) {
    throw std::invalid_argument(
        fmt::format("numpy_choice: count = {}, must be 0 <= count <= rows = {}", count, rows));
  }
  auto order = numpy_permutation(rows, seed);
  order.resize(static_cast<std::size_t>(count));
  return order;
}

}  // namespace fairfront::data
