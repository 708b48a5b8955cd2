/// @file
/// Communicators, errors of MPI calls, and the few collectives the project needs.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fairfront::parallel {

/// An MPI call failed; the message names the call and the library's reason.
class MpiError : public std::runtime_error {
 public:
  MpiError(std::string_view call, int code);
};

/// The rank of this process as launchers tell it before MPI is started; null without a launcher.
[[nodiscard]] const char* rank_told_by_launcher();

/// @param provided  the thread level that the MPI library grants.
/// @throws base::Error  it is not MPI_THREAD_MULTIPLE, which the task queue needs.
void require_thread_multiple(int provided);

/// Starts MPI with MPI_THREAD_MULTIPLE and ends it. One object, in main.
/// @throws base::Error  the library does not provide that level; MPI is ended again.
class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// Owns a duplicate of a communicator, so our messages cannot meet anyone else's. Its error
/// handler is MPI_ERRORS_RETURN, so a failed call becomes an MpiError that names the call.
class Comm {
 public:
  explicit Comm(MPI_Comm parent);  ///< Collective.
  /// This process and no other, also where MPI is not started. For all of this layer but the task
  /// queue, the shelf of a node and work beside it.
  [[nodiscard]] static Comm alone() noexcept { return {}; }
  [[nodiscard]] bool is_alone() const noexcept { return comm_ == MPI_COMM_NULL; }
  Comm(Comm&& other) noexcept;             // moves only: a duplicate is collective, so it must
  Comm& operator=(Comm&& other) noexcept;  // be visible in the code, never hidden in a copy
  ~Comm();                                 // collective: owners die in the same order everywhere
  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }

  /// The ranks that pass the same `color`, ordered by rank. Collective.
  [[nodiscard]] Comm split(int color) const;

  /// The ranks that can share memory with this one, ordered by rank. Collective.
  [[nodiscard]] Comm split_by_node() const;

  /// Keeps the communicator to the end of the process instead of freeing it, for an owner that
  /// leaves while messages may be on their way: Open MPI gives a freed communicator's number to
  /// the next one, which would take such a message for its own and lose one that is.
  void abandon();

 private:
  struct Adopt {};
  Comm() noexcept = default;
  Comm(MPI_Comm owned, Adopt);
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

/// Integer reductions are free of order. Collective.
[[nodiscard]] std::int64_t all_reduce_sum(const Comm& comm, std::int64_t value);
[[nodiscard]] std::int64_t all_reduce_min(const Comm& comm, std::int64_t value);
[[nodiscard]] std::int64_t all_reduce_max(const Comm& comm, std::int64_t value);

/// `text` of rank `root`, on every rank; of any length. Collective.
[[nodiscard]] std::string broadcast(const Comm& comm, int root, std::string text);

/// `texts` of rank `root`, on every rank; any bytes may be in them. Collective.
[[nodiscard]] std::vector<std::string> broadcast(const Comm& comm, int root,
                                                 std::vector<std::string> texts);

/// Every rank's text in rank order on rank 0, empty elsewhere. Collective.
/// @throws std::length_error  on every rank: together they have 2^31 bytes or more.
[[nodiscard]] std::vector<std::string> gather(const Comm& comm, const std::string& text);

/// Numbers of which every rank has a part, in rank order one behind another: afterwards all of them
/// are there on every rank. Collective.
/// @param values   this rank's part is in its place.
/// @param lengths  of the ranks' parts, the same on every rank.
/// @param mine     a number beside them.
/// @return  that of every rank.
/// @throws std::length_error  see layout_of().
[[nodiscard]] std::vector<std::int64_t> all_gather(const Comm& comm, std::span<double> values,
                                                   std::span<const std::int64_t> lengths,
                                                   std::int64_t mine);

}  // namespace fairfront::parallel
