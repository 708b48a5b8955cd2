#include "base/shared_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace fairfront::base {
namespace {

using ::testing::ElementsAre;

enum class Kind { first, second };

struct Value {
  std::int64_t number = 0;
  bool yes = false;
  Kind kind = Kind::first;
  std::string text;
  std::vector<std::string> texts;
  std::vector<double> values;
  std::vector<std::vector<std::int32_t>> lists;
  std::array<std::vector<float>, 2> pair;
  bool operator==(const Value&) const = default;
};

template <class Pages, IsOf<Value> S>
void walk_fields(Pages& pages, S& value) {
  auto& [number, yes, kind, text, texts, values, lists, pair] = value;
  pages(number, yes, kind, text, texts, values, lists, pair);
}

Value value_of(std::size_t length) {
  Value value{.number = -7,
              .yes = true,
              .kind = Kind::second,
              .text = std::string("a\0b", 3),
              .texts = {"", "two"},
              .values = std::vector<double>(length),
              .lists = {{1, 2}, {}, std::vector<std::int32_t>(length, 5)},
              .pair = {std::vector<float>{1.5F}, {}}};
  std::iota(value.values.begin(), value.values.end(), 0.5);
  return value;
}

Value taken(const Descriptor& file) {
  Value value;
  PageReader pages(file);
  pages(value);
  return value;
}

/// Arrays of no elements, of some, around the least that is shared, and of many pages.
TEST(SharedPages, WhatIsTakenIsWhatWasLaidDown) {
  const OwnPages own_pages;
  constexpr std::size_t least = least_shared_bytes / sizeof(double);
  for (const std::size_t length : {std::size_t{0}, std::size_t{3}, least - 1, least, least + 1,
                                   2 * least, 3 * least + 511, std::size_t{1'000'003}}) {
    const Value value = value_of(length);
    PageWriter pages;
    pages(value);
    const Descriptor file = pages.finish();
    ASSERT_TRUE(file.valid());
    EXPECT_EQ(value, value_of(length)) << "laying down changes nothing";
    EXPECT_EQ(taken(file), value) << length;
    EXPECT_EQ(taken(file), value) << length;
  }
}

TEST(SharedPages, ACopyThatIsWrittenToIsNobodyElsesCopy) {
  const OwnPages own_pages;
  const Value value = value_of(1'000'000);
  PageWriter pages;
  pages(value);
  const Descriptor file = pages.finish();
  Value first = taken(file);
  const Value second = taken(file);
  for (double& number : first.values) number = -number;
  first.values.resize(2'000'000, 1);
  first.values.erase(first.values.begin());
  EXPECT_EQ(first.values[10], -11.5);
  EXPECT_EQ(second, value);
  EXPECT_EQ(taken(file), value);
  EXPECT_EQ(value, value_of(1'000'000));
}

TEST(SharedPages, WhatIsFreedComesBackAsZeros) {
  const OwnPages own_pages;
  const Value value = value_of(500'000);
  PageWriter pages;
  pages(value);
  const Descriptor file = pages.finish();
  for (int i = 0; i < 20; ++i) {
    { const Value copy = taken(file); }
    const std::vector<double> zeros(500'000 + 1'000 * static_cast<std::size_t>(i));
    EXPECT_EQ(std::accumulate(zeros.begin(), zeros.end(), 0.0), 0.0);
  }
}

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
#define FAIRFRONT_COUNTS_PAGES
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef FAIRFRONT_COUNTS_PAGES
#endif
#endif
#ifdef FAIRFRONT_COUNTS_PAGES
/// Kilobytes of this process that no other mapping has, by the kernel's count.
std::int64_t private_kilobytes() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  std::int64_t sum = 0;
  for (std::string name; rollup >> name;) {
    std::int64_t number = 0;
    if (name == "Private_Dirty:" && rollup >> number) sum += number;
  }
  return sum;
}

TEST(SharedPages, LongArraysAreThereOnce) {
  const OwnPages own_pages;
  constexpr std::int64_t kilobytes = 80'000;  // of the array of doubles, and half as many again
  const Value value = value_of(10'000'000);
  const std::int64_t before = private_kilobytes();
  PageWriter pages;
  pages(value);
  const Descriptor file = pages.finish();
  const Value copy = taken(file);
  const Value other = taken(file);
  EXPECT_EQ(copy.values.back(), value.values.back());
  EXPECT_EQ(other.lists.back().back(), 5);
  EXPECT_LT(private_kilobytes(), before - kilobytes) << "the pages of the array are the file's";
}

/// A system that promises no more memory than it has refuses mappings: arrays keep their pages
/// then.
TEST(SharedPages, WhereNothingMoreCanBeMappedArraysStayAsTheyAre) {
  const auto lay_down_within_a_limit = [] {
    const OwnPages own_pages;
    const Value value = value_of(1'000'000);
    const Value expected = value;
    const struct rlimit none { 1 << 20, 1 << 20 };
    if (::setrlimit(RLIMIT_DATA, &none) != 0) std::_Exit(2);
    PageWriter pages;
    pages(value.number, value.values);
    std::_Exit(value == expected ? 0 : 1);
  };
  EXPECT_EXIT(lay_down_within_a_limit(), testing::ExitedWithCode(0), "");
}
#endif

TEST(SharedPages, WhatNobodyHasLaidDownIsRefused) {
  const Descriptor none(-1);
  EXPECT_THROW(PageReader{none}, PagesError);
  std::FILE* const plain = std::tmpfile();
  const Descriptor file(::dup(::fileno(plain)));
  std::fclose(plain);
  EXPECT_THROW(PageReader{file}, PagesError);
  PageWriter pages;
  pages(std::string("short"));
  const Descriptor text = pages.finish();
  PageReader reader(text);
  std::string taken_text;
  double more = 0;
  reader(taken_text);
  EXPECT_EQ(taken_text, "short");
  EXPECT_THROW(reader(more), PagesError);
}

}  // namespace
}  // namespace fairfront::base
