#include "base/sha256.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fairfront::base {
namespace {

TEST(Sha256, GivesTheAnswersOfFips180) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, RawBytesInPiecesHashLikeTheWhole) {
  Sha256 hash;
  hash.add_bytes(std::as_bytes(std::span{"a", 1}));
  hash.add_bytes({});
  hash.add_bytes(std::as_bytes(std::span{"bc", 2}));
  EXPECT_EQ(hash.finish(), sha256_of("abc"));
}

TEST(Sha256, TextCarriesItsLengthInFront) {
  Sha256 hash;
  hash.add_text("abc");
  EXPECT_EQ(hash.finish(), sha256_of(std::string("\3\0\0\0\0\0\0\0abc", 11)));
}

TEST(Sha256, ValuesCarryTheirNumberInFrontAndAreLittleEndian) {
  const std::array<std::uint16_t, 2> values{0x0102, 0x0304};
  Sha256 hash;
  hash.add_values(std::span<const std::uint16_t>{values});
  EXPECT_EQ(hash.finish(), sha256_of(std::string("\2\0\0\0\0\0\0\0\2\1\4\3", 12)));
}

TEST(Sha256, TheSameCharactersCutElsewhereHashDifferently) {
  auto digest = [](const std::string& first, const std::string& second) {
    Sha256 hash;
    hash.add_text(first);
    hash.add_text(second);
    return hash.finish();
  };
  EXPECT_NE(digest("ab", "c"), digest("a", "bc"));
  EXPECT_NE(digest("abc", ""), digest("", "abc"));
}

TEST(Sha256, LongArraysAreHashedInPiecesToTheSameDigest) {
  static int asked = 0;
  const std::vector<double> values(3'000'000, 0.25);
  Sha256 whole, pieces;
  whole.add_values(std::span<const double>{values});
  pieces.add_values(
      std::span<const double>{values}, +[] { ++asked; });
  EXPECT_EQ(pieces.finish(), whole.finish());
  EXPECT_GE(asked, 5);
}

TEST(Sha256, AMovedComputationGoesOn) {
  Sha256 first;
  first.add_bytes(std::as_bytes(std::span{"ab", 2}));
  Sha256 second = std::move(first);
  second.add_bytes(std::as_bytes(std::span{"c", 1}));
  EXPECT_EQ(second.finish(), sha256_of("abc"));
}

}  // namespace
}  // namespace fairfront::base
