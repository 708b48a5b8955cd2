#include "parallel/exchange.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "parallel/comm.hpp"

namespace fairfront::parallel {
namespace {

constexpr int messages = 5;

/// Different for each message; number 2 is empty, number 3 too long to be sent eagerly.
std::vector<std::byte> message(int from, int to, int number) {
  const std::size_t length = number == 2 ? 0 : number == 3 ? 300'000 : 10;
  return std::vector<std::byte>(length, static_cast<std::byte>(64 * from + 16 * to + number));
}

void exchange_with_everybody(const Comm& comm) {
  Exchange exchange(comm);
  for (int other = 0; other < comm.size(); ++other) {
    for (int number = 0; number < messages; ++number) {
      exchange.send(other, message(comm.rank(), other, number));
      exchange.receive(other, message(other, comm.rank(), number).size());
    }
  }
  const std::vector<Exchange::Bytes> received = exchange.finish();
  ASSERT_EQ(std::ssize(received), comm.size() * messages);
  std::size_t i = 0;
  for (int other = 0; other < comm.size(); ++other) {
    for (int number = 0; number < messages; ++number, ++i) {
      EXPECT_EQ(received[i], message(other, comm.rank(), number)) << other << ", " << number;
    }
  }
}

TEST(Exchange, DeliversSeveralMessagesEachWayInOrder) {
  exchange_with_everybody(Comm(MPI_COMM_WORLD));
}

TEST(Exchange, StaysInsideASplitCommunicator) {
  const Comm world(MPI_COMM_WORLD);
  exchange_with_everybody(world.split(world.rank() % 2));
}

TEST(Exchange, OfNothingReturnsAtOnceAndMayBeUsedAgain) {
  const Comm world(MPI_COMM_WORLD);
  Exchange exchange(world);
  EXPECT_TRUE(exchange.finish().empty());
  exchange.receive((world.rank() + 1) % world.size(), 1);
  exchange.send((world.rank() + world.size() - 1) % world.size(),
                {static_cast<std::byte>(world.rank())});
  const std::vector<Exchange::Bytes> received = exchange.finish();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0][0], static_cast<std::byte>((world.rank() + 1) % world.size()));
}

TEST(Exchange, FinishesInItsDestructorWhatIsUnderWay) {
  const Comm world(MPI_COMM_WORLD);
  const int other = (world.rank() + 1) % world.size();
  const int from = (world.rank() + world.size() - 1) % world.size();
  const std::vector<std::byte> sent(300'000, std::byte{7});
  Exchange receiving(world);
  receiving.receive(from, sent.size());
  {
    Exchange sending(world);
    sending.send(other, sent);
  }
  EXPECT_EQ(receiving.finish().at(0), sent);
}

TEST(Exchange, AMessageToNobodyIsAnErrorAndTheRestStillFinishes) {
  const Comm world(MPI_COMM_WORLD);
  const std::vector<std::byte> sent(4, std::byte{9});
  Exchange exchange(world);
  exchange.receive(world.rank(), sent.size());
  EXPECT_THROW(exchange.send(world.size(), sent), MpiError);
  exchange.send(world.rank(), sent);
  EXPECT_EQ(exchange.finish().at(0), sent);
}

/// Without a limit it would wait for messages that nobody sends, and for readers that never come.
TEST(Exchange, OfARankThatLeavesByAnExceptionDoesNotWaitForTheOthers) {
  Comm silent(MPI_COMM_WORLD);
  Comm deaf(MPI_COMM_WORLD);
  const int other = (silent.rank() + 1) % silent.size();
  const auto begin = std::chrono::steady_clock::now();
  try {
    Exchange receiving(silent);
    Exchange sending(deaf);
    receiving.receive(other, 100);
    receiving.receive(other, 300'000);
    sending.send(other, std::vector<std::byte>(1'000'000));  // too long to be sent eagerly
    throw std::runtime_error("this rank leaves");
  } catch (const std::runtime_error&) {
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{30});
  }
  deaf.abandon();  // its message is on its way
}

}  // namespace
}  // namespace fairfront::parallel
