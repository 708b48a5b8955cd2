#include "solvers/regression/covariance_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"
#include "solvers/regression/sampled_rows.hpp"

namespace fairfront::regression {
namespace {

/// Rows, each with its largest entry somewhere else; entries far from that fall off by orders of
/// magnitude.
struct PeakedRows {
  std::int64_t count, blocks, atoms;
  std::vector<double> tilts{}, pi{}, weights{};

  PeakedRows(std::int64_t rows, std::int64_t k, std::int64_t n, double decay)
      : count{rows}, blocks{k}, atoms{n} {
    base::Stream stream(base::StreamKey(11, "covariance", "test"), 0);
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t b = 0; b < k; ++b) tilts.push_back(stream.normal());
      const double centre = stream.uniform() * static_cast<double>(n);
      double sum = 0;
      for (std::int64_t l = 0; l < n; ++l) {
        pi.push_back(std::exp(-decay * std::abs(static_cast<double>(l) - centre)));
        sum += pi.back();
      }
      for (auto of = pi.end() - n; of != pi.end(); ++of) *of /= sum;
      weights.push_back(std::exp(10 * stream.normal()));
    }
  }
  [[nodiscard]] bool is_looked_at(std::int64_t i, std::int64_t l, double least) const {
    const auto row = pi.begin() + i * atoms;
    const auto more = [least](double p) { return p > least; };
    return std::any_of(row, row + l + 1, more) && std::any_of(row + l, row + atoms, more);
  }
};

/// Of one pair of blocks and atoms, row after row by the definition.
double by_rows(const PeakedRows& rows, bool weighted, std::int64_t b, std::int64_t c,
               std::int64_t l, std::int64_t m) {
  double sum = 0;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const double* const t = rows.tilts.data() + i * rows.blocks;
    const double* const pi = rows.pi.data() + i * rows.atoms;
    const double least = weighted ? 1e-18 : 1e-10;
    if (!rows.is_looked_at(i, l, least) || !rows.is_looked_at(i, m, least)) continue;
    const double weight = weighted ? rows.weights[static_cast<std::size_t>(i)] : 1;
    const double factor = weight * t[b] * t[c] * pi[std::min(l, m)];
    if (l != m) {
      sum -= factor * pi[std::max(l, m)];
    } else if (weighted && pi[l] == *std::max_element(pi, pi + rows.atoms)) {
      double others = 0;
      for (std::int64_t o = 0; o < rows.atoms; ++o) {
        if (o != l && rows.is_looked_at(i, o, least)) others += pi[o];
      }
      sum += factor * others;
    } else {
      sum = sum - factor * pi[l] + factor;
    }
  }
  return sum;
}

CovarianceSums sums_of(const PeakedRows& rows, bool weighted, std::int64_t at_once) {
  CovarianceSums sums(rows.atoms, rows.blocks);
  for (std::int64_t i = 0; i < rows.count; i += at_once) {
    const auto first = static_cast<std::size_t>(i);
    const auto some = static_cast<std::size_t>(std::min(at_once, rows.count - i));
    const auto n = static_cast<std::size_t>(rows.atoms), k = static_cast<std::size_t>(rows.blocks);
    const std::span weights{rows.weights};
    sums.add(std::span{rows.tilts}.subspan(first * k, some * k),
             std::span{rows.pi}.subspan(first * n, some * n),
             weighted ? weights.subspan(first, some) : weights.first(0));
  }
  return sums;
}

/// Few blocks are added row by row, many as matrix products of some rows.
TEST(CovarianceSums, HaveTheBitsOfOneRowAfterTheOther) {
  for (const std::int64_t blocks : {1, 3, 5}) {
    for (const double decay : {0.01, 4.0}) {
      const PeakedRows rows(70, blocks, 9, decay);
      for (const bool weighted : {false, true}) {
        for (const std::int64_t at_once : {1, 17, 70}) {
          const CovarianceSums sums = sums_of(rows, weighted, at_once);
          for (std::int64_t b = 0; b < blocks; ++b) {
            for (std::int64_t c = b; c < blocks; ++c) {
              const MatrixXd found = sums.of_blocks(b, c);
              for (std::int64_t l = 0; l < rows.atoms; ++l) {
                for (std::int64_t m = 0; m < rows.atoms; ++m) {
                  EXPECT_EQ(found(l, m), by_rows(rows, weighted, b, c, l, m))
                      << blocks << " blocks, " << decay << ", " << weighted << ", " << at_once
                      << ": " << b << ", " << c << ", " << l << ", " << m;
                }
              }
            }
          }
        }
      }
    }
  }
}

/// All probabilities together move none.
TEST(CovarianceSums, ScoresThatAllAtomsHaveInCommonChangeNothing) {
  const PeakedRows rows(40, 4, 12, 0.3);
  const CovarianceSums sums = sums_of(rows, false, 16);
  for (std::int64_t b = 0; b < 4; ++b) {
    const MatrixXd found = sums.of_blocks(b, 3);
    EXPECT_LT((found * VectorXd::Ones(12)).norm(), 1e-13 * found.norm());
  }
}

TEST(CovarianceSums, AStopIsObeyedBetweenAtoms) {
  const PeakedRows rows(32, 8, 20, 0.1);
  int asked = 0;
  const base::StopScope scope([&] { return ++asked > 10; });
  EXPECT_THROW((void)sums_of(rows, true, 32), base::Interrupted);
}

}  // namespace
}  // namespace fairfront::regression
