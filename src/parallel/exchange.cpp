#include "parallel/exchange.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "parallel/check.hpp"
#include "parallel/wait.hpp"

namespace fairfront::parallel {
namespace {

constexpr int exchange_tag = 1;
constexpr std::chrono::seconds grace{1};
constexpr std::chrono::microseconds pause{100};

bool all_done(std::vector<MPI_Request>& requests) {
  if (requests.empty()) return true;
  int done = 0;
  MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
  return done != 0;
}

}  // namespace

MPI_Request& Exchange::Batch::add(Bytes message) {
  (void)as_count(requests.size() + 1);
  bytes.push_back(std::move(message));
  return requests.emplace_back(MPI_REQUEST_NULL);
}

Exchange::~Exchange() {
  if (std::uncaught_exceptions() > exceptions_) {
    leave();
  } else {
    (void)wait_politely(receives_.requests);
    (void)wait_politely(sends_.requests);
  }
}

void Exchange::leave() noexcept {
  for (MPI_Request& request : receives_.requests) {
    if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
  }
  const auto end = std::chrono::steady_clock::now() + grace;
  while (!all_done(receives_.requests) || !all_done(sends_.requests)) {
    if (std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(pause);
      continue;
    }
    // The library may still look at them. Never destroyed, so that a leak checker sees them in use.
    static auto& kept = *new std::vector<std::pair<Batch, Batch>>;
    kept.emplace_back(std::move(receives_), std::move(sends_));
    return;
  }
}

void Exchange::send(int to, Bytes bytes) {
  MPI_Request& request = sends_.add(std::move(bytes));
  const Bytes& message = sends_.bytes.back();
  check(MPI_Isend(message.data(), as_count(message.size()), MPI_BYTE, to, exchange_tag, comm_.get(),
                  &request),
        "MPI_Isend");
}

void Exchange::receive(int from, std::size_t length) {
  MPI_Request& request = receives_.add(Bytes(length));
  Bytes& message = receives_.bytes.back();
  check(MPI_Irecv(message.data(), as_count(length), MPI_BYTE, from, exchange_tag, comm_.get(),
                  &request),
        "MPI_Irecv");
}

std::vector<Exchange::Bytes> Exchange::finish() {
  const int received = wait_politely(receives_.requests);
  const int sent = wait_politely(sends_.requests);
  sends_ = {};
  Batch done = std::exchange(receives_, {});
  check(received, "MPI_Testall");
  check(sent, "MPI_Testall");
  return std::move(done.bytes);
}

}  // namespace fairfront::parallel
