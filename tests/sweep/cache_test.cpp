#include "sweep/cache.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/shared_pages.hpp"
#include "parallel/comm.hpp"
#include "parallel/node_shelf.hpp"

namespace fairfront::sweep {
namespace {

/// A cache of numbers that counts how often each is made.
struct Numbers {
  explicit Numbers(std::size_t most_bytes) : cache{most_bytes} {}
  std::shared_ptr<const int> get(int key, std::size_t bytes) {
    return cache.get<int>(std::to_string(key), [&] {
      made.push_back(key);
      return Made<int>{std::make_shared<int>(10 * key), bytes};
    });
  }
  Cache cache;
  std::vector<int> made;
};

TEST(Cache, MakesTheValueOfAKeyOnce) {
  Numbers numbers(100);
  const auto first = numbers.get(1, 40);
  EXPECT_EQ(*first, 10);
  EXPECT_EQ(numbers.get(1, 40), first);
  EXPECT_EQ(numbers.made, std::vector{1});
}

TEST(Cache, KeepsItsBoundByDroppingWhatWasUsedLongestAgo) {
  Numbers numbers(100);
  (void)numbers.get(1, 40);
  (void)numbers.get(2, 40);
  (void)numbers.get(1, 40);  // now 2 is the one used longest ago
  const auto third = numbers.get(3, 40);
  EXPECT_EQ(numbers.cache.bytes(), 80u);
  (void)numbers.get(1, 40);
  (void)numbers.get(3, 40);
  EXPECT_EQ(numbers.made, (std::vector{1, 2, 3}));
  (void)numbers.get(2, 40);
  EXPECT_EQ(numbers.made, (std::vector{1, 2, 3, 2}));
  EXPECT_EQ(*third, 30);
  for (int key = 10; key < 200; ++key) {
    (void)numbers.get(key, static_cast<std::size_t>(key % 50));
    EXPECT_LE(numbers.cache.bytes(), 100u);
  }
}

TEST(Cache, AValueLargerThanTheBoundIsKeptAloneUntilTheNext) {
  Numbers numbers(100);
  (void)numbers.get(1, 10);
  (void)numbers.get(2, 500);
  EXPECT_EQ(numbers.cache.bytes(), 500u);
  (void)numbers.get(2, 500);
  EXPECT_EQ(numbers.made, (std::vector{1, 2}));
  (void)numbers.get(3, 10);
  EXPECT_EQ(numbers.cache.bytes(), 10u);
}

TEST(Cache, AMakerThatThrowsLeavesNothingBehind) {
  Cache cache(100);
  const auto fail = []() -> Made<int> { throw std::runtime_error("no file"); };
  EXPECT_THROW((void)cache.get<int>("a", fail), std::runtime_error);
  EXPECT_EQ(cache.bytes(), 0u);
  const auto make = [] { return Made<int>{std::make_shared<int>(1), 10}; };
  EXPECT_EQ(*cache.get<int>("a", make), 1);
}

TEST(Cache, TwoTypesUnderOneKeyAreAnError) {
  Cache cache(100);
  (void)cache.get<int>("a", [] { return Made<int>{std::make_shared<int>(1), 1}; });
  const auto make = [] { return Made<double>{std::make_shared<double>(1), 1}; };
  EXPECT_THROW((void)cache.get<double>("a", make), std::logic_error);
}

TEST(Cache, AMakerMayUseTheCache) {
  Cache cache(100);
  const auto inner = [] { return Made<int>{std::make_shared<int>(7), 4}; };
  const auto outer = [&] {
    return Made<int>{std::make_shared<int>(*cache.get<int>("inner", inner) + 1), 4};
  };
  EXPECT_EQ(*cache.get<int>("outer", outer), 8);
  EXPECT_EQ(cache.bytes(), 8u);
}

/// Numbers in great number, which ranks of a node have once.
struct Long {
  std::vector<double> values;
};
template <class Pages, base::IsOf<Long> S>
void walk_fields(Pages& pages, S& value) {
  pages(value.values);
}

TEST(Cache, OneRankOfANodeMakesWhatAllHave) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const auto shelf = std::make_shared<parallel::NodeShelf>(world);
  const auto sharing = sharing_of<Long>([](const Long& value) { return value.values.size(); });
  Cache cache;
  cache.share(shelf);
  std::int64_t made = 0;
  const auto make = [&] {
    ++made;
    return Made<Long>{std::make_shared<Long>(Long{std::vector<double>(300'000, 0.5)}), 300'000};
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cache.get<Long>("key", make, sharing)->values, std::vector<double>(300'000, 0.5));
  }
  EXPECT_EQ(cache.bytes(), 300'000u);
  EXPECT_EQ(parallel::all_reduce_sum(world, made), 1);
}

TEST(Cache, AMakerThatThrowsLeavesTheValueToTheNextRank) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const auto sharing = sharing_of<Long>([](const Long& value) { return value.values.size(); });
  Cache cache;
  cache.share(std::make_shared<parallel::NodeShelf>(world));
  const auto make = [&]() -> Made<Long> {
    if (world.is_root()) throw std::runtime_error("no file");
    return {std::make_shared<Long>(Long{{1, 2}}), 2};
  };
  // Alone, rank 0 makes it and fails; beside others it fails or has what one of them has made.
  try {
    EXPECT_EQ(cache.get<Long>("key", make, sharing)->values, (std::vector<double>{1, 2}));
    EXPECT_GT(world.size(), 1);
  } catch (const std::runtime_error&) {
    EXPECT_TRUE(world.is_root());
  }
  (void)parallel::all_reduce_sum(world, 0);
}

}  // namespace
}  // namespace fairfront::sweep
