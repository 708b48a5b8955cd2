/// @file
/// Point-to-point messages of known length, started together and finished together.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "parallel/comm.hpp"

namespace fairfront::parallel {

/// A batch of messages. Both sides add them in the same order for each pair of ranks; the buffers
/// must live until finish() returns.
class Exchange {
 public:
  explicit Exchange(const Comm& comm) : comm_{comm} {}
  /// Finishes what is under way; an error is then lost, so call finish().
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void send(int to, std::span<const std::byte> bytes);
  void receive(int from, std::span<std::byte> bytes);
  /// Waits for all of them. @throws MpiError
  void finish();

 private:
  const Comm& comm_;
  std::vector<MPI_Request> requests_;
};

}  // namespace fairfront::parallel
