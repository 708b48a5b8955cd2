#include "parallel/exchange.hpp"

#include "parallel/check.hpp"

namespace fairfront::parallel {
namespace {
constexpr int exchange_tag = 1;
}

Exchange::~Exchange() {
  if (requests_.empty()) return;
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

void Exchange::send(int to, std::span<const std::byte> bytes) {
  check(MPI_Isend(bytes.data(), as_count(bytes.size()), MPI_BYTE, to, exchange_tag, comm_.get(),
                  &requests_.emplace_back(MPI_REQUEST_NULL)),
        "MPI_Isend");
}

void Exchange::receive(int from, std::span<std::byte> bytes) {
  check(MPI_Irecv(bytes.data(), as_count(bytes.size()), MPI_BYTE, from, exchange_tag, comm_.get(),
                  &requests_.emplace_back(MPI_REQUEST_NULL)),
        "MPI_Irecv");
}

void Exchange::finish() {
  const int status = MPI_Waitall(as_count(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
  check(status, "MPI_Waitall");
}

}  // namespace fairfront::parallel
