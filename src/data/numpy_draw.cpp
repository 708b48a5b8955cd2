#include "data/numpy_draw.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

namespace fairfront::data {
namespace {

/// Uniform on 0 .. most: masks a draw to the fewest bits that hold `most`, repeats while too big.
std::uint32_t masked_draw(std::mt19937& engine, std::uint32_t most) {
  const std::uint32_t mask = std::numeric_limits<std::uint32_t>::max() >> std::countl_zero(most);
  while (true) {
    const auto value = static_cast<std::uint32_t>(engine()) & mask;
    if (value <= most) return value;
  }
}

}  // namespace

std::vector<std::int64_t> numpy_choice(std::int64_t rows, std::int64_t count, std::uint32_t seed) {
  if (count < 0 || count > rows || rows > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument(fmt::format(
        "numpy_choice: count = {}, rows = {}, must be 0 <= count <= rows < 2^32", count, rows));
  }
  std::mt19937 engine(seed);
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t i = order.size(); i-- > 1;) {
    std::swap(order[i], order[masked_draw(engine, static_cast<std::uint32_t>(i))]);
  }
  order.resize(static_cast<std::size_t>(count));
  return order;
}

}  // namespace fairfront::data
