#include "solvers/clustering/soft_update.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::int64_t lanes = SoftBlock::lanes;

/// Everything that an update reads and writes.
struct Memory {
  explicit Memory(std::int64_t clusters, std::int64_t count)
      : entries(static_cast<std::size_t>(clusters * lanes)),
        previous(entries),
        factors(entries),
        distances(entries),
        of_group(static_cast<std::size_t>(clusters)),
        memberships(entries),
        masses(entries) {
    base::Stream stream(base::StreamKey(1, "test", "soft update"), 0);
    for (std::size_t i = 0; i < entries; ++i) {
      const bool used = static_cast<std::int64_t>(i) % lanes < count;
      previous[i] = used ? stream.uniform() : 0;
      factors[i] = used ? std::pow(stream.uniform(), 200) : 0;
      distances[i] = used ? stream.uniform() : 0;
      masses[i] = stream.uniform();
    }
    for (double& value : of_group) value = stream.uniform();
    for (double& value : attraction) value = stream.uniform();
  }
  SoftBlock block(std::int64_t clusters, std::int64_t count) {
    return {clusters,
            count,
            previous.data(),
            factors.data(),
            distances.data(),
            of_group.data(),
            memberships.data(),
            masses.data(),
            norms,
            attraction};
  }
  std::size_t entries;
  std::vector<double> previous, factors, distances, of_group, memberships, masses;
  double norms[lanes] = {};
  double attraction[lanes] = {};
};

/// The definition, a lane after the other.
void expect_the_definition(const Memory& before, const Memory& after, std::int64_t clusters,
                           std::int64_t count) {
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    double norm = 0;
    const auto at = [&](std::int64_t k) { return static_cast<std::size_t>(k * lanes + lane); };
    const auto product = [&](std::int64_t k) {
      return before.previous[at(k)] *
             (before.factors[at(k)] * before.of_group[static_cast<std::size_t>(k)]);
    };
    for (std::int64_t k = 0; k < clusters; ++k) norm += product(k);
    if (lane >= count) norm = 1;
    EXPECT_EQ(after.norms[lane], norm);
    double attraction = 0;
    for (std::int64_t k = 0; k < clusters; ++k) {
      const double scaled = product(k) * (1 / norm);
      const double membership = scaled > 1e-150 ? scaled : 1e-150;
      EXPECT_EQ(after.memberships[at(k)], membership);
      EXPECT_EQ(after.masses[at(k)], before.masses[at(k)] + membership);
      attraction += membership * before.distances[at(k)];
    }
    EXPECT_EQ(after.attraction[lane], before.attraction[lane] + attraction);
  }
}

TEST(SoftUpdate, IsItsDefinitionBitForBitOnEveryProcessor) {
  for (const base::Simd simd : base::available_simd()) {
    SCOPED_TRACE(base::name_of(simd));
    for (const std::int64_t clusters : {2, 3, 10, 33}) {
      for (const std::int64_t count : {1, 5, 8}) {
        const Memory before(clusters, count);
        Memory after = before;
        soft_update(simd)(after.block(clusters, count));
        expect_the_definition(before, after, clusters, count);
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::clustering
