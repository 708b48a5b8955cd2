#include "parallel/reduce_front.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <exception>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "parallel/agree.hpp"
#include "parallel/check.hpp"
#include "parallel/wait.hpp"

namespace fairfront::parallel {
namespace {

/// Numbers as MPI carries them: origins, and bits of objectives.
using Words = std::vector<std::uint64_t>;
constexpr int hop_tag = 2;

void append(Words& words, const pareto::Points& points) {
  words.insert(words.end(), points.origins().begin(), points.origins().end());
  for (const double value : points.values()) words.push_back(std::bit_cast<std::uint64_t>(value));
}

/// @param words  origins and values of `count` points; shortened by what is taken.
pareto::Points take(std::span<const std::uint64_t>& words, std::size_t objectives,
                    std::size_t count) {
  const auto origins = words.first(count);
  const auto bits = words.subspan(count, count * objectives);
  words = words.subspan(count + bits.size());
  std::vector<double> values(bits.size());
  std::ranges::transform(bits, values.begin(),
                         [](std::uint64_t word) { return std::bit_cast<double>(word); });
  return {objectives, std::move(values), {origins.begin(), origins.end()}};
}

/// Fronts that have points: place and number of points of each, then the points.
Words pack(const std::vector<pareto::Front>& fronts) {
  Words words{0};
  for (std::size_t i = 0; i < fronts.size(); ++i) {
    if (fronts[i].empty()) continue;
    ++words[0];
    words.insert(words.end(), {i, fronts[i].size()});
  }
  for (const pareto::Front& front : fronts) append(words, front.points());
  return words;
}

void merge_packed(std::vector<pareto::Front>& fronts, std::span<const std::uint64_t> words) {
  const std::size_t count = words[0];
  std::span<const std::uint64_t> heads = words.subspan(1, 2 * count);
  words = words.subspan(1 + heads.size());
  for (; !heads.empty(); heads = heads.subspan(2)) {
    pareto::Front& front = fronts[heads[0]];
    front = merge(front, pareto::Front::of_ordered(take(words, front.objectives(), heads[1])));
  }
}

/// The first words of a message, the first of which is how many words it has in all: most fit, and
/// the other side needs no memory to take them.
using Block = std::array<std::uint64_t, 1024>;

std::size_t words_in_block(std::size_t length) { return std::min(length, Block{}.size() - 1); }

void begin_block(Block& block, const Words& words) {
  block[0] = words.size();
  std::copy_n(words.begin(), words_in_block(words.size()), block.begin() + 1);
}
/// @return  of the length that the block tells, with what it holds.
Words words_of(const Block& block) {
  Words words(block[0]);
  std::copy_n(block.begin() + 1, words_in_block(words.size()), words.begin());
  return words;
}
/// What does not fit into a block.
std::span<std::uint64_t> rest_of(Words& words) {
  return std::span{words}.subspan(words_in_block(words.size()));
}

/// Runs `work` unless something has failed.
/// @return  what has failed.
template <class Work>
std::exception_ptr failure_of(std::exception_ptr failure, Work work) {
  if (failure) return failure;
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// One rank's way through a binomial tree to rank 0. A rank that fails goes on with nothing to send
/// and nothing to take, so that no other one waits for it: the sender of a long message waits until
/// the receiver says whether it has room.
class Tree {
 public:
  /// @param failure  what has failed on this rank already, or null.
  Tree(const Comm& comm, std::vector<pareto::Front>& fronts, std::exception_ptr failure = nullptr)
      : comm_{comm}, fronts_{fronts}, failure_{std::move(failure)} {}

  /// @return  what has failed on this rank, or null. @throws MpiError
  std::exception_ptr reduce() {
    for (int step = 1; step < comm_.size(); step *= 2) {
      if ((comm_.rank() & step) != 0) {
        give(comm_.rank() - step);
        break;
      }
      if (comm_.rank() + step < comm_.size()) take_from(comm_.rank() + step);
    }
    return failure_;
  }

 private:
  template <class Work>
  void attempt(Work work) {
    failure_ = failure_of(failure_, work);
  }
  void send(std::span<const std::uint64_t> words, int to) const {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(words.data(), static_cast<int>(words.size()), MPI_UINT64_T, to, hop_tag,
                    comm_.get(), &request),
          "MPI_Isend");
    complete(request, "MPI_Isend");
  }
  void receive(std::span<std::uint64_t> words, int from) const {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(words.data(), static_cast<int>(words.size()), MPI_UINT64_T, from, hop_tag,
                    comm_.get(), &request),
          "MPI_Irecv");
    complete(request, "MPI_Irecv");
  }

  void give(int to) {
    Words words;
    attempt([&] {
      words = pack(fronts_);
      (void)as_count(words.size());
    });
    if (failure_) words.clear();
    Block block;
    begin_block(block, words);
    send(std::span{block}.first(1 + words_in_block(words.size())), to);
    if (rest_of(words).empty()) return;
    std::uint64_t has_room = 0;
    receive({&has_room, 1}, to);
    if (has_room != 0) send(rest_of(words), to);
  }
  void take_from(int from) {
    Block block;
    receive(block, from);
    if (block[0] == 0) return;
    Words words;
    attempt([&] { words = words_of(block); });
    if (block[0] > words_in_block(block[0])) {
      const std::uint64_t has_room = words.empty() ? 0 : 1;
      send({&has_room, 1}, from);
      if (has_room == 0) return;
      receive(rest_of(words), from);
    }
    attempt([&] { merge_packed(fronts_, words); });
  }

  const Comm& comm_;
  std::vector<pareto::Front>& fronts_;
  std::exception_ptr failure_;
};

constexpr std::string_view merging = "merging fronts";

void rethrow(const std::exception_ptr& failure) {
  if (failure) std::rethrow_exception(failure);
}

std::span<char> bytes_of(std::span<std::uint64_t> words) {
  return {reinterpret_cast<char*>(words.data()), words.size_bytes()};
}

}  // namespace

pareto::Front merge_nondominated(const Comm& comm, const pareto::Front& local) {
  if (comm.size() == 1) return local;
  std::vector<pareto::Front> merged;
  auto failure = failure_of(nullptr, [&] { merged.push_back(local); });
  failure = Tree(comm, merged, failure).reduce();
  Words words;
  Block block{};
  if (comm.is_root()) {
    failure = failure_of(failure, [&] { words = pack(merged); });
    if (!failure) begin_block(block, words);
  }
  broadcast_bytes(comm, 0, bytes_of(block));
  if (block[0] > words_in_block(block[0])) {
    agree(comm, merging, [&] {
      rethrow(failure);
      if (!comm.is_root()) words = words_of(block);
    });
    broadcast_bytes(comm, 0, bytes_of(rest_of(words)));
  }
  agree(comm, merging, [&] {
    rethrow(failure);
    if (comm.is_root() || block[0] == 0) return;
    if (words.empty()) words = words_of(block);
    merged[0] = pareto::Front(local.objectives());
    merge_packed(merged, words);
  });
  return std::move(merged[0]);
}

std::vector<pareto::Front> merge_nondominated_on_root(const Comm& comm,
                                                      std::vector<pareto::Front> local) {
  const std::exception_ptr failure = Tree(comm, local).reduce();
  agree(comm, merging, [&] { rethrow(failure); });
  if (!comm.is_root()) local.clear();
  return local;
}

pareto::Points all_gather(const Comm& comm, const pareto::Points& local) {
  Words mine{local.size()};
  append(mine, local);
  const Layout layout = layout_of(all_lengths(comm, mine.size()));
  Words all(layout.total);
  if (comm.is_alone()) {
    all = std::move(mine);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgatherv(mine.data(), as_count(mine.size()), MPI_UINT64_T, all.data(),
                          layout.counts.data(), layout.offsets.data(), MPI_UINT64_T, comm.get(),
                          &request),
          "MPI_Iallgatherv");
    complete(request, "MPI_Iallgatherv");
  }
  std::vector<pareto::Points> parts;
  for (const int offset : layout.offsets) {
    std::span<const std::uint64_t> words = std::span{all}.subspan(static_cast<std::size_t>(offset));
    const std::size_t count = words[0];
    words = words.subspan(1);
    parts.push_back(take(words, local.objectives(), count));
  }
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t i = 0; i < parts[part].size(); ++i) order.emplace_back(part, i);
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return pareto::precedes(parts[a.first][a.second], parts[a.first].origin(a.second),
                            parts[b.first][b.second], parts[b.first].origin(b.second));
  });
  pareto::Points result(local.objectives());
  result.reserve(order.size());
  for (const auto& [part, i] : order) result.add(parts[part][i], parts[part].origin(i));
  return result;
}

}  // namespace fairfront::parallel
