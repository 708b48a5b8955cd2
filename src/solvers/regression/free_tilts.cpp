#include "solvers/regression/free_tilts.hpp"
#include "optimise/decomposition.hpp"

#include <cmath>

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double least_share = 1e-12;  ///< of a direction in the largest one, that counts

/// Where no tilts of the groups differ. Apart, as Eigen may not take parts of what has no numbers.
FreeTilts none(const PredictedRows& rows, Index groups) {
  return {{0, rows.eta, {}, {}}, Matrix(0, groups), Matrix(groups, 0)};
}

}  // namespace

FreeTilts free_tilts(const PredictedRows& rows, std::span<const std::int64_t> groups,
                     double negligible) {
  const Index count = rows.rows();
  const double root = std::sqrt(static_cast<double>(count));
  Matrix tilts(count, std::ssize(groups));
  for (Index i = 0; i < count; ++i) {
    for (Index s = 0; s < tilts.cols(); ++s) {
      const auto group = static_cast<std::size_t>(groups[static_cast<std::size_t>(s)]);
      tilts(i, s) = rows.tilts(i)[group] / root;
    }
  }
  optimise::PivotedQr factors(tilts);
  Index rank = factors.rank(least_share);
  Matrix upper = factors.r(rank);
  while (rank > 0 && std::abs(upper(rank - 1, rank - 1)) <= negligible) --rank;
  if (rank == 0) return none(rows, tilts.cols());
  upper = upper.topRows(rank).eval();
  FreeTilts result;
  result.to_free = upper * factors.permutation().transpose();
  result.to_groups = Matrix::Zero(tilts.cols(), rank);
  result.to_groups.topRows(rank) =
      upper.leftCols(rank).triangularView<Eigen::Upper>().solve(Matrix::Identity(rank, rank));
  result.to_groups = factors.permutation() * result.to_groups;
  const RowMajor basis = factors.q(rank) * root;
  result.rows = {rank,
                 rows.eta,
                 {basis.data(), basis.data() + basis.size()},
                 std::vector<double>(static_cast<std::size_t>(rank), 1.0)};
  return result;
}

Vector map_blocks(const Matrix& map, const Vector& v) {
  const Index of_block = v.size() / map.cols();
  const Matrix after = v.reshaped(of_block, map.cols()).eval() * map.transpose();
  return after.reshaped();
}

}  // namespace fairfront::regression
