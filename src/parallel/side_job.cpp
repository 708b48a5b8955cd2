#include "parallel/side_job.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

#include "base/cpu_time.hpp"
#include "base/system.hpp"
#include "parallel/check.hpp"
#include "parallel/wait.hpp"

namespace fairfront::parallel {
namespace {

constexpr int first_job_tag = 16;
constexpr std::size_t job_part = std::size_t{1} << 20;
constexpr std::int64_t end_of_job = -1;

/// What stands before each part.
struct PartHead {
  std::int64_t kind = end_of_job;
  std::int64_t length = 0;
};

void receive_part(const Comm& comm, int from, int tag, void* room, std::size_t length) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(room, as_count(length), MPI_CHAR, from, tag, comm.get(), &request), "MPI_Irecv");
  complete(request, "MPI_Irecv");
}

}  // namespace

/// Puts few bytes together, and sends many from where they are.
class SideJob::Sender : public Teller {
 public:
  Sender(const Comm& comm, int to, int tag) : comm_{comm}, to_{to}, tag_{tag} {}

  void tell(int kind, std::span<const std::byte> bytes) override {
    const bool few = bytes.size() < most_copied;
    if (kind != kind_ || !few || gathered_.size() + bytes.size() > job_part) flush();
    kind_ = kind;
    if (few) {
      if (gathered_.capacity() == 0) gathered_.reserve(job_part);
      gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
      return;
    }
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(job_part, bytes.size()))) {
      send(kind, bytes.first(std::min(job_part, bytes.size())), {});
    }
  }

  void end() {
    flush();
    send(end_of_job, {}, {});
    for (Part& part : parts_) complete(part);
  }

 private:
  struct Part {
    PartHead head;
    std::vector<std::byte> kept;
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  };

  void flush() {
    if (gathered_.empty()) return;
    std::vector<std::byte> bytes = std::exchange(gathered_, {});
    const std::span<const std::byte> there = bytes;
    send(kind_, there, std::move(bytes));
  }

  /// Takes no memory: the end must be told also when there is none.
  /// @param kept  owns the bytes, or is empty.
  void send(std::int64_t kind, std::span<const std::byte> bytes, std::vector<std::byte> kept) {
    Part& part = parts_[next_];
    next_ = (next_ + 1) % parts_.size();
    complete(part);
    part.head = {kind, std::ssize(bytes)};
    part.kept = std::move(kept);
    begin_send(part.requests[0], &part.head, sizeof part.head);
    if (!bytes.empty()) begin_send(part.requests[1], bytes.data(), bytes.size());
  }

  void begin_send(MPI_Request& request, const void* bytes, std::size_t length) {
    check(MPI_Isend(bytes, as_count(length), MPI_CHAR, to_, tag_, comm_.get(), &request),
          "MPI_Isend");
  }

  static void complete(Part& part) { check(wait_politely(part.requests), "MPI_Isend"); }

  const Comm& comm_;
  int to_;
  int tag_;
  std::int64_t kind_ = 0;  ///< of what is gathered
  std::vector<std::byte> gathered_;
  std::array<Part, 8> parts_;  ///< on their way, in a ring
  std::size_t next_ = 0;
};

SideJob::SideJob(const Comm& comm, int worker, int number, Speech speech,
                 std::unique_ptr<Listener> listener)
    : comm_{comm},
      worker_{worker},
      tag_{first_job_tag + number},
      speech_{std::move(speech)},
      listener_{std::move(listener)} {
  assert(comm.rank() == 0 || comm.rank() == worker);
  if (comm.rank() == worker) room_ = std::make_unique_for_overwrite<std::byte[]>(job_part);
}

SideJob::~SideJob() { end(); }

void SideJob::begin() {
  begun_ = true;
  try {
    thread_ = base::quiet_thread([this] {
      run();
      cpu_seconds_ = base::cpu_seconds();
    });
  } catch (const std::system_error&) {
    return;  // then end() does it
  }
}

std::string SideJob::finish() {
  end();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return std::move(answer_);
}

void SideJob::end() noexcept {
  if (!std::exchange(begun_, false)) return;
  if (!thread_.joinable()) return run();
  thread_.join();
  base::add_cpu_seconds(cpu_seconds_);
}

void SideJob::run() noexcept try {
  if (comm_.rank() == worker_) {
    listen();
  } else {
    speak();
  }
} catch (...) {
  failure_ = std::current_exception();
}

void SideJob::speak() {
  Sender sender(comm_, worker_, tag_);
  try {
    speech_(sender);
  } catch (...) {
    failure_ = std::current_exception();  // the worker has to know that no more comes
  }
  sender.end();
  std::int64_t length = 0;
  receive_part(comm_, worker_, tag_, &length, sizeof length);
  answer_.resize(static_cast<std::size_t>(length));
  receive_part(comm_, worker_, tag_, answer_.data(), answer_.size());
}

void SideJob::listen() {
  const auto attempt = [&](auto&& work) {
    try {
      if (!failure_) work();
    } catch (...) {
      failure_ = std::current_exception();  // what comes is received all the same
    }
  };
  for (;;) {
    PartHead head;
    receive_part(comm_, 0, tag_, &head, sizeof head);
    if (head.kind == end_of_job) break;
    const auto length = static_cast<std::size_t>(head.length);
    receive_part(comm_, 0, tag_, room_.get(), length);
    attempt([&] { listener_->take(static_cast<int>(head.kind), {room_.get(), length}); });
  }
  attempt([&] { answer_ = listener_->answer(); });
  std::int64_t length = std::ssize(answer_);
  std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
  check(MPI_Isend(&length, sizeof length, MPI_CHAR, 0, tag_, comm_.get(), &requests[0]),
        "MPI_Isend");
  check(MPI_Isend(answer_.data(), as_count(answer_.size()), MPI_CHAR, 0, tag_, comm_.get(),
                  &requests[1]),
        "MPI_Isend");
  check(wait_politely(requests), "MPI_Isend");
}

}  // namespace fairfront::parallel
