#include "parallel/pieces.hpp"

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "parallel/agree.hpp"
#include "parallel/long_message.hpp"

namespace fairfront::parallel {
namespace {

constexpr int piece_tag = 4;
constexpr std::int64_t failed = -1;  ///< as the length of a result

/// One rank's part in it.
class Share {
 public:
  Share(const Comm& comm, const std::vector<Piece>& pieces,
        const std::function<std::string(std::string_view, std::string_view)>& work)
      : comm_{comm}, pieces_{pieces}, work_{work} {
    std::vector<std::string> orders;
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < pieces.size() && comm.is_root(); ++i) {
      orders.push_back(pieces[i].order);
      lengths.push_back(std::ssize(pieces[i].bytes));
    }
    orders_ = broadcast(comm, 0, std::move(orders));
    lengths.resize(orders_.size());
    broadcast_bytes(
        comm, 0, {reinterpret_cast<char*>(lengths.data()), lengths.size() * sizeof(std::int64_t)});
    lengths_ = std::move(lengths);
  }

  /// On rank 0.
  void hand_out(const std::function<void(std::size_t, std::string_view)>& take) {
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      if (worker(i) != 0) begin_send(comm_, worker(i), piece_tag, pieces_[i].bytes, sends_);
    }
    std::string result;  // in the same memory from piece to piece
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      if (worker(i) != 0) {
        fetch(worker(i), result);
      } else if (std::optional<std::string> own = attempt(i, pieces_[i].bytes)) {
        result = std::move(*own);
      }
      keep_failure([&] {
        if (!failure_ && !failed_elsewhere_) take(i, result);
      });
    }
  }

  /// On the others: results are on their way while the next one is made.
  void serve() {
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      if (worker(i) == comm_.rank()) send_back(attempt(i, bytes_of(i)));
    }
  }

  /// Collective.
  void end() {
    check(wait_politely(sends_), "MPI_Isend");
    for (Result& result : results_) check(wait_politely(result.sends), "MPI_Isend");
    detail::agree_on(comm_, "", failure_);
  }

 private:
  [[nodiscard]] int worker(std::size_t piece) const {
    return comm_.size() - 1 - static_cast<int>(piece % static_cast<std::size_t>(comm_.size()));
  }

  template <class Call>
  void keep_failure(Call&& call) {
    try {
      std::forward<Call>(call)();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }

  /// After a failure nothing is done any more, but what others wait for is sent and received.
  std::optional<std::string> attempt(std::size_t piece, std::string_view bytes) {
    std::optional<std::string> result;
    keep_failure([&] {
      if (!failure_) result = work_(orders_[piece], bytes);
    });
    return result;
  }

  /// @param bytes  of the length afterwards, where there is memory for it.
  void take_in(int from, std::size_t length, std::string& bytes) {
    keep_failure([&] {
      if (!failure_) bytes.resize(length);
    });
    const bool wanted = !failure_;
    receive(comm_, from, piece_tag, length,
            [&](std::size_t begin) { return wanted ? bytes.data() + begin : unwanted_.get(); });
  }

  std::string bytes_of(std::size_t piece) {
    std::string bytes;
    take_in(0, static_cast<std::size_t>(lengths_[piece]), bytes);
    return bytes;
  }

  void fetch(int from, std::string& result) {
    std::int64_t length = 0;
    receive(comm_, from, piece_tag, sizeof length,
            [&](std::size_t) { return reinterpret_cast<char*>(&length); });
    if (length == failed) {
      failed_elsewhere_ = true;  // who has failed says so in the end
    } else {
      take_in(from, static_cast<std::size_t>(length), result);
    }
  }

  void send_back(std::optional<std::string> result) {
    // Rank 0 takes results in their order, so that an old one does not wait for a new one.
    constexpr std::size_t most_on_the_way = 4;
    if (results_.size() == most_on_the_way) {
      check(wait_politely(results_.front().sends), "MPI_Isend");
      results_.pop_front();
    }
    Result& sent = results_.emplace_back();
    sent.length = result ? std::ssize(*result) : failed;
    if (result) sent.bytes = std::move(*result);
    begin_send(comm_, 0, piece_tag,
               {reinterpret_cast<const char*>(&sent.length), sizeof sent.length}, sent.sends);
    begin_send(comm_, 0, piece_tag, sent.bytes, sent.sends);
  }

  /// On its way to rank 0.
  struct Result {
    std::int64_t length = 0;
    std::string bytes;
    std::vector<MPI_Request> sends;
  };

  const Comm& comm_;
  const std::vector<Piece>& pieces_;
  const std::function<std::string(std::string_view, std::string_view)>& work_;
  std::vector<std::string> orders_;
  std::vector<std::int64_t> lengths_;
  std::vector<MPI_Request> sends_;  ///< of pieces
  std::deque<Result> results_;
  const std::unique_ptr<char[]> unwanted_ = std::make_unique_for_overwrite<char[]>(message_part);
  std::exception_ptr failure_;
  bool failed_elsewhere_ = false;
};

}  // namespace

void work_on_pieces(const Comm& comm, const std::vector<Piece>& pieces,
                    const std::function<std::string(std::string_view, std::string_view)>& work,
                    const std::function<void(std::size_t, std::string_view)>& take) {
  Share share(comm, pieces, work);
  if (comm.is_root()) {
    share.hand_out(take);
  } else {
    share.serve();
  }
  share.end();
}

}  // namespace fairfront::parallel
