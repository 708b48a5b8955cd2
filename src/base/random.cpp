#include "base/random.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "base/elementary.hpp"
#include "base/sha256.hpp"

namespace fairfront::base {

StreamKey::StreamKey(std::uint64_t seed, std::string_view task_key, std::string_view purpose) {
  Sha256 hash;
  hash.add_values(std::span<const std::uint64_t>{&seed, 1});
  hash.add_text(task_key);
  hash.add_text(purpose);
  value_ = std::stoull(hash.finish().substr(0, 16), nullptr, 16);
}

double Stream::normal() noexcept {
  const double radius = std::sqrt(-2.0 * base::log(1.0 - uniform()));
  return radius * base::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace fairfront::base
