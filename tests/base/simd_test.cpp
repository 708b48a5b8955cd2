#include "base/simd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/error.hpp"

namespace fairfront::base {
namespace {

constexpr std::array old_processor{Simd::baseline};
constexpr std::array new_processor{Simd::baseline, Simd::avx2, Simd::avx512};

std::string complaint(std::string_view word, std::span<const Simd> available) {
  try {
    static_cast<void>(choose_simd(word, available));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Simd, WithoutAWordTheWidestIsTaken) {
  EXPECT_EQ(choose_simd("", old_processor), Simd::baseline);
  EXPECT_EQ(choose_simd("", new_processor), Simd::avx512);
}

TEST(Simd, AWordForcesOneThatTheProcessorHas) {
  for (const Simd simd : new_processor) EXPECT_EQ(choose_simd(name_of(simd), new_processor), simd);
}

TEST(Simd, OneThatTheProcessorLacksIsRefusedWithThoseThatItHas) {
  EXPECT_EQ(complaint("avx2", old_processor),
            "FAIRFRONT_SIMD = avx2: this processor does not have "
            "it, only " +
                std::string{name_of(Simd::baseline)});
}

TEST(Simd, AnotherWordIsRefusedWithThoseThatThereAre) {
  for (const std::string word : {"avx", "AVX2", " avx2", "native", "\x1b[31m"}) {
    EXPECT_THAT(complaint(word, new_processor),
                ::testing::EndsWith(", must be one of " + std::string{name_of(Simd::baseline)} +
                                    ", avx2, avx512"))
        << word;
  }
  EXPECT_THAT(complaint("\x1b[31m", new_processor), ::testing::Not(::testing::HasSubstr("\x1b")));
}

TEST(Simd, TheBaselineIsAlwaysThereAndTheOneTakenIsAvailable) {
  ASSERT_FALSE(available_simd().empty());
  EXPECT_EQ(available_simd().front(), Simd::baseline);
  EXPECT_THAT(available_simd(), ::testing::Contains(simd()));
}

}  // namespace
}  // namespace fairfront::base
