#include "parallel/texts.hpp"

#include <mpi.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "parallel/agree.hpp"
#include "parallel/check.hpp"
#include "parallel/long_message.hpp"
#include "parallel/wait.hpp"

namespace fairfront::parallel {

std::string scatter(const Comm& comm, const std::vector<std::string>& texts) {
  assert(!comm.is_root() || std::ssize(texts) == comm.size());
  if (comm.is_alone()) return texts[0];
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(comm.size()));
  std::string all;
  for (std::size_t i = 0; i < texts.size() && comm.is_root(); ++i) {
    lengths[i] = std::ssize(texts[i]);
    all += texts[i];
  }
  broadcast_bytes(comm, 0,
                  {reinterpret_cast<char*>(lengths.data()), lengths.size() * sizeof(std::int64_t)});
  const Layout layout = layout_of(lengths);
  const int mine = layout.counts[static_cast<std::size_t>(comm.rank())];
  std::string text(static_cast<std::size_t>(mine), '\0');
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iscatterv(all.data(), layout.counts.data(), layout.offsets.data(), MPI_CHAR,
                      text.data(), mine, MPI_CHAR, 0, comm.get(), &request),
        "MPI_Iscatterv");
  complete(request, "MPI_Iscatterv");
  return text;
}

namespace {

constexpr int text_tag = 3;

/// Of the texts that every other rank has for this one. Collective.
std::vector<std::int64_t> lengths_for_me(const Comm& comm, const std::vector<std::string>& texts) {
  std::vector<std::int64_t> mine;
  mine.reserve(texts.size());
  for (const std::string& text : texts) mine.push_back(std::ssize(text));
  if (comm.is_alone()) return mine;
  std::vector<std::int64_t> lengths(texts.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ialltoall(mine.data(), 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, comm.get(),
                      &request),
        "MPI_Ialltoall");
  complete(request, "MPI_Ialltoall");
  return lengths;
}

}  // namespace

std::vector<std::string> exchange_texts(const Comm& comm, std::vector<std::string> texts) {
  assert(std::ssize(texts) == comm.size());
  const std::vector<std::int64_t> lengths = lengths_for_me(comm, texts);
  const auto own = static_cast<std::size_t>(comm.rank());
  std::vector<std::string> found(texts.size());
  agree(comm, "", [&] {
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
      if (rank != own) found[rank].resize(static_cast<std::size_t>(lengths[rank]));
    }
  });
  found[own] = std::move(texts[own]);
  std::vector<MPI_Request> requests;
  // Each begins with the rank behind its own: not all send to one at the same time.
  for (int step = 1; step < comm.size(); ++step) {
    const int from = (comm.rank() + comm.size() - step) % comm.size();
    begin_receive(comm, from, text_tag, found[static_cast<std::size_t>(from)], requests);
  }
  for (int step = 1; step < comm.size(); ++step) {
    const int to = (comm.rank() + step) % comm.size();
    begin_send(comm, to, text_tag, texts[static_cast<std::size_t>(to)], requests);
  }
  check(wait_politely(requests), "MPI_Isend or MPI_Irecv");
  return found;
}

void for_each_text(const Comm& comm, const std::string& text,
                   const std::function<void(const std::string&)>& use) {
  const std::vector<std::int64_t> lengths = all_lengths(comm, text.size());
  std::exception_ptr failure;
  if (!comm.is_root()) {
    std::vector<MPI_Request> requests;
    begin_send(comm, 0, text_tag, text, requests);
    check(wait_politely(requests), "MPI_Isend");
    return detail::agree_on(comm, "", failure);
  }
  const auto unwanted = std::make_unique_for_overwrite<char[]>(message_part);
  std::string found;  // in the same memory from rank to rank
  for (int rank = 1; rank < comm.size(); ++rank) {
    const auto length = static_cast<std::size_t>(lengths[static_cast<std::size_t>(rank)]);
    try {
      if (!failure) found.resize(length);
    } catch (...) {
      failure = std::current_exception();
    }
    receive(comm, rank, text_tag, length,
            [&](std::size_t begin) { return failure ? unwanted.get() : found.data() + begin; });
    try {
      if (!failure) use(found);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  detail::agree_on(comm, "", failure);
}

}  // namespace fairfront::parallel
