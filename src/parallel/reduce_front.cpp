#include "parallel/reduce_front.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "parallel/agree.hpp"
#include "parallel/check.hpp"

namespace fairfront::parallel {
namespace {

/// A front in a block of 64-bit words: number of objectives, number of points, then per point
/// its origin and its objectives. The block has room for every rank's points together, so the
/// operator never runs out of it.
using Words = std::vector<std::uint64_t>;
constexpr std::size_t header_words = 2;

std::size_t words_per_point(std::size_t objectives) { return objectives + 1; }

void pack(const pareto::Points& points, std::uint64_t* block) {
  const std::size_t objectives = points.objectives();
  *block++ = objectives;
  *block++ = points.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    *block++ = points.origin(i);
    std::memcpy(block, points[i].data(), objectives * sizeof(double));
    block += objectives;
  }
}

pareto::Points unpack(const std::uint64_t* block) {
  const std::size_t objectives = block[0];
  const std::size_t count = block[1];
  pareto::Points points(objectives);
  points.reserve(count);
  std::vector<double> point(objectives);
  block += header_words;
  for (std::size_t i = 0; i < count; ++i, block += words_per_point(objectives)) {
    std::memcpy(point.data(), block + 1, objectives * sizeof(double));
    points.add(point, block[0]);
  }
  return points;
}

/// What the operator has thrown on this thread since the collective began. It lies beside the
/// block: an exception must not pass through MPI's C code, and the operator has no data of its own.
thread_local std::exception_ptr merge_failure;

/// MPI calls it with one block (`*length` is 1) on both sides. One that fails leaves the block as
/// it was, so that those further up in the reduction still find a front in it.
void merge_blocks(void* in, void* in_out, int* length, MPI_Datatype*) noexcept {
  if (*length == 0) return;
  try {
    const auto* left = static_cast<const std::uint64_t*>(in);
    auto* right = static_cast<std::uint64_t*>(in_out);
    pack(pareto::merge(pareto::Front(unpack(left)), pareto::Front(unpack(right))).points(), right);
  } catch (...) {
    merge_failure = std::current_exception();
  }
}

/// One block as one MPI element, so that no algorithm of the library may cut it.
class BlockType {
 public:
  explicit BlockType(std::size_t words) {
    check(MPI_Type_contiguous(as_count(words), MPI_UINT64_T, &type_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~BlockType() { MPI_Type_free(&type_); }
  BlockType(const BlockType&) = delete;
  BlockType& operator=(const BlockType&) = delete;
  [[nodiscard]] MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

FrontMerge::FrontMerge() {
  constexpr int commutes = 1;
  check(MPI_Op_create(&merge_blocks, commutes, &operation_), "MPI_Op_create");
}
FrontMerge::~FrontMerge() { MPI_Op_free(&operation_); }

pareto::Front merge_nondominated(const Comm& comm, const FrontMerge& operation,
                                 const pareto::Front& local) {
  if (comm.size() == 1) return local;
  const auto total =
      static_cast<std::size_t>(all_reduce_sum(comm, static_cast<std::int64_t>(local.size())));
  if (total == 0) return pareto::Front(local.objectives());
  const std::size_t words = header_words + total * words_per_point(local.objectives());
  Words mine(words);
  Words merged(words);
  pack(local.points(), mine.data());
  const BlockType type(words);
  merge_failure = nullptr;
  check(MPI_Allreduce(mine.data(), merged.data(), 1, type.get(), operation.get(), comm.get()),
        "MPI_Allreduce");
  pareto::Front result(local.objectives());
  agree(comm, "merging fronts", [&] {
    if (merge_failure) std::rethrow_exception(std::exchange(merge_failure, nullptr));
    result = pareto::Front(unpack(merged.data()));
  });
  return result;
}

pareto::Points all_gather(const Comm& comm, const pareto::Points& local) {
  Words mine(header_words + local.size() * words_per_point(local.objectives()));
  pack(local, mine.data());
  const Layout layout = layout_of(all_lengths(comm, mine.size()));
  Words all(layout.total);
  check(MPI_Allgatherv(mine.data(), as_count(mine.size()), MPI_UINT64_T, all.data(),
                       layout.counts.data(), layout.offsets.data(), MPI_UINT64_T, comm.get()),
        "MPI_Allgatherv");
  std::vector<pareto::Points> parts;
  for (const int offset : layout.offsets) parts.push_back(unpack(all.data() + offset));
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
