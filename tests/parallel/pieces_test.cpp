#include "parallel/pieces.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "parallel/agree.hpp"

namespace fairfront::parallel {
namespace {

/// The order, then the bytes backwards.
std::string turn(std::string_view order, std::string_view bytes) {
  std::string result{order};
  result.append(bytes.rbegin(), bytes.rend());
  return result;
}

/// Every third one is empty.
std::vector<std::string> texts_of(std::size_t count) {
  std::vector<std::string> texts(count);
  for (std::size_t i = 0; i < count; ++i) {
    texts[i] = std::string(i % 3 == 1 ? 0 : 5'000 * i, static_cast<char>('a' + i % 26));
    texts[i] += i % 3 == 1 ? "" : "end";
  }
  return texts;
}

std::vector<Piece> pieces_of(const Comm& comm, const std::vector<std::string>& texts) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < texts.size() && comm.is_root(); ++i) {
    pieces.push_back({std::to_string(i), texts[i]});
  }
  return pieces;
}

void expect_all_turned(const Comm& comm, const std::vector<std::string>& texts) {
  std::size_t next = 0;
  work_on_pieces(comm, pieces_of(comm, texts), turn,
                 [&](std::size_t place, std::string_view result) {
                   EXPECT_EQ(place, next++);
                   EXPECT_TRUE(result == turn(std::to_string(place), texts[place])) << place;
                 });
  EXPECT_EQ(next, comm.is_root() ? texts.size() : 0);
}

TEST(WorkOnPieces, RankZeroGetsEveryResultInTheOrderOfThePieces) {
  const Comm world(MPI_COMM_WORLD);
  for (const std::size_t count : {0U, 1U, 3U, 50U}) expect_all_turned(world, texts_of(count));
}

TEST(WorkOnPieces, StaysInsideASplitCommunicator) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  expect_all_turned(half, texts_of(7));
}

TEST(WorkOnPieces, TakesPiecesAndResultsOfSeveralMessages) {
  const Comm world(MPI_COMM_WORLD);
  std::string text(std::size_t{40'000'000}, 'a');
  text[17'000'000] = 'b';
  expect_all_turned(world, {text, "short", text});
}

TEST(WorkOnPieces, WithFewerPiecesThanRanksRankZeroHasNone) {
  const Comm world(MPI_COMM_WORLD);
  bool worked = false;
  const std::vector<std::string> texts = texts_of(static_cast<std::size_t>(world.size() - 1));
  work_on_pieces(
      world, pieces_of(world, texts),
      [&](std::string_view, std::string_view) {
        worked = true;
        return std::string{};
      },
      [](std::size_t, std::string_view) {});
  EXPECT_EQ(worked, !world.is_root());
}

/// Of work on twelve pieces.
void expect_error(const Comm& world,
                  const std::function<std::string(std::string_view, std::string_view)>& work,
                  const std::function<void(std::size_t, std::string_view)>& take) {
  const std::vector<std::string> texts = texts_of(12);
  try {
    work_on_pieces(world, pieces_of(world, texts), work, take);
    ADD_FAILURE() << "no error";
  } catch (const CollectiveError& error) {
    EXPECT_TRUE(std::string_view{error.what()}.starts_with("no room")) << error.what();
    EXPECT_EQ(error.exit_code(), base::ExitCode::bad_input);
  }
  EXPECT_EQ(gather(world, "").size(), world.is_root() ? static_cast<std::size_t>(world.size()) : 0u)
      << "still in step";
}

TEST(WorkOnPieces, APieceThatCannotBeWorkedOnIsOneErrorOnEveryRankAndNobodyWaits) {
  const Comm world(MPI_COMM_WORLD);
  const auto refuse = [](std::string_view order, std::string_view bytes) {
    if (order == "2") throw base::InputError("no room");
    return turn(order, bytes);
  };
  expect_error(world, refuse, [](std::size_t place, std::string_view) { EXPECT_NE(place, 2U); });
}

TEST(WorkOnPieces, AResultThatRankZeroCannotTakeIsOneErrorAndNoneIsTakenAfterIt) {
  const Comm world(MPI_COMM_WORLD);
  int taken = 0;
  expect_error(world, turn, [&](std::size_t, std::string_view) {
    ++taken;
    throw base::InputError("no room");
  });
  EXPECT_EQ(taken, world.is_root() ? 1 : 0);
}

}  // namespace
}  // namespace fairfront::parallel
