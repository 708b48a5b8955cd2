#include "parallel/task_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/system.hpp"
#include "parallel/check.hpp"
#include "parallel/pace.hpp"
#include "parallel/wait.hpp"

namespace fairfront::parallel {
namespace {

using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int request_tag = 1;
constexpr int answer_tag = 2;

/// What a team's root wants from rank 0.
enum class Purpose : std::int32_t {
  claim,       ///< a task; the last claim is answered with none
  look_ahead,  ///< a task for later; one that is answered with none is followed by withdraw
  report,      ///< no answer
  advance,     ///< no answer
  withdraw,    ///< no answer; nothing follows
};

/// What a team's root sends to rank 0. One program on one kind of machine: sent as bytes.
struct Message {
  std::int64_t task = -1;
  double seconds = 0;
  double fraction = 0;
  double preparing = 0;
  double writing = 0;
  std::optional<double> seconds_left{};
  std::optional<double> cpu_seconds{};
  std::int32_t failed = 0;
  Purpose purpose = Purpose::claim;
};

/// And what comes back.
struct Answer {
  std::array<std::int64_t, most_at_once> tasks{};
  std::int64_t count = 0;
  std::int64_t may_look_ahead = 0;

  [[nodiscard]] std::vector<std::int64_t> given() const {
    return {tasks.begin(), tasks.begin() + count};
  }
};

Message request_of(const Finished& finished, Purpose purpose) {
  return {.task = finished.task,
          .seconds = finished.seconds,
          .preparing = finished.preparing,
          .writing = finished.writing,
          .cpu_seconds = finished.cpu_seconds,
          .failed = finished.failed ? 1 : 0,
          .purpose = purpose};
}
Finished finished_of(const Message& request) {
  return {.task = request.task,
          .seconds = request.seconds,
          .failed = request.failed != 0,
          .preparing = request.preparing,
          .writing = request.writing,
          .cpu_seconds = request.cpu_seconds};
}

double since(steady_clock::time_point begin) {
  return Seconds(steady_clock::now() - begin).count();
}

void sleep_seconds(double seconds) { std::this_thread::sleep_for(Seconds(seconds)); }

/// A barrier that keeps no core busy. Collective.
void finish_together(const Comm& comm) {
  constexpr double longest_sleep = 10e-3;
  MPI_Request barrier = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(comm.get(), &barrier), "MPI_Ibarrier");
  check(wait_politely({&barrier, 1}, longest_sleep), "MPI_Testall");
}

}  // namespace

/// Rank 0's part: the source, its lock, and the thread that answers the other ranks.
///
/// Why a thread and not one-sided calls: with MPI_Fetch_and_op on a counter (Open MPI 4.1,
/// tests/bench/queue_bench --one-sided) a claim takes 0.03 ms in shared memory, but over TCP it is
/// answered when rank 0 next calls MPI: beside a 10 s task of rank 0 the other rank got none of
/// 450 short tasks. The thread answers in 0.3 to 2 ms over either, on a busy virtual machine. And
/// a counter knows one fixed order only, while a source may learn from the reports.
class TaskQueue::Service {
 public:
  Service(const Comm& world, TaskSource& source, std::int64_t claimants);
  ~Service();
  std::vector<std::int64_t> claim(const Finished& finished);
  void tell(const Finished& finished, void (TaskSource::*what)(const Finished&));
  void advance(const Advance& advance);
  void leave(const Finished& finished);
  void finish();
  void with_source_locked(const std::function<void()>& work);
  [[nodiscard]] QueueLoad load() const;

 private:
  void serve_all();
  Served serve_waiting();
  std::optional<Purpose> serve_one();
  void answer(int rank, const Message& request);
  Answer next(const Finished& finished);
  void take_along(Answer& answer);
  void end_thread();

  Comm comm_;
  TaskSource& source_;
  const std::int64_t teams_;
  std::mutex lock_;                   ///< of source_ and failure_
  std::exception_ptr failure_;        ///< of the source or of the thread
  std::atomic<std::int64_t> others_;  ///< ranks that will still claim; written by the thread
  std::atomic<bool> abandoned_ = false;
  bool has_left_ = false;  ///< rank 0 as a claimant
  std::atomic<std::int64_t> claims_ = 0;
  std::atomic<double> cpu_seconds_ = 0;
  const steady_clock::time_point begin_ = steady_clock::now();
  const int exceptions_ = std::uncaught_exceptions();
  std::thread thread_;
};

TaskQueue::Service::Service(const Comm& world, TaskSource& source, std::int64_t claimants)
    : comm_{world.get()}, source_{source}, teams_{claimants}, others_{claimants - 1} {
  if (others_ > 0) thread_ = base::quiet_thread([this] { serve_all(); });
}

TaskQueue::Service::~Service() {
  if (std::uncaught_exceptions() > exceptions_) abandoned_ = true;
  end_thread();
  if (others_ > 0) comm_.abandon();  // they may still ask
}

void TaskQueue::Service::end_thread() {
  if (thread_.joinable()) thread_.join();
}

void TaskQueue::Service::serve_all() {
  wake_up_soon();
  try {
    for (Pace pace; others_ > 0 && !abandoned_;) {
      const Served served = serve_waiting();
      cpu_seconds_ = thread_cpu_seconds();
      if (others_ > 0) sleep_seconds(pace.next_sleep(served, others_));
    }
  } catch (...) {
    const std::lock_guard guard(lock_);
    failure_ = std::current_exception();
  }
}

Served TaskQueue::Service::serve_waiting() {
  Served served;
  // Open MPI's probe looks first and makes progress afterwards: what arrives in the first one is
  // only seen by the second.
  for (int misses = 0; misses < 2 && others_ > 0;) {
    const std::optional<Purpose> purpose = serve_one();
    misses = purpose ? 0 : misses + 1;
    if (!purpose) continue;
    ++served.messages;
    if (*purpose == Purpose::claim) ++served.claims;
    if (*purpose == Purpose::look_ahead) ++served.ahead;
  }
  return served;
}

/// Handles one pending message, if any, and returns what it is for.
std::optional<Purpose> TaskQueue::Service::serve_one() {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check(MPI_Improbe(MPI_ANY_SOURCE, request_tag, comm_.get(), &found, &message, &status),
        "MPI_Improbe");
  if (found == 0) return std::nullopt;
  Message request;
  check(MPI_Mrecv(&request, sizeof request, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  answer(status.MPI_SOURCE, request);
  return request.purpose;
}

void TaskQueue::Service::answer(int rank, const Message& request) {
  if (request.purpose == Purpose::advance) {
    return advance({.task = request.task,
                    .fraction = request.fraction,
                    .writing = request.writing,
                    .seconds_left = request.seconds_left,
                    .seconds = request.seconds,
                    .preparing = request.preparing,
                    .cpu_seconds = request.cpu_seconds});
  }
  const Finished finished = finished_of(request);
  if (request.purpose == Purpose::report) return tell(finished, &TaskSource::report);
  if (request.purpose == Purpose::withdraw) {
    tell(finished, &TaskSource::withdraw);
    --others_;
    return;
  }
  Answer answer;
  try {
    answer = next(finished);
  } catch (...) {  // kept in failure_ for rank 0's main thread
  }
  // The claimant has room for these few bytes, so they never stay here.
  check(MPI_Send(&answer, sizeof answer, MPI_BYTE, rank, answer_tag, comm_.get()), "MPI_Send");
  if (answer.count == 0 && request.purpose == Purpose::claim) --others_;
}

/// @throws  what the source throws, now or earlier.
Answer TaskQueue::Service::next(const Finished& finished) {
  const std::lock_guard guard(lock_);
  ++claims_;
  if (failure_) std::rethrow_exception(failure_);
  try {
    Answer answer;
    const std::optional<std::int64_t> task = source_.next(finished);
    if (!task) return answer;
    answer.tasks[0] = *task;
    answer.count = 1;
    take_along(answer);
    answer.may_look_ahead = source_.may_look_ahead(*task, teams_) ? 1 : 0;
    return answer;
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
}

void TaskQueue::Service::take_along(Answer& answer) {
  for (const std::int64_t task : source_.companions(answer.tasks[0], teams_)) {
    answer.tasks.at(static_cast<std::size_t>(answer.count++)) = task;
  }
}

std::vector<std::int64_t> TaskQueue::Service::claim(const Finished& finished) {
  const Answer answer = next(finished);
  has_left_ = answer.count == 0;
  return answer.given();
}

void TaskQueue::Service::leave(const Finished& finished) {
  if (!std::exchange(has_left_, true)) tell(finished, &TaskSource::withdraw);
}

/// report() or withdraw() of the source.
void TaskQueue::Service::tell(const Finished& finished, void (TaskSource::*what)(const Finished&)) {
  const std::lock_guard guard(lock_);
  if (what == &TaskSource::withdraw) ++claims_;
  if (failure_) return;
  try {
    (source_.*what)(finished);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void TaskQueue::Service::advance(const Advance& advance) {
  const std::lock_guard guard(lock_);
  if (failure_) return;
  try {
    source_.advance(advance);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void TaskQueue::Service::finish() {
  end_thread();
  // A thread that failed has left claims unanswered: nobody would come to the barrier.
  if (others_ > 0) std::rethrow_exception(failure_);
  finish_together(comm_);
  if (failure_) std::rethrow_exception(failure_);
}

void TaskQueue::Service::with_source_locked(const std::function<void()>& work) {
  const std::lock_guard guard(lock_);
  work();
}

QueueLoad TaskQueue::Service::load() const { return {claims_, cpu_seconds_, since(begin_)}; }

/// The part of the ranks other than 0.
class TaskQueue::Claimant {
 public:
  explicit Claimant(const Comm& world) : comm_{world.get()} {}
  ~Claimant();
  std::vector<std::int64_t> claim(const Finished& finished);
  void report(const Finished& finished) { send(request_of(finished, Purpose::report)); }
  void advance(const Advance& advance);
  void withdraw(const Finished& finished);
  void finish() { finish_together(comm_); }

 private:
  void ask(const Finished& finished, Purpose purpose);
  Answer wait_for_answer();
  void send(const Message& message);

  Comm comm_;
  Message request_;  ///< the one that is not answered yet, and where its answer goes
  Answer answer_;
  std::array<MPI_Request, 2> transfers_ = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  bool looks_ahead_ = false;  ///< an answer is on its way while this rank works
  bool has_claimed_ = false;
  bool has_left_ = false;
};

TaskQueue::Claimant::~Claimant() {
  if (!has_claimed_ || has_left_) return;
  try {
    if (looks_ahead_) {  // an exception is on its way: nobody waits for the answer
      if (transfers_[0] != MPI_REQUEST_NULL) check(MPI_Cancel(&transfers_[0]), "MPI_Cancel");
      check(wait_politely(transfers_, 1e-3), "MPI_Testall");
    }
    send(request_of({}, Purpose::withdraw));
  } catch (const MpiError&) {  // an exception is on its way already
  }
  comm_.abandon();  // rank 0 may still answer
}

void TaskQueue::Claimant::ask(const Finished& finished, Purpose purpose) {
  request_ = request_of(finished, purpose);
  check(MPI_Irecv(&answer_, sizeof answer_, MPI_BYTE, 0, answer_tag, comm_.get(), &transfers_[0]),
        "MPI_Irecv");
  check(
      MPI_Isend(&request_, sizeof request_, MPI_BYTE, 0, request_tag, comm_.get(), &transfers_[1]),
      "MPI_Isend");
}

Answer TaskQueue::Claimant::wait_for_answer() {
  constexpr double longest_sleep = 1e-3;
  check(wait_politely(transfers_, longest_sleep), "MPI_Testall");
  return answer_;
}

std::vector<std::int64_t> TaskQueue::Claimant::claim(const Finished& finished) {
  has_claimed_ = true;
  const bool asked = std::exchange(looks_ahead_, false);
  if (asked) {
    report(finished);
  } else {
    ask(finished, Purpose::claim);
  }
  const Answer answer = wait_for_answer();
  if (answer.count == 0) {
    if (asked) send(request_of({}, Purpose::withdraw));
    has_left_ = true;
    return {};
  }
  looks_ahead_ = answer.may_look_ahead != 0;
  if (looks_ahead_) ask({}, Purpose::look_ahead);
  return answer.given();
}

void TaskQueue::Claimant::withdraw(const Finished& finished) {
  if (std::exchange(has_left_, true)) return;
  if (std::exchange(looks_ahead_, false))
    (void)wait_for_answer();  // what it gives stays unfinished
  send(request_of(finished, Purpose::withdraw));
}

void TaskQueue::Claimant::advance(const Advance& advance) {
  send({.task = advance.task,
        .seconds = advance.seconds,
        .fraction = advance.fraction,
        .preparing = advance.preparing,
        .writing = advance.writing,
        .seconds_left = advance.seconds_left,
        .cpu_seconds = advance.cpu_seconds,
        .purpose = Purpose::advance});
}

void TaskQueue::Claimant::send(const Message& message) {
  // So few bytes are buffered by every library: it does not wait for rank 0.
  check(MPI_Send(&message, sizeof message, MPI_BYTE, 0, request_tag, comm_.get()), "MPI_Send");
}

namespace {
void require_threads_for(std::int64_t claimants) {
  if (claimants <= 1) return;
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&provided), "MPI_Query_thread");
  require_thread_multiple(provided);
}
}  // namespace

TaskQueue::TaskQueue(const Comm& world, TaskSource* source, std::int64_t claimants) {
  if (claimants < 1 || claimants > world.size()) {
    throw std::invalid_argument(fmt::format(
        "TaskQueue: {} claimants, must be between 1 and {} ranks", claimants, world.size()));
  }
  if (world.is_root() && source == nullptr) {
    throw std::invalid_argument("TaskQueue: rank 0 needs a source");
  }
  require_threads_for(claimants);
  if (world.is_root()) {
    service_ = std::make_unique<Service>(world, *source, claimants);
  } else {
    claimant_ = std::make_unique<Claimant>(world);
  }
}

TaskQueue::~TaskQueue() = default;

std::optional<std::int64_t> TaskQueue::claim(const Finished& finished) {
  const std::vector<std::int64_t> tasks = claim_several(finished);
  if (tasks.size() > 1) throw std::logic_error("TaskQueue::claim: a source with companions");
  return tasks.empty() ? std::nullopt : std::optional(tasks.front());
}

std::vector<std::int64_t> TaskQueue::claim_several(const Finished& finished) {
  return service_ ? service_->claim(finished) : claimant_->claim(finished);
}

void TaskQueue::report(const Finished& finished) {
  if (service_) {
    service_->tell(finished, &TaskSource::report);
  } else {
    claimant_->report(finished);
  }
}

void TaskQueue::advance(const Advance& advance) {
  if (service_) {
    service_->advance(advance);
  } else {
    claimant_->advance(advance);
  }
}

void TaskQueue::withdraw(const Finished& finished) {
  if (service_) {
    service_->leave(finished);
  } else {
    claimant_->withdraw(finished);
  }
}

void TaskQueue::finish() {
  if (service_) {
    service_->finish();
  } else {
    claimant_->finish();
  }
}

void TaskQueue::with_source_locked(const std::function<void()>& work) {
  if (service_) service_->with_source_locked(work);
}

QueueLoad TaskQueue::load() const { return service_ ? service_->load() : QueueLoad{}; }

}  // namespace fairfront::parallel
