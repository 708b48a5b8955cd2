#include "optimise/ridged_cholesky.hpp"

#include <algorithm>

#include "base/stop.hpp"

namespace fairfront::optimise {

std::optional<Cholesky> ridged_cholesky(
    Eigen::MatrixXd matrix, const Ridges& ridges,
    const std::function<Eigen::VectorXd(double ridge)>& diagonal,
    const std::function<bool(const Cholesky&)>& accepts) {
  constexpr double factor = 10;
  for (double ridge = ridges.none_first ? 0 : ridges.least; ridge <= ridges.most;
       ridge = std::max(ridges.least, factor * ridge)) {
    base::stop_point();
    matrix.diagonal() = diagonal(ridge);
    Cholesky found(matrix);
    if (found.is_definite() && (!accepts || accepts(found))) return found;
  }
  return std::nullopt;
}

}  // namespace fairfront::optimise
