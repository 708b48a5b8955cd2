/// @file
/// Regression under demographic parity, without groups at prediction time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/supervised.hpp"
#include "experiments/family.hpp"
#include "experiments/regression_base.hpp"
#include "solvers/regression/dual.hpp"

namespace fairfront::experiments {

/// Whose shares of the groups are p.
enum class SharesOf { unlabelled, train, table, given };
/// Whose least and greatest target become -1 and 1.
enum class RangeOf { train, table, given };

/// The [regression] section: what all methods share.
struct RegressionOptions {
  std::int64_t half_atoms = 0;  ///< L; 0: floor(sqrt(unlabelled rows))
  double beta = 0;              ///< 0: 0.5 sqrt(N) log2(N)
  double bound = 1;             ///< B, of the scaled target
  SharesOf shares = SharesOf::unlabelled;
  std::vector<std::string> given_shares;
  RangeOf range = RangeOf::train;
  double least = 0;             ///< of the target, for RangeOf::given
  double greatest = 1;          ///< of the target, for RangeOf::given
  std::string unlabelled_file;  ///< rows of [dp_streaming]; empty: the unlabelled part
  std::int64_t resamples = 0;
  double level = 0.95;
  std::int64_t bootstrap_seed = 1;
};
[[nodiscard]] base::OptionTable options_of(RegressionOptions& options);

/// The rows of one part. Post-processing reads `predicted` alone; the rest is for measures.
struct RegressionPart {
  regression::PredictedRows predicted;  ///< eta in the unit of the grid
  std::vector<double> label;            ///< in the target's unit
  std::vector<std::int32_t> group;

  [[nodiscard]] std::int64_t rows() const { return std::ssize(label); }
};

class KnownOptima;
struct UnlabelledFile;

struct RegressionProblem {
  std::shared_ptr<const BasePredictions> base;
  RegressionOptions options;
  data::Affine scale;  ///< target -> grid: its range becomes [-1, 1]
  regression::Grid grid;
  double beta = 0;
  std::vector<double> shares;  ///< p, shape (K,)
  std::vector<double> atoms;   ///< of the grid, in the target's unit
  RegressionPart unlabelled;
  std::shared_ptr<const UnlabelledFile> unlabelled_file;  ///< rows of [dp_streaming]; null: none
  RegressionPart test;
  RegressionPart choice;  ///< rows on which a choice is certified; may be none
  /// Mean square of the unlabelled rows' targets around their mean: the risk of the best constant,
  /// which is fair.
  double constant_risk = 0;
  double constant_risk_test = 0;  ///< the same of the test part
  /// Of fronts: the risk of the best constant and the Kolmogorov-Smirnov distance of eta, each the
  /// smaller one of both parts, so that on neither the constant or the base model has a volume.
  std::vector<double> reference;
  std::shared_ptr<KnownOptima> optima;  ///< by epsilon, of the duals on the unlabelled part

  [[nodiscard]] std::int64_t groups() const { return base->groups(); }
};

/// One task is one training for one slack of the constraints; its front is one point, decided on
/// the unlabelled part and reported on the test part. The front of a sweep goes along epsilon.
/// E. Chzhen, M. Hebiri, G. Taturyan (2024), "Regression under demographic parity constraints via
/// unlabeled post-processing".
[[nodiscard]] Family<RegressionProblem> regression_family();

}  // namespace fairfront::experiments
