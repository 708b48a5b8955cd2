#include "archive/hdf5_checksums.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace fairfront::archive {
namespace {

using State = std::array<std::uint32_t, 3>;
constexpr std::size_t block_bytes = 12;

void mix(State& s) {
  constexpr std::array rotations{4, 6, 8, 16, 19, 4};
  for (std::size_t round = 0; round < rotations.size(); ++round) {
    std::uint32_t& a = s[round % 3];
    std::uint32_t& b = s[(round + 1) % 3];
    std::uint32_t& c = s[(round + 2) % 3];
    a -= c;
    a ^= std::rotl(c, rotations[round]);
    c += b;
  }
}

void mix_last(State& s) {
  constexpr std::array rotations{14, 11, 25, 16, 4, 14, 24};
  for (std::size_t round = 0; round < rotations.size(); ++round) {
    std::uint32_t& to = s[(round + 2) % 3];
    const std::uint32_t from = s[(round + 1) % 3];
    to ^= from;
    to -= std::rotl(from, rotations[round]);
  }
}

// Little endian, in three numbers; what is missing of the block is 0.
void add_block(State& s, std::span<const std::byte> block) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    s[i / 4] += std::to_integer<std::uint32_t>(block[i]) << (8 * (i % 4));
  }
}

}  // namespace

std::uint32_t lookup3(std::span<const std::byte> bytes) {
  State state;
  state.fill(0xdeadbeefU + static_cast<std::uint32_t>(bytes.size()));
  for (; bytes.size() > block_bytes; bytes = bytes.subspan(block_bytes)) {
    add_block(state, bytes.first(block_bytes));
    mix(state);
  }
  if (bytes.empty()) return state[2];
  add_block(state, bytes);
  mix_last(state);
  return state[2];
}

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  // So many additions fit into 32 bits; 2^16 is 1 modulo 65,535.
  constexpr std::size_t most_words = 360;
  const auto fold = [](std::uint32_t sum) { return (sum & 0xffffU) + (sum >> 16U); };
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  while (!bytes.empty()) {
    const auto block = bytes.first(std::min(bytes.size(), 2 * most_words));
    for (std::size_t i = 0; i < block.size(); i += 2) {
      first += std::to_integer<std::uint32_t>(block[i]) << 8U;
      if (i + 1 < block.size()) first += std::to_integer<std::uint32_t>(block[i + 1]);
      second += first;
    }
    first = fold(first);
    second = fold(second);
    bytes = bytes.subspan(block.size());
  }
  return fold(second) << 16U | fold(first);
}

}  // namespace fairfront::archive
