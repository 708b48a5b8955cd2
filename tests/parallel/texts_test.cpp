#include "parallel/texts.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "failing_memory.hpp"
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

TEST(Scatter, OfAProcessAloneNeedsNoMpi) {
  EXPECT_EQ(scatter(Comm::alone(), {"a text"}), "a text");
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

/// Empty for every third pair of ranks.
std::string text_between(int from, int to) {
  const auto length = static_cast<std::size_t>((from + to) % 3 == 1 ? 0 : 1 + 30'000 * (from + 1));
  return std::string(length, static_cast<char>('a' + 5 * from + to));
}

void expect_exchange(const Comm& comm) {
  std::vector<std::string> texts;
  for (int to = 0; to < comm.size(); ++to) texts.push_back(text_between(comm.rank(), to));
  const std::vector<std::string> found = exchange_texts(comm, std::move(texts));
  ASSERT_EQ(std::ssize(found), comm.size());
  for (int from = 0; from < comm.size(); ++from) {
    EXPECT_EQ(found[static_cast<std::size_t>(from)], text_between(from, comm.rank())) << from;
  }
}

TEST(ExchangeTexts, BringsEveryRankWhatEachHasForIt) {
  const Comm world(MPI_COMM_WORLD);
  expect_exchange(world);
  expect_exchange(world.split(world.rank() % 2));
}

TEST(ExchangeTexts, OfAProcessAloneNeedsNoMpi) {
  EXPECT_EQ(exchange_texts(Comm::alone(), {"a text"}), std::vector<std::string>{"a text"});
}

TEST(ExchangeTexts, TakesTextsOfSeveralMessages) {
  const Comm world(MPI_COMM_WORLD);
  std::string text(std::size_t{40'000'000}, 'a');
  text[17'000'000] = 'b';
  text.back() = 'c';
  std::vector<std::string> texts(static_cast<std::size_t>(world.size()));
  texts[static_cast<std::size_t>((world.rank() + 1) % world.size())] = text;
  const std::vector<std::string> found = exchange_texts(world, std::move(texts));
  const int before = (world.rank() + world.size() - 1) % world.size();
  EXPECT_TRUE(found[static_cast<std::size_t>(before)] == text);
}

TEST(ExchangeTexts, NoMemoryOnOneRankIsOneErrorOnEveryRank) {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "nobody sends anything";
  std::vector<std::string> texts(static_cast<std::size_t>(world.size()), std::string(5'000, 'a'));
  constexpr int lists = 3;  // of lengths, and of texts
  test::let_allocations_succeed(world.rank() == 1 ? lists : -1);
  EXPECT_THROW((void)exchange_texts(world, std::move(texts)), CollectiveError);
  test::let_allocations_succeed(-1);
  EXPECT_EQ(all_reduce_sum(world, 1), world.size()) << "still in step";
}

}  // namespace
}  // namespace fairfront::parallel
