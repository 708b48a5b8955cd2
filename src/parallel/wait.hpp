/// @file
/// Waiting that leaves the core to others, for the files of this layer only. A blocking call of
/// Open MPI keeps a core busy, and that core may be another rank's or another program's: two ranks
/// beside busy processes would burn most of their time slices in waiting for one another.
#pragma once

#include <mpi.h>

#include <span>
#include <string_view>

namespace fairfront::parallel {

/// Seconds. Between sleeps a wait adds an eighth of its length at most to what it waits for, and
/// never more than this.
constexpr double longest_sleep_in_task = 1e-3;

/// Tests until all requests are complete: awake for 20 us, then with sleeps that grow with the time
/// waited, from which the thread asks to be woken soon.
/// @param longest_sleep  seconds.
/// @return  the code of MPI, MPI_SUCCESS or that of the test that failed.
[[nodiscard]] int wait_politely(std::span<MPI_Request> requests,
                                double longest_sleep = longest_sleep_in_task);

/// The same, for one request that `call` began. @throws MpiError  naming it.
void complete(MPI_Request& request, std::string_view call);

/// The thread that calls it wakes up from such sleeps as soon as the system can, until it ends. Two
/// wishes that a system may not know.
void wake_up_soon();

}  // namespace fairfront::parallel
