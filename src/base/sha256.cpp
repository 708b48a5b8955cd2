#include "base/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace fairfront::base {

static_assert(std::endian::native == std::endian::little,
              "digests are defined over little-endian values");

struct Sha256::Context {
  EVP_MD_CTX* handle = EVP_MD_CTX_new();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(handle); }
};

namespace {
void check(int status, const char* call) {
  if (status != 1) throw std::runtime_error(fmt::format("{} failed", call));
}
}  // namespace

Sha256::Sha256() : context_{std::make_unique<Context>()} {
  check(EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr), "EVP_DigestInit_ex");
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add_bytes(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size()), "EVP_DigestUpdate");
}

void Sha256::add_pieces(std::span<const std::byte> bytes, void (*between)()) {
  constexpr std::size_t piece = std::size_t{1} << 22;
  for (std::size_t first = 0; first < bytes.size(); first += piece) {
    between();
    add_bytes(bytes.subspan(first, std::min(piece, bytes.size() - first)));
  }
}

void Sha256::add_length(std::size_t length) {
  const std::array<std::uint64_t, 1> value{length};
  add_bytes(std::as_bytes(std::span{value}));
}

void Sha256::add_text(std::string_view text) {
  add_length(text.size());
  add_bytes(std::as_bytes(std::span{text}));
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest{};
  check(EVP_DigestFinal_ex(context_->handle, digest.data(), nullptr), "EVP_DigestFinal_ex");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text += digits[byte >> 4U];
    text += digits[byte & 0xfU];
  }
  return text;
}

std::string sha256_of(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add_bytes(bytes);
  return hash.finish();
}

std::string sha256_of(std::string_view bytes) { return sha256_of(std::as_bytes(std::span{bytes})); }

}  // namespace fairfront::base
