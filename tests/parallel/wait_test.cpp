// Ranks that wait for a late one leave their cores to others, whatever they wait in.
#include "parallel/wait.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

#include "base/cpu_time.hpp"
#include "parallel/comm.hpp"
#include "parallel/exchange.hpp"
#include "parallel/reduce_front.hpp"

namespace fairfront::parallel {
namespace {

constexpr double late = 0.3;  // seconds

/// Of the thread, in `call`, for which the last rank is late. Collective.
double cpu_seconds_in(const Comm& world, const std::function<void()>& call) {
  (void)all_reduce_sum(world, 0);
  if (world.rank() == world.size() - 1) {
    std::this_thread::sleep_for(std::chrono::duration<double>(late));
  }
  const double before = base::cpu_seconds();
  call();
  return base::cpu_seconds() - before;
}

TEST(Waiting, KeepsNoCoreBusy) {
  const Comm world(MPI_COMM_WORLD);
  const int last = world.size() - 1;
  pareto::Points points(2);
  const double point[] = {1.0 * world.rank(), -1.0 * world.rank()};
  points.add(point, 0);
  const pareto::Front front(points);
  EXPECT_LT(cpu_seconds_in(world, [&] { (void)all_reduce_max(world, 1); }), late / 4);
  EXPECT_LT(cpu_seconds_in(world, [&] { (void)broadcast(world, last, std::string("text")); }),
            late / 4);
  EXPECT_LT(cpu_seconds_in(world, [&] { (void)gather(world, "text"); }), late / 4);
  EXPECT_LT(cpu_seconds_in(world, [&] { (void)all_gather(world, points); }), late / 4);
  EXPECT_LT(cpu_seconds_in(world, [&] { (void)merge_nondominated(world, front); }), late / 4);
  EXPECT_LT(cpu_seconds_in(world,
                           [&] {
                             Exchange exchange(world);
                             if (world.rank() == last) {
                               for (int to = 0; to < last; ++to) exchange.send(to, {std::byte{1}});
                             } else {
                               exchange.receive(last, 1);
                             }
                             (void)exchange.finish();
                           }),
            late / 4);
}

}  // namespace
}  // namespace fairfront::parallel
