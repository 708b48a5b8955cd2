#include "parallel/texts.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "parallel/agree.hpp"

namespace fairfront::parallel {
namespace {

/// Empty for every third rank.
std::string numbered_text(int rank) {
  const auto length = static_cast<std::size_t>(rank % 3 == 1 ? 0 : 1 + 70'000 * rank);
  return std::string(length, static_cast<char>('a' + rank));
}

std::vector<std::string> texts_for(const Comm& comm) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < comm.size(); ++rank) texts.push_back(numbered_text(rank));
  return comm.is_root() ? texts : std::vector<std::string>{};
}

TEST(Scatter, BringsEveryRankItsText) {
  const Comm world(MPI_COMM_WORLD);
  EXPECT_EQ(scatter(world, texts_for(world)), numbered_text(world.rank()));
}

TEST(Scatter, StaysInsideASplitCommunicator) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  EXPECT_EQ(scatter(half, texts_for(half)), numbered_text(half.rank()));
}

/// Of all ranks but the first, as `use` sees them.
std::vector<std::string> texts_of_others(const Comm& comm, const std::string& mine) {
  std::vector<std::string> texts;
  for_each_text(comm, mine, [&](const std::string& text) { texts.push_back(text); });
  return texts;
}

TEST(ForEachText, ShowsRankZeroEveryOtherRanksTextInOrder) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  for (const Comm* comm : {&world, &half}) {
    const std::vector<std::string> texts = texts_of_others(*comm, numbered_text(comm->rank()));
    ASSERT_EQ(std::ssize(texts), comm->is_root() ? comm->size() - 1 : 0);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(texts[i], numbered_text(static_cast<int>(i) + 1));
    }
  }
}

TEST(ForEachText, TakesTextsOfSeveralMessages) {
  const Comm world(MPI_COMM_WORLD);
  std::string text(std::size_t{40'000'000}, 'a');
  text[17'000'000] = 'b';
  text.back() = 'c';
  for (const std::string& found : texts_of_others(world, text)) EXPECT_TRUE(found == text);
}

TEST(ForEachText, WhatRankZeroCannotUseIsOneErrorOnEveryRankAndNobodyWaits) {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "nobody sends anything";
  int seen = 0;
  const auto refuse = [&](const std::string&) {
    ++seen;
    throw base::InputError("no room");
  };
  try {
    for_each_text(world, numbered_text(world.rank()), refuse);
    ADD_FAILURE() << "no error";
  } catch (const CollectiveError& error) {
    EXPECT_STREQ(error.what(), "no room");
    EXPECT_EQ(error.exit_code(), base::ExitCode::bad_input);
  }
  EXPECT_EQ(seen, world.is_root() ? 1 : 0);
  EXPECT_EQ(gather(world, "").size(), world.is_root() ? static_cast<std::size_t>(world.size()) : 0u)
      << "still in step";
}

}  // namespace
}  // namespace fairfront::parallel
