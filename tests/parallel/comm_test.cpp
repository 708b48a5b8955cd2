#include "parallel/comm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "parallel/check.hpp"

namespace fairfront::parallel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string text_of_rank(int rank) {  // empty for every third rank, long for the others
  return rank % 3 == 1 ? std::string{}
                       : std::string(static_cast<std::size_t>(1 + 70'000 * rank),
                                     static_cast<char>('a' + rank));
}

TEST(Comm, CannotBeCopied) {
  EXPECT_FALSE(std::is_copy_constructible_v<Comm>);
  EXPECT_FALSE(std::is_copy_assignable_v<Comm>);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Comm>);
  EXPECT_TRUE(std::is_nothrow_move_assignable_v<Comm>);
}

TEST(Comm, IsADuplicateWithRankAndSizeOfTheParent) {
  const Comm world(MPI_COMM_WORLD);
  int rank = -1;
  int relation = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_compare(MPI_COMM_WORLD, world.get(), &relation);
  EXPECT_EQ(world.rank(), rank);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  EXPECT_EQ(world.is_root(), rank == 0);
}

TEST(Comm, AMovedCommunicatorWorksAndTheEmptyOneIsHarmless) {
  Comm first(MPI_COMM_WORLD);
  const int rank = first.rank();
  const Comm second = std::move(first);
  EXPECT_EQ(first.get(), MPI_COMM_NULL);
  EXPECT_EQ(second.rank(), rank);
  EXPECT_EQ(all_reduce_sum(second, 1), second.size());
}

TEST(Comm, AProcessAloneNeedsNoMpi) {
  const Comm alone = Comm::alone();
  EXPECT_EQ(alone.get(), MPI_COMM_NULL);  // of which any call of MPI would complain
  EXPECT_EQ(alone.size(), 1);
  EXPECT_TRUE(alone.is_root());
  EXPECT_EQ(all_reduce_sum(alone, 7), 7);
  EXPECT_EQ(all_reduce_min(alone, 7), 7);
  EXPECT_EQ(all_reduce_max(alone, 7), 7);
  EXPECT_EQ(broadcast(alone, 0, "a text"), "a text");
  EXPECT_THAT(broadcast(alone, 0, std::vector<std::string>{"a", "", "b"}),
              ElementsAre("a", "", "b"));
  EXPECT_THAT(gather(alone, "a text"), ElementsAre("a text"));
  std::vector<double> values{1, 2};
  EXPECT_THAT(all_gather(alone, values, std::vector<std::int64_t>{2}, 5), ElementsAre(5));
  EXPECT_THAT(values, ElementsAre(1, 2));
  EXPECT_EQ(alone.split(3).size(), 1);
  EXPECT_EQ(alone.split_by_node().size(), 1);
}

TEST(Comm, MoveAssignmentExchangesTheTwo) {
  Comm world(MPI_COMM_WORLD);
  Comm self(MPI_COMM_SELF);
  const int size = world.size();
  self = std::move(world);
  EXPECT_EQ(self.size(), size);
  EXPECT_EQ(world.size(), 1);
  EXPECT_EQ(all_reduce_sum(self, 1), size);
  EXPECT_EQ(all_reduce_sum(world, 1), 1);
}

TEST(Comm, SplitKeepsTheOrderOfRanks) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  EXPECT_EQ(half.rank(), world.rank() / 2);
  EXPECT_EQ(half.size(), (world.size() + 1 - world.rank() % 2) / 2);
}

TEST(Comm, AFailedCallIsAnErrorThatNamesTheCall) {
  const Comm world(MPI_COMM_WORLD);
  try {
    (void)broadcast(world, world.size(), "to a root that does not exist");  // fails on all ranks
    ADD_FAILURE() << "no error";
  } catch (const MpiError& error) {
    EXPECT_THAT(error.what(), HasSubstr("MPI_Ibcast failed: "));
  }
}

TEST(Reductions, AreOverTheCommunicatorGiven) {
  const Comm world(MPI_COMM_WORLD);
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_EQ(all_reduce_min(world, big + world.rank()), big);
  EXPECT_EQ(all_reduce_max(world, -big - world.rank()), -big);
  EXPECT_EQ(all_reduce_sum(world, big), big * world.size());
  const Comm half = world.split(world.rank() % 2);
  EXPECT_EQ(all_reduce_sum(half, world.rank() % 2), world.rank() % 2 * half.size());
  EXPECT_EQ(all_reduce_max(half, world.rank()) % 2, world.rank() % 2);
}

TEST(Broadcast, BringsTheRootsTextToEveryRank) {
  const Comm world(MPI_COMM_WORLD);
  for (int root = 0; root < world.size(); ++root) {
    EXPECT_EQ(broadcast(world, root, text_of_rank(world.rank())), text_of_rank(root));
  }
}

TEST(Broadcast, StaysInsideASplitCommunicator) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  const int last = half.size() - 1;
  EXPECT_EQ(broadcast(half, last, text_of_rank(world.rank())),
            text_of_rank(2 * last + world.rank() % 2));
}

TEST(Broadcast, InShortMessagesBringsAllBytes) {
  const Comm world(MPI_COMM_WORLD);
  const std::string sent = "0123456789";
  for (const std::size_t length : {0u, 1u, 2u, 3u, 4u, 10u}) {
    std::string text = sent.substr(0, world.is_root() ? length : 0);
    text.resize(length);
    broadcast_bytes(world, 0, text, 3);
    EXPECT_EQ(text, sent.substr(0, length));
  }
}

TEST(Broadcast, OfTextsKeepsEveryByteOfThem) {
  const Comm world(MPI_COMM_WORLD);
  const std::vector<std::vector<std::string>> lists{
      {}, {""}, {"", ""}, {"a (b", "c, d", " ", "e\nf\n\n", std::string("\0g", 2)}};
  for (int root = 0; root < world.size(); ++root) {
    for (const std::vector<std::string>& list : lists) {
      const bool mine = world.rank() == root;
      EXPECT_EQ(broadcast(world, root, mine ? list : std::vector<std::string>{"other"}), list);
    }
  }
}

TEST(Layout, PutsThePartsOneBehindAnother) {
  const Layout layout = layout_of(std::vector<std::int64_t>{3, 0, 4});
  EXPECT_THAT(layout.counts, ElementsAre(3, 0, 4));
  EXPECT_THAT(layout.offsets, ElementsAre(0, 3, 3));
  EXPECT_EQ(layout.total, 7u);
}

TEST(Layout, OfMoreThanAnOffsetCanSayIsRefused) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  EXPECT_THAT(layout_of(std::vector{most, std::int64_t{0}}).offsets,
              ElementsAre(0, static_cast<int>(most)));
  EXPECT_THROW((void)layout_of(std::vector{most + 1}), std::length_error);
  EXPECT_THROW((void)layout_of(std::vector{most, std::int64_t{1}, std::int64_t{1}}),
               std::length_error);
}

TEST(Gather, BringsEveryTextToRankZeroInOrder) {
  const Comm world(MPI_COMM_WORLD);
  const std::vector<std::string> texts = gather(world, text_of_rank(world.rank()));
  EXPECT_EQ(std::ssize(texts), world.is_root() ? world.size() : 0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i], text_of_rank(static_cast<int>(i)));
  }
}

TEST(Gather, StaysInsideASplitCommunicator) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  const std::vector<std::string> texts = gather(half, std::to_string(world.rank()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i], std::to_string(2 * static_cast<int>(i) + world.rank() % 2));
  }
  EXPECT_EQ(std::ssize(texts), half.is_root() ? half.size() : 0);
}

TEST(Gather, OfEmptyTextsGivesEmptyTexts) {
  const Comm world(MPI_COMM_WORLD);
  const std::vector<std::string> texts = gather(world, "");
  if (world.is_root()) {
    EXPECT_EQ(texts, std::vector<std::string>(static_cast<std::size_t>(world.size())));
  }
}

}  // namespace
}  // namespace fairfront::parallel
