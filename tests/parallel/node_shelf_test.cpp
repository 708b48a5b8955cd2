#include "parallel/node_shelf.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/shared_pages.hpp"
#include "base/stop.hpp"
#include "parallel/comm.hpp"

namespace fairfront::parallel {
namespace {

base::Descriptor laid_down(const std::vector<double>& values) {
  base::PageWriter pages;
  pages(values);
  return pages.finish();
}

std::vector<double> taken(const base::Descriptor& file) {
  base::PageReader pages(file);
  std::vector<double> values;
  pages(values);
  return values;
}

const std::vector<double> long_value(300'000, 2.5);

TEST(NodeShelf, IsThereWhereANodeHasSeveralRanks) {
  const Comm world(MPI_COMM_WORLD);
  const NodeShelf shelf(world);
  EXPECT_EQ(shelf.is_shared(), world.size() > 1);
  const Comm alone = world.split(world.rank());
  EXPECT_FALSE(NodeShelf(alone).is_shared());
}

TEST(NodeShelf, OneRankMakesWhatAllHave) {
  const Comm world(MPI_COMM_WORLD);
  NodeShelf shelf(world);
  std::int64_t made = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "value " + std::to_string(i);
    if (const auto file = shelf.take_or_claim(name)) {
      EXPECT_EQ(taken(*file), long_value);
    } else {
      ++made;
      shelf.lay_down(name, laid_down(long_value));
    }
  }
  const std::int64_t all = all_reduce_sum(world, made);
  if (shelf.is_shared()) {
    // A rank that is far ahead has taken back its first values; the others make them again.
    EXPECT_GE(all, 100);
    EXPECT_LE(all, 100 + 36 * (world.size() - 1));
  }
}

TEST(NodeShelf, WhoCannotMakeAValueLeavesItToTheNext) {
  const Comm world(MPI_COMM_WORLD);
  NodeShelf shelf(world);
  std::int64_t tried = 0;
  std::int64_t found = 0;
  if (shelf.take_or_claim("refused")) {
    ++found;
  } else {
    ++tried;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    shelf.leave("refused");
  }
  EXPECT_EQ(all_reduce_sum(world, tried), world.size());
  EXPECT_EQ(all_reduce_sum(world, found), 0);
}

TEST(NodeShelf, WhatIsTakenBackIsNotThereButStaysWithThoseWhoHaveIt) {
  const Comm world(MPI_COMM_WORLD);
  NodeShelf shelf(world);
  if (!shelf.is_shared()) return;
  if (world.is_root()) {
    EXPECT_FALSE(shelf.take_or_claim("name").has_value());
    shelf.lay_down("name", laid_down({1, 2, 3}));
  }
  (void)all_reduce_sum(world, 0);
  const std::optional<base::Descriptor> file = shelf.take_or_claim("name");
  EXPECT_TRUE(file.has_value());
  (void)all_reduce_sum(world, 0);
  if (world.is_root()) shelf.take_back("name");
  (void)all_reduce_sum(world, 0);
  if (file) {
    EXPECT_EQ(taken(*file), (std::vector<double>{1, 2, 3}));
  }
  (void)all_reduce_sum(world, 0);
  if (world.is_root()) {
    EXPECT_FALSE(shelf.take_or_claim("name").has_value());
    shelf.leave("name");
  }
}

TEST(NodeShelf, AStopEndsTheWaitForAnotherRank) {
  const Comm world(MPI_COMM_WORLD);
  NodeShelf shelf(world);
  if (!shelf.is_shared()) return;
  if (world.is_root()) {
    EXPECT_FALSE(shelf.take_or_claim("slow").has_value());
  }
  (void)all_reduce_sum(world, 0);
  if (!world.is_root()) {
    const auto begin = std::chrono::steady_clock::now();
    const base::StopScope scope(
        [&] { return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(30); });
    EXPECT_THROW((void)shelf.take_or_claim("slow"), base::Interrupted);
  }
  (void)all_reduce_sum(world, 0);
  if (world.is_root()) shelf.leave("slow");
}

TEST(NodeShelf, WorksOnAPartOfTheRanks) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  NodeShelf shelf(half);
  const bool made = !shelf.take_or_claim("half").has_value();
  if (made) shelf.lay_down("half", laid_down(long_value));
  const std::int64_t makers = all_reduce_sum(half, made ? 1 : 0);
  EXPECT_EQ(makers, 1);
}

}  // namespace
}  // namespace fairfront::parallel
