/// @file
/// SGD with a fairness regulariser on soft decisions: M. Buyl, M. Defrance, T. De Bie, "fairret: a
/// framework for differentiable fairness regularization terms" (2024), the norm and the
/// Kullback-Leibler projection.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/options.hpp"
#include "solvers/training/options.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/samples.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {

enum class Statistic {
  accuracy,       ///< mean of 1 - y + (2y - 1) p
  positive_rate,  ///< mean of p
};
enum class Regulariser {
  norm,           ///< sum over groups of |statistic of the group / statistic of all - 1|
  kl_projection,  ///< mean KL divergence of the nearest p for which all statistics are that of all
};

/// Value and slopes in the scores of a regulariser. p is the sigmoid of a score.
class FairnessPenalty {
 public:
  FairnessPenalty(Regulariser regulariser, Statistic statistic)
      : regulariser_{regulariser}, statistic_{statistic} {}

  /// @param scores, labels  (-1 or +1) of as many rows of every group, group by group.
  /// @param slopes  of the value, shape (rows,); of the projection for a fixed statistic of all.
  /// @return the value. @throws std::domain_error  the statistic of all rows is 0, or a projection
  ///         does not exist.
  double operator()(std::span<const double> scores, std::span<const double> labels,
                    std::size_t groups, std::span<double> slopes);

 private:
  double norm(std::size_t groups, std::span<double> slopes) const;
  double kl_projection(std::span<const double> scores, std::size_t groups,
                       std::span<double> slopes) const;

  Regulariser regulariser_;
  Statistic statistic_;
  std::vector<double> p_, constant_, factor_;  ///< a row's statistic is constant + factor p
};

/// Defaults as in the paper's program.
struct FairretOptions {
  double strength = 0.5;
  Regulariser regulariser = Regulariser::norm;
  Statistic statistic = Statistic::accuracy;
  double step = 0.05;
  std::int64_t batch = 8;
  std::int64_t group_batch = 4;
  Sampling sampling = Sampling::shuffled;
  Sampling group_sampling = Sampling::shuffled;
  Rules rules = Rules::paper;
};
[[nodiscard]] base::OptionTable options_of(FairretOptions& options);

/// w -= step (g + strength r), r the gradient of the regulariser on as many rows of every group
/// (with equal_opportunity: of its rows with label 1). By the authors' rules g is of the same rows:
/// the loss then weighs all groups alike; else of a batch of its own.
class Fairret final : public Algorithm {
 public:
  /// @param problem  one that suits().
  Fairret(const Problem& problem, const FairretOptions& options, const Address& address);
  /// Whether every group has one cell: not with equalised_odds.
  [[nodiscard]] static bool suits(const Problem& problem);

  bool step(std::span<double> w, Allowance& allowance) override;
  [[nodiscard]] double mean_cost() const override { return static_cast<double>(cost()); }
  void pack(solvers::Packer& packer) const override;
  void unpack(solvers::Unpacker& unpacker) override;

 private:
  [[nodiscard]] std::int64_t own_rows() const {
    return options_.rules == Rules::paper ? options_.batch : 0;
  }
  [[nodiscard]] std::int64_t cost() const {
    return own_rows() + groups_.cells() * options_.group_batch;
  }

  FairretOptions options_;
  RowSource xi_;
  CellSource groups_;
  Pass pass_;
  FairnessPenalty penalty_;
  std::vector<std::int64_t> rows_;
  std::vector<double> slopes_, gradient_;
};

}  // namespace fairfront::training
