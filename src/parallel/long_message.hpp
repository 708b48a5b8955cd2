/// @file
/// A message of any length between two ranks, for the files of this layer only: a count of MPI ends
/// at 2^31 - 1, so a long one goes in parts.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "parallel/check.hpp"
#include "parallel/comm.hpp"
#include "parallel/wait.hpp"

namespace fairfront::parallel {

constexpr std::size_t message_part = std::size_t{16} << 20;

/// Calls `transfer(begin, length)` for the parts of a message.
template <class Transfer>
void for_each_part(std::size_t length, Transfer&& transfer) {
  for (std::size_t begin = 0; begin < length; begin += message_part) {
    transfer(begin, std::min(message_part, length - begin));
  }
}

/// @param bytes     stay where they are until the requests are complete.
/// @param requests  get those of the parts.
inline void begin_send(const Comm& comm, int to, int tag, std::string_view bytes,
                       std::vector<MPI_Request>& requests) {
  for_each_part(bytes.size(), [&](std::size_t begin, std::size_t length) {
    MPI_Request& request = requests.emplace_back(MPI_REQUEST_NULL);
    check(
        MPI_Isend(bytes.data() + begin, as_count(length), MPI_CHAR, to, tag, comm.get(), &request),
        "MPI_Isend");
  });
}

/// @param room      as long as the message; stays where it is until the requests are complete.
/// @param requests  get those of the parts.
inline void begin_receive(const Comm& comm, int from, int tag, std::span<char> room,
                          std::vector<MPI_Request>& requests) {
  for_each_part(room.size(), [&](std::size_t begin, std::size_t length) {
    MPI_Request& request = requests.emplace_back(MPI_REQUEST_NULL);
    check(
        MPI_Irecv(room.data() + begin, as_count(length), MPI_CHAR, from, tag, comm.get(), &request),
        "MPI_Irecv");
  });
}

/// @param place  of a part that begins there.
inline void receive(const Comm& comm, int from, int tag, std::size_t length,
                    const std::function<char*(std::size_t begin)>& place) {
  for_each_part(length, [&](std::size_t begin, std::size_t part) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(place(begin), as_count(part), MPI_CHAR, from, tag, comm.get(), &request),
          "MPI_Irecv");
    complete(request, "MPI_Irecv");
  });
}

}  // namespace fairfront::parallel
