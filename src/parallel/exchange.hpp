/// @file
/// Point-to-point messages of known length, started together and finished together.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <vector>

#include "parallel/comm.hpp"

namespace fairfront::parallel {

/// A batch of messages. Both sides add them in the same order for each pair of ranks. It owns their
/// bytes until they have arrived.
class Exchange {
 public:
  using Bytes = std::vector<std::byte>;

  explicit Exchange(const Comm& comm) : comm_{comm} {}
  /// Waits for what is under way; received bytes and errors are then lost, so call finish(). While
  /// an exception unwinds the stack, the others may never answer: it then takes receives back, lets
  /// sends have a second, and leaves what is not done by then, with its bytes, to the end of the
  /// process. The communicator must not be used for more messages after that.
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void send(int to, Bytes bytes);
  void receive(int from, std::size_t length);
  /// Waits for all of them. @return  those received, in the order of receive(). @throws MpiError
  [[nodiscard]] std::vector<Bytes> finish();

 private:
  /// Messages in one direction; each has its own allocation, which stays where it is.
  struct Batch {
    std::vector<MPI_Request> requests;
    std::vector<Bytes> bytes;
    /// The request and the bytes of a new message.
    [[nodiscard]] MPI_Request& add(Bytes message);
  };
  void leave() noexcept;

  const Comm& comm_;
  Batch sends_;
  Batch receives_;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace fairfront::parallel
