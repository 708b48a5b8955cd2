#include "parallel/exchange.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
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
  std::vector<std::vector<std::byte>> outgoing;
  std::vector<std::vector<std::byte>> incoming;
  for (int other = 0; other < comm.size(); ++other) {
    for (int number = 0; number < messages; ++number) {
      outgoing.push_back(message(comm.rank(), other, number));
      incoming.emplace_back(message(other, comm.rank(), number).size());
    }
  }
  Exchange exchange(comm);
  std::size_t i = 0;
  for (int other = 0; other < comm.size(); ++other) {
    for (int number = 0; number < messages; ++number, ++i) {
      exchange.send(other, outgoing[i]);
      exchange.receive(other, incoming[i]);
    }
  }
  exchange.finish();
  i = 0;
  for (int other = 0; other < comm.size(); ++other) {
    for (int number = 0; number < messages; ++number, ++i) {
      EXPECT_EQ(incoming[i], message(other, comm.rank(), number)) << other << ", " << number;
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
  exchange.finish();
  const std::int64_t sent = world.rank();
  std::int64_t received = -1;
  exchange.receive((world.rank() + 1) % world.size(),
                   std::as_writable_bytes(std::span{&received, 1}));
  exchange.send((world.rank() + world.size() - 1) % world.size(),
                std::as_bytes(std::span{&sent, 1}));
  exchange.finish();
  EXPECT_EQ(received, (world.rank() + 1) % world.size());
}

TEST(Exchange, FinishesInItsDestructorWhatIsUnderWay) {
  const Comm world(MPI_COMM_WORLD);
  std::vector<std::byte> received(300'000);
  const std::vector<std::byte> sent(received.size(), std::byte{7});
  {
    Exchange exchange(world);
    exchange.send(world.rank(), sent);
    exchange.receive(world.rank(), received);
  }
  EXPECT_EQ(received, sent);
}

TEST(Exchange, AMessageToNobodyIsAnErrorAndTheRestStillFinishes) {
  const Comm world(MPI_COMM_WORLD);
  std::vector<std::byte> received(4);
  const std::vector<std::byte> sent(4, std::byte{9});
  {
    Exchange exchange(world);
    exchange.receive(world.rank(), received);
    EXPECT_THROW(exchange.send(world.size(), sent), MpiError);
    exchange.send(world.rank(), sent);
  }
  EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace fairfront::parallel
