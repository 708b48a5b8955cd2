/// @file
/// Texts in what ranks send one another and what checkpoints hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/common/packing.hpp"

namespace fairfront::sweep {

inline void put_text(solvers::Packer& packer, const std::string& text) {
  packer.array(std::span(text));
}
/// @throws base::CheckpointError  there is none.
[[nodiscard]] inline std::string take_text(solvers::Unpacker& unpacker) {
  return unpacker.array<std::string>();
}

inline void put_texts(solvers::Packer& packer, const std::vector<std::string>& texts) {
  packer.number(static_cast<std::uint64_t>(texts.size()));
  for (const std::string& text : texts) put_text(packer, text);
}
/// @throws base::CheckpointError  there are fewer.
[[nodiscard]] inline std::vector<std::string> take_texts(solvers::Unpacker& unpacker) {
  std::vector<std::string> texts;
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
    texts.push_back(take_text(unpacker));
  }
  return texts;
}

}  // namespace fairfront::sweep
