#include "solvers/clustering/partition.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/index.hpp"
#include "base/wide_integer.hpp"
#include "solvers/clustering/label_matches.hpp"
#include "solvers/clustering/member_search.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}
template <class T>
std::byte* copy_out(const std::vector<T>& values, std::byte* to) {
  std::memcpy(to, values.data(), bytes_of(values));
  return to + bytes_of(values);
}
template <class T>
const std::byte* copy_in(std::vector<T>& values, const std::byte* from) {
  std::memcpy(values.data(), from, bytes_of(values));
  return from + bytes_of(values);
}

constexpr Bottleneck above_all{.balance = {2, 1}};

/// Makes cluster k the bottleneck when it is less balanced.
/// @param counts  its members by level.
void offer(Bottleneck& worst, std::int64_t k, std::span<const std::int32_t> counts) {
  const auto rare = std::ranges::min_element(counts);
  const auto common = std::ranges::max_element(counts);
  const Balance balance{*rare, std::max(*common, 1)};
  if (!balance.less(worst.balance)) return;
  worst.cluster = k;
  worst.rare = rare - counts.begin();
  worst.common = common - counts.begin();
  worst.balance = balance;
}

/// The balances of some clusters.
/// @param counts  (clusters, J), their members by group.
void find_balances(std::span<const std::int32_t> counts, std::int64_t groups, double* balances) {
  const auto clusters = std::ssize(counts) / groups;
  const std::int32_t* of_cluster = counts.data();
  for (std::int64_t k = 0; k < clusters; ++k, of_cluster += groups) {
    std::int32_t least = of_cluster[0];
    std::int32_t most = of_cluster[0];
    for (std::int64_t j = 1; j < groups; ++j) {
      least = std::min(least, of_cluster[j]);
      most = std::max(most, of_cluster[j]);
    }
    balances[k] = static_cast<double>(least) / static_cast<double>(std::max(most, 1));
  }
}

}  // namespace

template <class Label>
Partition<Label>::Partition(const Problem& problem)
    : clusters_{problem.clusters()},
      columns_{problem.columns()},
      groups_{problem.groups()},
      blocks_{problem.blocks().count()},
      labels_(at(problem.points())),
      block_counts_(at(clusters_ * blocks_)),
      counts_(at(clusters_ * groups_)),
      sizes_(at(clusters_)),
      sums_(at(clusters_ * columns_)) {
  assign(problem, std::vector<Label>(labels_.size()));
}

template <class Label>
void Partition<Label>::assign(const Problem& problem, std::span<const Label> labels) {
  std::ranges::copy(labels, labels_.begin());
  std::ranges::fill(block_counts_, std::uint16_t{0});
  std::ranges::fill(counts_, 0);
  std::ranges::fill(sizes_, 0);
  std::ranges::fill(sums_, 0);
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    const std::int64_t k = labels_[at(p)];
    ++block_counts_[at(k * blocks_ + problem.block_of(p))];
    ++counts_[at(k * groups_ + problem.group_of(p))];
    ++sizes_[at(k)];
    for (std::int64_t i = 0; i < columns_; ++i) {
      sums_[at(k * columns_ + i)] +=
          static_cast<std::int64_t>(problem.point(p)[i] * problem.grid_inverse()[i]);
    }
  }
}

template <class Label>
void Partition<Label>::relabel(const Problem& problem, std::int64_t point, Label to) {
  const Label from = labels_[at(point)];
  labels_[at(point)] = to;
  const std::int64_t block = problem.block_of(point);
  --block_counts_[at(from * blocks_ + block)];
  ++block_counts_[at(to * blocks_ + block)];
  const std::int64_t group = problem.group_of(point);
  --counts_[at(from * groups_ + group)];
  ++counts_[at(to * groups_ + group)];
  --sizes_[from];
  ++sizes_[to];
  const double* x = problem.point(point);
  std::int64_t* sum_from = sums_.data() + from * columns_;
  std::int64_t* sum_to = sums_.data() + to * columns_;
  for (std::int64_t i = 0; i < columns_; ++i) {
    const auto steps = static_cast<std::int64_t>(x[i] * problem.grid_inverse()[i]);
    sum_from[i] -= steps;
    sum_to[i] += steps;
  }
}

template <class Label>
bool Partition<Label>::has_empty_cluster() const noexcept {
  return std::ranges::find(sizes_, 0) != sizes_.end();
}

template <class Label>
std::int64_t Partition<Label>::member(const Problem& problem, std::int64_t k, std::int64_t j,
                                      std::int64_t rank) const noexcept {
  const Blocks& blocks = problem.blocks();
  const std::uint16_t* counts = block_counts_.data() + k * blocks_;
  std::int64_t block = blocks.first(j);
  for (; counts[block] <= rank; ++block) rank -= counts[block];
  const std::int64_t begin = problem.group_begin(j) + (block - blocks.first(j)) * blocks.length();
  return match_from(labels_.data(), problem.points(), static_cast<Label>(k), begin, rank);
}

template <class Label>
void Partition<Label>::find_members(const Problem& problem, std::int64_t k,
                                    std::span<const std::int64_t> groups, MemberIndex& index,
                                    std::span<std::int64_t> ranks) const {
  const Blocks& blocks = problem.blocks();
  const std::uint16_t* of_block = block_counts_.data() + k * blocks_;
  index.through.clear();
  index.begins.clear();
  std::int32_t sum = 0;
  for (const std::int64_t j : groups) {
    const std::int64_t first = blocks.first(j);
    const std::int64_t end = blocks.first(j + 1);
    const auto length = static_cast<std::int32_t>(blocks.length());
    auto begin = static_cast<std::int32_t>(problem.group_begin(j));
    std::size_t place = index.through.size();
    index.through.resize(place + at(end - first));
    index.begins.resize(place + at(end - first));
    for (std::int64_t block = first; block < end; ++block, ++place, begin += length) {
      index.through[place] = sum += of_block[block];
      index.begins[place] = begin;
    }
  }
  static const FindMembers<Label> find = member_search(base::simd()).of<Label>().find;
  find({labels_.data(), problem.points(), static_cast<Label>(k), std::ssize(index.through),
        index.through.data(), index.begins.data(), problem.point(0), columns_},
       ranks.data(), std::ssize(ranks));
}

template <class Label>
template <class Number>
void Partition<Label>::append_members(const Problem& problem, std::int64_t k, std::int64_t j,
                                      std::vector<Number>& result) const {
  const Blocks& blocks = problem.blocks();
  const std::uint16_t* counts = block_counts_.data() + k * blocks_;
  static const auto write = member_search(base::simd()).of<Label>().template write<Number>();
  const std::size_t before = result.size();
  result.resize(before + at(count(k, j)));
  Number* to = result.data() + before;
  const auto begin_of = [&](std::int64_t block) {
    const std::int64_t begin = problem.group_begin(j) + (block - blocks.first(j)) * blocks.length();
    return std::min(begin, problem.group_begin(j + 1));
  };
  const std::int64_t last = blocks.first(j + 1);
  for (std::int64_t block = blocks.first(j); block < last; ++block) {
    if (counts[block] == 0) continue;
    const std::int64_t begin = begin_of(block);
    while (block < last && counts[block] != 0) ++block;  // as far as there is no empty one
    const std::int64_t end = begin_of(block);
    to = write(labels_.data() + begin, end - begin, static_cast<Label>(k), begin, to);
  }
}

template <class Label>
double Partition<Label>::cost(const Problem& problem) const noexcept {
  double explained = 0;
  for (std::int64_t k = 0; k < clusters_; ++k) {
    const std::int32_t size = sizes_[at(k)];
    if (size == 0) continue;
    double squared = 0;
    for (std::int64_t i = 0; i < columns_; ++i) {
      const double sum = static_cast<double>(sums_[at(k * columns_ + i)]) * problem.grid()[i];
      squared += sum * sum;
    }
    explained += squared / size;
  }
  const double cost = problem.mean_square() - explained / static_cast<double>(problem.points());
  // Beside an outlier, or where most points are their own centroids, nearly all of it cancels.
  constexpr double least_share = 0x1p-20;
  return cost > least_share * problem.mean_square() ? cost : small_cost(problem);
}

/// The same in integers, column by column: all that cancels does so without rounding. Where every
/// point is its own centroid the cost is 0, and else no column that differs adds less than half a
/// squared step of its grid, beside which the fractions' rounding is nothing.
template <class Label>
double Partition<Label>::small_cost(const Problem& problem) const noexcept {
  base::DoubleDouble cost;
  for (std::int64_t i = 0; i < columns_; ++i) {
    base::WideInteger within = problem.squares(i);
    double fractions = 0;
    for (std::int64_t k = 0; k < clusters_; ++k) {
      const std::int32_t size = sizes_[at(k)];
      if (size == 0) continue;
      const std::int64_t sum = sums_[at(k * columns_ + i)];
      const base::WideInteger square = base::WideInteger{sum} * sum;
      const base::WideInteger whole = square / size;
      within -= whole;
      fractions += static_cast<double>(square - whole * size) / size;
    }
    base::DoubleDouble steps = base::as_double_double(within);
    steps += {-fractions, 0};
    const double grid = problem.grid()[i];  // a power of 2
    cost += {steps.high * grid * grid, steps.low * grid * grid};
  }
  return cost.value() / static_cast<double>(problem.points());
}

template <class Label>
Bottleneck Partition<Label>::bottleneck() const noexcept {
  // Quotients are ordered as fractions are (see Balance), and several at once.
  constexpr std::int64_t at_once = 64;
  double least = above_all.balance.value();
  std::int64_t cluster = 0;
  for (std::int64_t first = 0; first < clusters_; first += at_once) {
    double balances[at_once];
    const std::int64_t here = std::min(at_once, clusters_ - first);
    find_balances({counts_.data() + first * groups_, at(here * groups_)}, groups_, balances);
    const double lowest = *std::min_element(balances, balances + here);
    if (!(lowest < least)) continue;
    least = lowest;
    cluster = first + (std::find(balances, balances + here, lowest) - balances);
  }
  Bottleneck worst = above_all;  // which groups they are is asked of one cluster alone
  offer(worst, cluster, {counts_.data() + cluster * groups_, at(groups_)});
  return worst;
}

template <class Label>
Bottleneck Partition<Label>::bottleneck(const Problem& problem, std::int64_t attribute) const {
  if (problem.attributes().are_groups()) return bottleneck();
  Bottleneck worst = above_all;
  worst.attribute = attribute;
  std::vector<std::int32_t> counts(at(problem.attributes().levels(attribute)));
  for (std::int64_t k = 0; k < clusters_; ++k) {
    for (std::size_t level = 0; level < counts.size(); ++level) {
      counts[level] = count(problem, k, attribute, static_cast<std::int64_t>(level));
    }
    offer(worst, k, counts);
  }
  return worst;
}

template <class Label>
std::vector<double> Partition<Label>::objectives(const Problem& problem) const {
  std::vector<double> values{cost(problem)};
  for (std::int64_t a = 0; a < problem.attributes().count(); ++a) {
    values.push_back(0.0 - bottleneck(problem, a).balance.value());
  }
  return values;
}

template <class Label>
void Partition<Label>::mean(const Problem& problem, std::int64_t k, Centres& centres) const {
  const std::int32_t size = sizes_[at(k)];
  for (std::int64_t i = 0; i < columns_; ++i) {
    const double sum = static_cast<double>(sums_[at(k * columns_ + i)]) * problem.grid()[i];
    centres.set(k, i, size == 0 ? 0.0 : sum / size);
  }
}

template <class Label>
std::size_t Partition<Label>::bytes(const Problem& problem) {
  const std::int64_t k = problem.clusters();
  return at(problem.points()) * sizeof(Label) +
         at(k * problem.blocks().count()) * sizeof(std::uint16_t) +
         at(k * (problem.groups() + 1)) * sizeof(std::int32_t) +
         at(k * problem.columns()) * sizeof(std::int64_t);
}

template <class Label>
void Partition<Label>::pack(std::byte* to) const {
  to = copy_out(labels_, to);
  to = copy_out(block_counts_, to);
  to = copy_out(counts_, to);
  to = copy_out(sizes_, to);
  copy_out(sums_, to);
}

template <class Label>
void Partition<Label>::unpack(const std::byte* from) {
  from = copy_in(labels_, from);
  from = copy_in(block_counts_, from);
  from = copy_in(counts_, from);
  from = copy_in(sizes_, from);
  copy_in(sums_, from);
}

template class Partition<std::uint8_t>;
template class Partition<std::uint16_t>;

using Members32 = std::vector<std::int32_t>;
using Members64 = std::vector<std::int64_t>;
template void Partition<std::uint8_t>::append_members(const Problem&, std::int64_t, std::int64_t,
                                                      Members32&) const;
template void Partition<std::uint8_t>::append_members(const Problem&, std::int64_t, std::int64_t,
                                                      Members64&) const;
template void Partition<std::uint16_t>::append_members(const Problem&, std::int64_t, std::int64_t,
                                                       Members32&) const;
template void Partition<std::uint16_t>::append_members(const Problem&, std::int64_t, std::int64_t,
                                                       Members64&) const;

}  // namespace fairfront::clustering
