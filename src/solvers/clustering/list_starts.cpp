#include "solvers/clustering/list_starts.hpp"

#include <span>

#include "base/index.hpp"
#include "solvers/clustering/balanced_search.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr std::int64_t most_clusters_to_repair = 4096;

}  // namespace

bool can_be_balanced(const Problem& problem) {
  const Attributes& attributes = problem.attributes();
  for (std::int64_t a = 0; a < attributes.count(); ++a) {
    for (std::int64_t level = 0; level < attributes.levels(a); ++level) {
      std::int64_t members = 0;
      for (const std::int64_t j : attributes.groups_with(a, level)) {
        members += problem.group_begin(j + 1) - problem.group_begin(j);
      }
      if (members < problem.clusters()) return false;
    }
  }
  return true;
}

template <class Label>
std::vector<Label> dealt_labels(const Problem& problem, base::Stream& stream) {
  std::vector<Label> labels;
  labels.reserve(at(problem.points()));
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    labels.push_back(static_cast<Label>(p % problem.clusters()));
  }
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    const std::int64_t begin = problem.group_begin(j);
    stream.shuffle(std::span{labels}.subspan(at(begin), at(problem.group_begin(j + 1) - begin)));
  }
  return labels;
}

template <class Label>
CountedLabels<Label> balanced_labels(const Problem& problem, double share, base::Stream& stream,
                                     const Between& between) {
  std::int64_t comparisons = 0;
  if (problem.attributes().are_groups() && problem.clusters() <= most_clusters_to_repair) {
    BalancedSearch<Label> search(problem, between);
    search.assign(kmeans_plus_plus_labels<Label>(problem, stream, between));
    const bool is_balanced = search.repair(share * problem.balance_bound());
    comparisons = kmeans_plus_plus_comparisons(problem) + search.comparisons();
    if (is_balanced) {
      const std::span<const Label> labels = search.partition().labels();
      return {{labels.begin(), labels.end()}, comparisons};
    }
  }
  return {dealt_labels<Label>(problem, stream), comparisons};
}

template <class Label>
CountedLabels<Label> list_start(const Problem& problem, const ListStarts& starts,
                                std::int64_t number, base::Stream& stream, const Between& between) {
  if (number < starts.count / 2) {
    return {random_labels<Label>(problem, starts.random_start, stream, between)};
  }
  if (number < starts.count) {
    return {kmeans_plus_plus_labels<Label>(problem, stream, between),
            kmeans_plus_plus_comparisons(problem)};
  }
  const auto share =
      static_cast<double>(number + 1 - starts.count) / static_cast<double>(starts.balanced());
  return balanced_labels<Label>(problem, share, stream, between);
}

template std::vector<std::uint8_t> dealt_labels(const Problem&, base::Stream&);
template std::vector<std::uint16_t> dealt_labels(const Problem&, base::Stream&);
template CountedLabels<std::uint8_t> balanced_labels(const Problem&, double, base::Stream&,
                                                     const Between&);
template CountedLabels<std::uint16_t> balanced_labels(const Problem&, double, base::Stream&,
                                                      const Between&);
template CountedLabels<std::uint8_t> list_start(const Problem&, const ListStarts&, std::int64_t,
                                                base::Stream&, const Between&);
template CountedLabels<std::uint16_t> list_start(const Problem&, const ListStarts&, std::int64_t,
                                                 base::Stream&, const Between&);

}  // namespace fairfront::clustering
