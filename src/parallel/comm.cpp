#include "parallel/comm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "parallel/check.hpp"
#include "parallel/wait.hpp"

namespace fairfront::parallel {
namespace {

std::string reason_of(int code) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return "unknown error";
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::int64_t all_reduce(const Comm& comm, std::int64_t value, MPI_Op operation) {
  if (comm.is_alone()) return value;
  std::int64_t result = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(&value, &result, 1, MPI_INT64_T, operation, comm.get(), &request),
        "MPI_Iallreduce");
  complete(request, "MPI_Iallreduce");
  return result;
}

/// A process that no launcher started is alone: Open MPI then needs neither its daemon nor a search
/// for networks, which take most of its start (0.05 s instead of 0.4). Nor does it need a folder
/// for its session: all such processes of a user take the same one, and where two start or end at
/// the same time one finds it made or gone, and MPI_Init fails. What the user set stays.
void start_without_network() {
  constexpr int keep = 0;
  ::setenv("OMPI_MCA_ess_singleton_isolated", "1", keep);
  ::setenv("OMPI_MCA_orte_create_session_dirs", "0", keep);
  ::setenv("OMPI_MCA_pml", "ob1", keep);
}

std::size_t broadcast_count(const Comm& comm, int root, std::uint64_t count) {
  broadcast_bytes(comm, root, {reinterpret_cast<char*>(&count), sizeof count});
  return count;
}

}  // namespace

MpiError::MpiError(std::string_view call, int code)
    : std::runtime_error(fmt::format("{} failed: {}", call, reason_of(code))) {}

void check(int code, std::string_view call) {
  if (code != MPI_SUCCESS) throw MpiError(call, code);
}

int as_count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::length_error(fmt::format("{} elements are more than one MPI message takes", count));
  }
  return static_cast<int>(count);
}

const char* rank_told_by_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* rank = std::getenv(name)) return rank;
  }
  return nullptr;
}

void require_thread_multiple(int provided) {
  if (provided >= MPI_THREAD_MULTIPLE) return;
  const char* level = provided == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                      : provided == MPI_THREAD_FUNNELED ? "MPI_THREAD_FUNNELED"
                                                        : "MPI_THREAD_SINGLE";
  throw base::Error(fmt::format(
      "the MPI library provides only {}, but a rank that hands out tasks while it works "
      "needs MPI_THREAD_MULTIPLE: use an MPI library that was built with it "
      "(Open MPI: see 'ompi_info | grep -i thread')",
      level));
}

Session::Session(int& argc, char**& argv) {
  if (rank_told_by_launcher() == nullptr) start_without_network();
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  try {
    require_thread_multiple(provided);
  } catch (...) {
    MPI_Finalize();  // no object, so no destructor
    throw;
  }
}
Session::~Session() { MPI_Finalize(); }

namespace {
MPI_Comm duplicate(MPI_Comm parent) {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(parent, &copy), "MPI_Comm_dup");
  return copy;
}
}  // namespace

Comm::Comm(MPI_Comm parent) : Comm(duplicate(parent), Adopt{}) {}

Comm::Comm(MPI_Comm owned, Adopt) : comm_{owned} {
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Comm::Comm(Comm&& other) noexcept
    : comm_{std::exchange(other.comm_, MPI_COMM_NULL)}, rank_{other.rank_}, size_{other.size_} {}

Comm& Comm::operator=(Comm&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

Comm::~Comm() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

void Comm::abandon() {
  // Never destroyed, so that a leak checker sees them in use to the end.
  static auto& kept = *new std::vector<MPI_Comm>;
  kept.push_back(comm_);
  comm_ = MPI_COMM_NULL;
}

Comm Comm::split(int color) const {
  if (is_alone()) return alone();
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(comm_, color, rank_, &part), "MPI_Comm_split");
  return {part, Adopt{}};
}

Comm Comm::split_by_node() const {
  if (is_alone()) return alone();
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part),
        "MPI_Comm_split_type");
  return {part, Adopt{}};
}

std::int64_t all_reduce_sum(const Comm& comm, std::int64_t value) {
  return all_reduce(comm, value, MPI_SUM);
}
std::int64_t all_reduce_min(const Comm& comm, std::int64_t value) {
  return all_reduce(comm, value, MPI_MIN);
}
std::int64_t all_reduce_max(const Comm& comm, std::int64_t value) {
  return all_reduce(comm, value, MPI_MAX);
}

void broadcast_bytes(const Comm& comm, int root, std::span<char> bytes, std::size_t chunk) {
  if (comm.is_alone()) return;
  for (std::size_t begin = 0; begin < bytes.size(); begin += chunk) {
    const std::span part = bytes.subspan(begin, std::min(chunk, bytes.size() - begin));
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(part.data(), as_count(part.size()), MPI_CHAR, root, comm.get(), &request),
          "MPI_Ibcast");
    complete(request, "MPI_Ibcast");
  }
}

std::string broadcast(const Comm& comm, int root, std::string text) {
  text.resize(broadcast_count(comm, root, text.size()));
  broadcast_bytes(comm, root, text);
  return text;
}

std::vector<std::string> broadcast(const Comm& comm, int root, std::vector<std::string> texts) {
  const std::size_t count = broadcast_count(comm, root, texts.size());
  texts.resize(count);
  std::vector<std::uint64_t> lengths;
  std::string all;
  for (const std::string& text : texts) {
    lengths.push_back(text.size());
    if (comm.rank() == root) all += text;
  }
  broadcast_bytes(comm, root,
                  {reinterpret_cast<char*>(lengths.data()), count * sizeof(std::uint64_t)});
  all = broadcast(comm, root, std::move(all));
  std::size_t begin = 0;
  for (std::size_t i = 0; i < texts.size(); begin += lengths[i++]) {
    texts[i] = all.substr(begin, lengths[i]);
  }
  return texts;
}

Layout layout_of(std::span<const std::int64_t> lengths) {
  Layout layout;
  for (const std::int64_t length : lengths) {
    layout.counts.push_back(as_count(static_cast<std::size_t>(length)));
    layout.offsets.push_back(as_count(layout.total));
    layout.total += static_cast<std::size_t>(length);
  }
  return layout;
}

std::vector<std::int64_t> all_lengths(const Comm& comm, std::size_t length) {
  const auto mine = static_cast<std::int64_t>(length);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(comm.size()), mine);
  if (comm.is_alone()) return lengths;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallgather(&mine, 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, comm.get(), &request),
        "MPI_Iallgather");
  complete(request, "MPI_Iallgather");
  return lengths;
}

std::vector<std::int64_t> all_gather(const Comm& comm, std::span<double> values,
                                     std::span<const std::int64_t> lengths, std::int64_t mine) {
  const Layout layout = layout_of(lengths);
  assert(layout.total == values.size() && std::ssize(lengths) == comm.size());
  std::vector<std::int64_t> of_ranks(static_cast<std::size_t>(comm.size()), mine);
  if (comm.is_alone()) return of_ranks;
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  check(MPI_Iallgather(&mine, 1, MPI_INT64_T, of_ranks.data(), 1, MPI_INT64_T, comm.get(),
                       requests.data()),
        "MPI_Iallgather");
  if (layout.total > 0) {
    check(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values.data(), layout.counts.data(),
                          layout.offsets.data(), MPI_DOUBLE, comm.get(), &requests[1]),
          "MPI_Iallgatherv");
  }
  check(wait_politely(requests), "MPI_Iallgatherv");
  return of_ranks;
}

std::vector<std::string> gather(const Comm& comm, const std::string& text) {
  const Layout layout = layout_of(all_lengths(comm, text.size()));
  if (comm.is_alone()) return {text};
  std::string all(comm.is_root() ? layout.total : 0, '\0');
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Igatherv(text.data(), as_count(text.size()), MPI_CHAR, all.data(), layout.counts.data(),
                     layout.offsets.data(), MPI_CHAR, 0, comm.get(), &request),
        "MPI_Igatherv");
  complete(request, "MPI_Igatherv");
  std::vector<std::string> texts;
  if (!comm.is_root()) return texts;
  for (std::size_t i = 0; i < layout.counts.size(); ++i) {
    texts.push_back(all.substr(static_cast<std::size_t>(layout.offsets[i]),
                               static_cast<std::size_t>(layout.counts[i])));
  }
  return texts;
}

}  // namespace fairfront::parallel
