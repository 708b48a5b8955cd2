#include "solvers/clustering/soft_assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "solvers/clustering/implicit_slopes.hpp"
#include "solvers/clustering/naive_vfairkm.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/step.hpp"

namespace fairfront::clustering {
namespace {

Centres some_centres(const Problem& problem, std::uint64_t seed) {
  Solution<std::uint8_t> solution(problem);
  base::Stream stream(base::StreamKey(seed, "test", "centres"), 0);
  solution.partition.assign(problem, kmeans_plus_plus_labels<std::uint8_t>(problem, stream));
  solution.set_exact_centres(problem);
  return solution.centres;
}

/// Greatest difference of a membership.
template <class A, class B>
double distance(const Problem& problem, const A& a, const B& b) {
  double greatest = 0;
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    for (std::int64_t k = 0; k < problem.clusters(); ++k) {
      greatest = std::max(greatest,
                          static_cast<double>(std::abs(a.membership(p, k) - b.membership(p, k))));
    }
  }
  return greatest;
}

struct Shape {
  std::int64_t points;
  std::int64_t columns;
  std::int64_t groups;
  std::int64_t clusters;
};

/// Group sizes that fill blocks of eight and that do not.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{{200, 3, 2, 4}, {97, 2, 3, 5}, {64, 5, 2, 2}, {61, 1, 4, 3}};
  return all;
}

TEST(SoftAssignment, DoesWhatTheLiteralFormulasSay) {
  for (const Shape& shape : shapes()) {
    const Problem problem(random_dataset(1, shape.points, shape.columns, shape.groups),
                          shape.clusters);
    for (const double lipschitz : {1.0, 2.0, 3.7}) {
      for (const double share : {0.0, 0.005, 0.02}) {
        const double mu = share * static_cast<double>(shape.points);
        SCOPED_TRACE(problem.describe() + " mu " + std::to_string(mu));
        SoftAssignment soft(problem, lipschitz);
        NaiveSoftAssignment<> naive(problem, lipschitz);
        for (const std::uint64_t seed : {1U, 2U}) {  // a second start forgets the first
          const Centres centres = some_centres(problem, seed);
          soft.start(centres);
          naive.start(centres);
          EXPECT_LT(distance(problem, soft, naive), 1e-14);
          for (int i = 0; i < 40; ++i) {
            const double expected = naive.update(mu);
            EXPECT_NEAR(soft.update(mu), expected, 1e-9 * (1 + std::abs(expected)));
            EXPECT_NEAR(soft.objective(mu), naive.objective(mu), 1e-9);
          }
          EXPECT_LT(distance(problem, soft, naive), 1e-11);
        }
        std::vector<std::uint8_t> labels(static_cast<std::size_t>(shape.points));
        soft.hard_labels<std::uint8_t>(labels);
        EXPECT_EQ(labels, naive.labels());
      }
    }
  }
}

/// Distances in the thousands, so that some blocks of rows take products and others logarithms,
/// against formulas with room for such exponents.
TEST(SoftAssignment, DoesWhatTheFormulasSayWhereExponentialsUnderflow) {
  for (const double scale : {15.0, 25.0, 40.0}) {
    data::Dataset dataset = random_dataset(1, 120, 2, 2);
    for (double& value : dataset.features) value *= scale;
    const Problem problem(dataset, 3);
    const Centres centres = some_centres(problem, 1);
    SoftAssignment soft(problem, 2);
    NaiveSoftAssignment<long double> naive(problem, 2);
    soft.start(centres);
    naive.start(centres);
    double greatest = 0;
    for (std::int64_t p = 0; p < 120; ++p) {
      for (std::int64_t k = 0; k < 3; ++k) {
        greatest = std::max(greatest, centres.squared_distance(k, problem.point(p)));
      }
    }
    EXPECT_GT(greatest, 1200);
    for (int i = 0; i < 4; ++i) {
      (void)soft.update(30);
      (void)naive.update(30);
      EXPECT_LT(distance(problem, soft, naive), 1e-10) << "scale " << scale << ", step " << i;
    }
  }
}

TEST(SoftAssignment, RowsStaySumsOfOneWhereExponentialsUnderflow) {
  for (const double scale : {1.0, 30.0, 1e3, 1e6}) {
    data::Dataset dataset = random_dataset(1, 90, 2, 2);
    for (double& value : dataset.features) value *= scale;
    const Problem problem(dataset, 4);
    SoftAssignment soft(problem, 2);
    soft.start(some_centres(problem, 1));
    for (int i = 0; i < 500; ++i) {
      ASSERT_TRUE(std::isfinite(soft.update(20.0)));
      ASSERT_TRUE(std::isfinite(soft.objective(20.0)));
    }
    for (std::int64_t p = 0; p < problem.points(); ++p) {
      double sum = 0;
      for (std::int64_t k = 0; k < 4; ++k) {
        EXPECT_GE(soft.membership(p, k), 1e-150);
        sum += soft.membership(p, k);
      }
      EXPECT_NEAR(sum, 1, 1e-14);
    }
  }
}

/// Two rows whose distances span more than 600 L, and a span that grows through b: one coordinate
/// decides which way is taken, and both ways give the logarithmic formula's answer.
TEST(SoftAssignment, ProductsAndLogarithmsMeetWhereOneTakesOver) {
  for (const double span : {1190.0, 1199.0, 1201.0, 1210.0}) {
    data::Dataset dataset = empty_dataset(1, 2);
    dataset.rows = 4;
    dataset.features = {-1, 1, -1, 1};
    dataset.group = {0, 0, 1, 1};
    const Problem problem(dataset, 2);
    Centres centres(problem);
    // |1 - c|^2 - |1 + c|^2 = -4 c for centres at c and -c.
    centres.set(0, 0, -span / 4);
    centres.set(1, 0, span / 4);
    SoftAssignment soft(problem, 2);
    soft.start(centres);
    for (int i = 1; i <= 2; ++i) {
      // All is symmetric, so b = 0, log Z_p = -min_k a / 2 up to 1e-150, and E = sum min_k a.
      const double least = (1 - span / 4) * (1 - span / 4);
      EXPECT_NEAR(soft.update(5), 4 * least, 1e-9 * least);
      EXPECT_NEAR(soft.membership(0, 0), 1, 1e-14);
      EXPECT_NEAR(soft.membership(1, 1), 1, 1e-14);
    }
  }
}

TEST(SoftAssignment, TheObjectiveNeverRisesWhileTheBoundHolds) {
  for (const Shape& shape : shapes()) {
    const Problem problem(random_dataset(2, shape.points, shape.columns, shape.groups),
                          shape.clusters);
    const double mu = 0.2 * static_cast<double>(shape.points);
    const double lipschitz = 2000;  // mu u_j / V_jk stays below
    SoftAssignment soft(problem, lipschitz);
    soft.start(some_centres(problem, 1));
    double before = soft.objective(mu);
    for (int i = 0; i < 200; ++i) {
      (void)soft.update(mu);
      for (std::int64_t k = 0; k < shape.clusters; ++k) {
        for (std::int64_t j = 0; j < shape.groups; ++j) {
          ASSERT_LE(mu / soft.mass(k, j), lipschitz);
        }
      }
      const double now = soft.objective(mu);
      EXPECT_LE(now, before + 1e-12 * std::abs(before));
      before = now;
    }
  }
}

TEST(SoftAssignment, AStepTakenBackLeavesNoTrace) {
  const Problem problem(random_dataset(3, 90, 2, 2), 4);
  const Centres centres = some_centres(problem, 1);
  SoftAssignment soft(problem, 2);
  SoftAssignment longer(problem, 4);
  SoftAssignment fresh(problem, 2);
  soft.start(centres);
  fresh.start(centres);
  longer.start(centres);
  const double objective = soft.objective(30);
  (void)soft.update(30);
  EXPECT_GT(distance(problem, soft, fresh), 0.01);
  soft.take_back();
  EXPECT_EQ(distance(problem, soft, fresh), 0);
  EXPECT_EQ(soft.objective(30), objective);
  soft.set_lipschitz(4);
  EXPECT_EQ(soft.update(30), longer.update(30));
  EXPECT_EQ(distance(problem, soft, longer), 0);
  soft.start(centres);  // begins with the first L again
  EXPECT_EQ(soft.update(30), fresh.update(30));
}

/// Every hundredth point is of group 1.
Problem problem_of_a_rare_group(std::uint64_t seed, std::int64_t points, std::int64_t clusters) {
  data::Dataset dataset = random_dataset(seed, points, 3, 2);
  for (std::size_t p = 0; p < dataset.group.size(); ++p) dataset.group[p] = p % 100 == 0 ? 1 : 0;
  return {dataset, clusters};
}

/// Slopes of the masses that the update before leads to expect: c_jk, shape (J, K).
std::vector<double> expected_slopes(const Problem& problem, std::span<const double> masses,
                                    std::span<const double> masses_before,
                                    std::span<const double> slopes, double mu, double lipschitz) {
  const auto clusters = static_cast<std::size_t>(problem.clusters());
  std::vector<double> result(slopes.begin(), slopes.end()), shares;
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    shares.push_back(static_cast<double>(problem.group_begin(j + 1) - problem.group_begin(j)) /
                     static_cast<double>(problem.points()));
  }
  for (std::size_t k = 0; k < clusters; ++k) {
    std::vector<double> wanted, of_cluster;
    for (std::size_t i = k; i < masses.size(); i += clusters) {
      wanted.push_back(masses[i] * std::clamp(masses[i] / masses_before[i], 0.25, 4.0));
      of_cluster.push_back(slopes[i]);
    }
    make_implicit(shares, wanted, mu, lipschitz, of_cluster);
    for (std::size_t j = 0; j < shares.size(); ++j) result[j * clusters + k] = of_cluster[j];
  }
  return result;
}

std::vector<double> masses_of(const Problem& problem, const SoftAssignment& soft) {
  std::vector<double> masses;
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    for (std::int64_t k = 0; k < problem.clusters(); ++k) masses.push_back(soft.mass(k, j));
  }
  return masses;
}

/// log(s / s_old) + (a + c) / L is the same for all clusters of a row.
TEST(SoftAssignment, ImplicitSlopesAreThoseWhereTheUpdateIsExpectedToEnd) {
  const Problem problem = problem_of_a_rare_group(1, 200, 4);
  const Centres centres = some_centres(problem, 1);
  SoftAssignment soft(problem, 2);
  SoftAssignment old(problem, 2);  // one update behind
  soft.start(centres);
  old.start(centres);
  soft.use_implicit_slopes();
  old.use_implicit_slopes();
  std::vector<double> before = masses_of(problem, soft), slopes(before.size(), 0.0);
  for (int i = 0; i < 5; ++i) {
    const std::vector<double> masses = masses_of(problem, soft);
    slopes = expected_slopes(problem, masses, before, slopes, 150, 2);
    before = masses;
    (void)soft.update(150);
    for (std::int64_t p = 0; p < problem.points(); ++p) {
      const auto shift = [&](std::int64_t k) {
        const auto slope = slopes[static_cast<std::size_t>(problem.group_of(p) * 4 + k)];
        return std::log(soft.membership(p, k) / old.membership(p, k)) +
               (centres.squared_distance(k, problem.point(p)) + slope) / 2;
      };
      for (std::int64_t k = 1; k < 4; ++k) EXPECT_NEAR(shift(k), shift(0), 1e-9);
    }
    (void)old.update(150);
  }
}

/// With the same L explicit slopes make the objective worse on the way.
TEST(SoftAssignment, ImplicitSlopesDescendWithAnLFarBelowTheBound) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Problem problem = problem_of_a_rare_group(seed, 1000, 8);
    const Centres centres = some_centres(problem, seed);
    SoftAssignment soft(problem, 2);
    const auto rises = [&](bool is_implicit) {
      soft.start(centres);
      if (is_implicit) soft.use_implicit_slopes();
      int count = 0;
      for (int i = 0; i < 40; ++i) {
        const double before = soft.objective(500);
        (void)soft.update(500);
        count += soft.objective(500) > before + 1e-12 * before ? 1 : 0;
      }
      return count;
    };
    EXPECT_GT(rises(false), 0) << "seed " << seed;
    EXPECT_EQ(rises(true), 0) << "seed " << seed;
  }
}

TEST(SoftAssignment, AStepOfImplicitSlopesTakenBackIsTakenFromTheSamePlace) {
  const Problem problem = problem_of_a_rare_group(2, 300, 4);
  const Centres centres = some_centres(problem, 1);
  SoftAssignment soft(problem, 2);
  SoftAssignment fresh(problem, 2);
  for (SoftAssignment* one : {&soft, &fresh}) {
    one->start(centres);
    one->use_implicit_slopes();
    (void)one->update(100);
  }
  const double objective = soft.objective(100);
  (void)soft.update(100);
  soft.take_back();
  EXPECT_EQ(distance(problem, soft, fresh), 0);
  EXPECT_EQ(soft.objective(100), objective);
  soft.start(centres);  // begins with explicit slopes again
  EXPECT_FALSE(soft.is_implicit());
  SoftAssignment first(problem, 2);
  first.start(centres);
  EXPECT_EQ(soft.update(100), first.update(100));
}

TEST(SoftAssignment, HalfOfAnLIsAnyOtherL) {
  const Problem problem(random_dataset(3, 90, 2, 2), 4);
  const Centres centres = some_centres(problem, 1);
  SoftAssignment soft(problem, 8);
  SoftAssignment direct(problem, 1);
  soft.start(centres);
  direct.start(centres);
  for (const double lipschitz : {4, 2, 1}) soft.set_lipschitz(lipschitz);
  const double energy = direct.update(2);
  EXPECT_NEAR(soft.update(2), energy, 1e-12 * std::abs(energy));
  EXPECT_LT(distance(problem, soft, direct), 1e-14);
}

TEST(SoftAssignment, WithoutPenaltyMembershipsGoToTheNearestCentre) {
  const Problem problem(random_dataset(4, 120, 2, 2), 5);
  const Centres centres = some_centres(problem, 1);
  SoftAssignment soft(problem, 2);
  soft.start(centres);
  for (int i = 0; i < 3; ++i) (void)soft.update(0);
  std::vector<std::uint16_t> labels(120);
  soft.hard_labels<std::uint16_t>(labels);
  for (std::int64_t p = 0; p < 120; ++p) {
    EXPECT_EQ(labels[static_cast<std::size_t>(p)], centres.nearest(problem.point(p)));
  }
}

}  // namespace
}  // namespace fairfront::clustering
