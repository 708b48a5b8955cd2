#include "parallel/agree.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "parallel/comm.hpp"

namespace fairfront::parallel {
namespace {

class DamagedArchive : public base::Error {
 public:
  using Error::Error;
  [[nodiscard]] base::ExitCode exit_code() const noexcept override {
    return base::ExitCode::archive_damaged;
  }
};

/// What `agree` threw on this rank. Collective.
std::optional<CollectiveError> outcome(const Comm& comm, const std::string& what,
                                       const std::function<void()>& work) {
  try {
    agree(comm, what, work);
    return std::nullopt;
  } catch (const CollectiveError& error) {
    return error;
  }
}

std::string message(const std::optional<CollectiveError>& error) {
  return error ? error->what() : "no error";
}

/// Rank 0 does the work that only one rank can do, so it is not named.
std::string on_rank(int rank) { return rank > 0 ? fmt::format(" (rank {})", rank) : std::string{}; }

TEST(Agree, ReturnsWhenNobodyThrows) {
  const Comm world(MPI_COMM_WORLD);
  int ran = 0;
  EXPECT_FALSE(outcome(world, "nothing", [&] { ++ran; }));
  EXPECT_EQ(ran, 1);
}

TEST(Agree, OfAProcessAloneNeedsNoMpi) {
  const auto error =
      outcome(Comm::alone(), "reading", [] { throw base::InputError("no such file"); });
  EXPECT_EQ(message(error), "reading: no such file");
  EXPECT_FALSE(outcome(Comm::alone(), "nothing", [] {}));
}

TEST(Agree, AnErrorOnAnyOneRankMakesEveryRankThrowTheSameError) {
  const Comm world(MPI_COMM_WORLD);
  for (int culprit = 0; culprit < world.size(); ++culprit) {
    const auto error = outcome(world, "reading shard", [&] {
      if (world.rank() == culprit) throw base::InputError(fmt::format("no shard {}", culprit));
    });
    EXPECT_EQ(message(error),
              fmt::format("reading shard: no shard {}{}", culprit, on_rank(culprit)));
    EXPECT_TRUE(error && error->failed_rank() == culprit);
    EXPECT_TRUE(error && error->exit_code() == base::ExitCode::bad_input);
  }
}

TEST(Agree, WhenSeveralThrowTheLowestRankIsHeard) {
  const Comm world(MPI_COMM_WORLD);
  const int lowest = world.size() / 2;
  const auto error = outcome(world, "", [&] {
    if (world.rank() >= lowest) throw std::runtime_error(fmt::format("rank {}", world.rank()));
  });
  EXPECT_EQ(message(error), fmt::format("rank {}", lowest) + on_rank(lowest));
  EXPECT_TRUE(error && error->failed_rank() == lowest);
}

TEST(Agree, KeepsTheExitCodeOfTheFirstFailure) {
  const Comm world(MPI_COMM_WORLD);
  const int last = world.size() - 1;
  const auto error = outcome(world, "verify", [&] {
    if (world.rank() == last) throw DamagedArchive("digest");
  });
  EXPECT_TRUE(error && error->exit_code() == base::ExitCode::archive_damaged);
  const auto mixed = outcome(world, "verify", [&] {
    if (world.rank() == 0) throw base::InputError("path");
    throw DamagedArchive("digest");
  });
  EXPECT_TRUE(mixed && mixed->exit_code() == base::ExitCode::bad_input);
}

TEST(Agree, KeepsWhoseFaultTheFirstFailureIs) {
  const Comm world(MPI_COMM_WORLD);
  const int last = world.size() - 1;
  const auto out_of_memory = outcome(world, "", [&] {
    if (world.rank() == last) throw std::bad_alloc();
  });
  EXPECT_EQ(message(out_of_memory), "out of memory" + on_rank(last));
  EXPECT_TRUE(out_of_memory && out_of_memory->exit_code() == base::ExitCode::internal);
  EXPECT_TRUE(out_of_memory && out_of_memory->fault() == base::Fault::program);
  const auto unreadable = outcome(world, "", [&] {
    if (world.rank() == last) throw base::DataError("no file");
  });
  EXPECT_TRUE(unreadable && unreadable->exit_code() == base::ExitCode::bad_input);
  EXPECT_TRUE(unreadable && unreadable->fault() == base::Fault::data);
}

TEST(Agree, WhatIsNoStandardExceptionIsAnUnknownError) {
  const Comm world(MPI_COMM_WORLD);
  const auto error = outcome(world, "work", [&] {
    if (world.is_root()) throw 42;
  });
  EXPECT_EQ(message(error), "work: unknown error" + on_rank(0));
  EXPECT_TRUE(error && error->exit_code() == base::ExitCode::internal);
}

TEST(Agree, AnEmptyMessageArrivesEmpty) {
  const Comm world(MPI_COMM_WORLD);
  const auto error = outcome(world, "", [&] {
    if (world.is_root()) throw base::InputError("");
  });
  EXPECT_EQ(message(error), on_rank(0));
}

TEST(Agree, OnASplitCommunicatorTheOtherHalfNeedNotTakePart) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  if (world.rank() % 2 == 0) {
    const auto error = outcome(half, "half", [&] {
      if (half.rank() == half.size() - 1) throw base::InputError("broken");
    });
    EXPECT_TRUE(error && error->failed_rank() == half.size() - 1);
  }
  EXPECT_FALSE(outcome(world, "all", [] {}));
}

TEST(Agree, WorksAgainAfterAnError) {
  const Comm world(MPI_COMM_WORLD);
  for (int round = 0; round < 20; ++round) {
    const bool fails = round % 3 == 0;
    const auto error = outcome(world, "round", [&] {
      if (fails && world.rank() == round % world.size()) throw std::runtime_error("x");
    });
    EXPECT_EQ(error.has_value(), fails);
  }
}

}  // namespace
}  // namespace fairfront::parallel
