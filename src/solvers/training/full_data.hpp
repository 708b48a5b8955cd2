/// @file
/// Loss, gaps and their derivatives on all rows of a part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/common/control.hpp"
#include "solvers/training/pass.hpp"

namespace fairfront::training {

struct PartLosses {
  double loss = 0;           ///< mean over the rows; NaN without rows
  std::vector<double> gaps;  ///< shape (gaps,); NaN without rows or with an empty cell
  /// Mean losses or rates that these are of, shape (cells,).
  std::vector<double> cells = {};
  [[nodiscard]] double gap() const { return largest_size(gaps); }
};

/// Derivatives of loss and gaps on the training part; of rates of decisions, see cell_slopes().
struct Derivatives {
  PartLosses values;
  std::vector<double> gradient;  ///< shape (n,)
  std::vector<double> jacobian;  ///< of the gaps, row-major, shape (gaps, n)
};

/// Works through a part in blocks, so that memory does not grow with it. Many rows are passed in
/// pieces, see RowPieces: where a team shares the problem, calls are collective.
class FullData {
 public:
  /// @param control  asked for a stop now and then; must outlive this.
  FullData(const Problem& problem, const solvers::Control& control)
      : FullData(problem, control, greatest_mean_loss(problem.loss)) {}
  /// @param greatest  mean loss of weights that have not diverged.
  FullData(const Problem& problem, const solvers::Control& control, double greatest)
      : problem_{problem}, pass_{problem, greatest}, heart_{control} {}
  FullData(const Problem& problem, solvers::Control&& control) = delete;
  FullData(const Problem& problem, solvers::Control&& control, double greatest) = delete;

  /// @throws std::domain_error  see Pass::forward(). @throws solvers::Interrupted
  [[nodiscard]] PartLosses losses(const Part& part, std::span<const double> w);
  /// The scores of a part's rows, in their order.
  [[nodiscard]] std::vector<double> scores(const Part& part, std::span<const double> w);
  [[nodiscard]] Derivatives derivatives(std::span<const double> w);
  /// gradient += factor times the gradient of that mean over these rows; no rows: nothing.
  /// @return the mean.
  double add_gradient(std::span<const double> w, std::span<const std::int64_t> rows, double factor,
                      std::span<double> gradient, MeanOf of = MeanOf::losses);

 private:
  /// For sums of `width` numbers.
  [[nodiscard]] RowPieces pieces_of(std::span<const std::int64_t> rows, std::size_t width) const;

  const Problem& problem_;
  Pass pass_;
  solvers::Heartbeat heart_;
  std::vector<double> factors_;
};

}  // namespace fairfront::training
