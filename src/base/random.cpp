#include "base/random.hpp"

#include <string>

#include "base/sha256.hpp"

namespace fairfront::base {

StreamKey::StreamKey(std::uint64_t seed, std::string_view task_key, std::string_view purpose) {
  Sha256 hash;
  hash.add_values(std::span<const std::uint64_t>{&seed, 1});
  hash.add_text(task_key);
  hash.add_text(purpose);
  value_ = std::stoull(hash.finish().substr(0, 16), nullptr, 16);
}

}  // namespace fairfront::base
