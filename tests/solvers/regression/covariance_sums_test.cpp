#include "solvers/regression/covariance_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

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
      const double weight = std::exp(10 * stream.normal());
      for (auto of = pi.end() - n; of != pi.end(); ++of) weights.push_back(weight * *of);
    }
  }
  /// With weights the sum of them, as they are added up, and their shares.
  [[nodiscard]] std::pair<double, std::vector<double>> row(std::int64_t i, bool weighted) const {
    const auto& values = weighted ? weights : pi;
    std::vector<double> result(values.begin() + i * atoms, values.begin() + (i + 1) * atoms);
    if (!weighted) return {1, result};
    double sum = 0;
    for (const double value : result) sum += value;
    for (double& value : result) value /= sum;
    return {sum, result};
  }
};

/// Whether an atom lies between two that are more than so much, or is one.
bool is_looked_at(const std::vector<double>& pi, std::int64_t l, double least) {
  const auto more = [least](double p) { return p > least; };
  return std::any_of(pi.begin(), pi.begin() + l + 1, more) &&
         std::any_of(pi.begin() + l, pi.end(), more);
}

/// Of one pair of blocks and atoms, row after row by the definition.
double by_rows(const PeakedRows& rows, bool weighted, std::int64_t b, std::int64_t c,
               std::int64_t l, std::int64_t m) {
  const double least = weighted ? 1e-18 : 1e-10;
  double sum = 0;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const double* const t = rows.tilts.data() + i * rows.blocks;
    const auto row = rows.row(i, weighted);
    const double weight = row.first;
    const std::vector<double>& pi = row.second;
    if (!is_looked_at(pi, l, least) || !is_looked_at(pi, m, least)) continue;
    const double at_l = pi[static_cast<std::size_t>(std::min(l, m))];
    const double at_m = pi[static_cast<std::size_t>(std::max(l, m))];
    const double factor = weight * t[b] * t[c] * at_l;
    if (l != m) {
      sum -= factor * at_m;
    } else if (weighted && at_l == std::ranges::max(pi)) {
      double others = 0;
      for (std::int64_t o = 0; o < rows.atoms; ++o) {
        if (o != l && is_looked_at(pi, o, least)) others += pi[static_cast<std::size_t>(o)];
      }
      sum += factor * others;
    } else {
      sum = sum - factor * at_l + factor;
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
    const auto tilts = std::span{rows.tilts}.subspan(first * k, some * k);
    if (weighted) {
      sums.add_weights(tilts, std::span{rows.weights}.subspan(first * n, some * n));
    } else {
      sums.add(tilts, std::span{rows.pi}.subspan(first * n, some * n));
    }
  }
  return sums;
}

/// Few blocks are added row by row, many as matrix products of some rows.
TEST(CovarianceSums, HaveTheBitsOfOneRowAfterTheOther) {
  for (const std::int64_t blocks : {1, 3, 5}) {
    for (const double decay : {0.01, 2.0, 8.0}) {
      const PeakedRows rows(70, blocks, 20, decay);
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
