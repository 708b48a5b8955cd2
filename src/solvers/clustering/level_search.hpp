/// @file
/// Branch and bound over the levels of clusters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "solvers/clustering/assignment_bound.hpp"
#include "solvers/clustering/balance_limits.hpp"
#include "solvers/clustering/balanced_assignment.hpp"
#include "solvers/clustering/level_penalties.hpp"
#include "solvers/clustering/row_bound.hpp"
#include "solvers/clustering/transport.hpp"

namespace fairfront::clustering {

/// See assign_within_balance().
class LevelSearch {
 public:
  /// Takes the least cost so far, and a bound below which none is.
  using Watch = std::function<void(std::int64_t cost, std::int64_t bound)>;

  /// @param start  levels that hold all rows.
  /// @param watch  called for every part of the search.
  LevelSearch(const AssignmentCosts& costs, const BalanceLimits& limits,
              const BalancedAssignmentOptions& options, const std::vector<std::int64_t>& start,
              Watch watch);

  void run();

  [[nodiscard]] std::int64_t cost() const noexcept { return cost_; }
  [[nodiscard]] std::int64_t lower_bound() const noexcept { return lower_; }
  [[nodiscard]] std::int64_t nodes() const noexcept { return nodes_; }
  /// The cheapest labels that were found, shape (N,).
  [[nodiscard]] std::vector<std::int32_t> labels();

 private:
  /// Of rows that were open at the time.
  struct RowPrices {
    std::shared_ptr<const std::vector<std::int64_t>> rows;
    std::vector<std::int64_t> prices;
  };
  struct Node {
    LevelBox box;
    std::int64_t bound = 0;
    std::int64_t number = 0;
    std::size_t cut_cluster = 0;                    ///< of the cut that has made this part
    bool is_above = false;                          ///< the cut
    double expected = 0;                            ///< by what it raises the bound, of penalties
    std::shared_ptr<const RowPrices> row_prices{};  ///< of the part that it was cut from, if any
  };
  /// How much of what was expected of cuts has come.
  struct Gain {
    double ratios = 1;
    std::int64_t seen = 1;
    [[nodiscard]] double ratio() const noexcept { return ratios / static_cast<double>(seen); }
  };
  struct Later {
    bool operator()(const Node& a, const Node& b) const noexcept {
      return a.bound != b.bound ? a.bound > b.bound : a.number > b.number;
    }
  };
  [[nodiscard]] LevelBox whole_box() const;
  bool try_levels(const std::vector<std::int64_t>& levels);
  void try_rounded(const LevelBox& box, const AssignmentBound& bound);
  bool try_moved(std::int64_t up, std::int64_t down, std::int64_t by);
  void improve();
  std::int64_t cost_within(std::span<const std::int64_t> least, std::span<const std::int64_t> most);
  void count_work() noexcept;
  void learn(const Node& node, std::int64_t bound);
  bool settle_half(LevelBox& box, const LevelPenalties& penalties) const;
  void dive(LevelBox box, AssignmentBound bound);
  [[nodiscard]] std::vector<std::int64_t> most_of(std::span<const std::int64_t> levels) const;
  void take_transports_if_balanced();
  [[nodiscard]] bool is_close(std::int64_t bound) const noexcept;
  [[nodiscard]] bool is_at_a_limit() const noexcept;
  void narrow_rows();
  [[nodiscard]] bool narrow_by_row_prices();
  [[nodiscard]] bool start_row_prices();
  [[nodiscard]] std::vector<std::int64_t> row_prices_of(const Node& node) const;
  void keep_row_prices(Node& node, std::span<const std::int64_t> prices) const;
  [[nodiscard]] bool bound_by_rows(Node& node);
  /// A cluster, and the last level of the lower half.
  struct Cut {
    std::int64_t cluster = -1;
    std::int64_t level = 0;
    double below = 0;  ///< penalties
    double above = 0;
  };
  [[nodiscard]] Cut best_cut(const LevelBox& box, const AssignmentBound& bound) const;
  void branch(Node node, const AssignmentBound& bound);
  [[nodiscard]] bool tighten(LevelBox& box) const;
  [[nodiscard]] bool solve_root(LevelBox& box);
  void visit(Node node);
  void leave(std::int64_t bound) noexcept;
  void leave_all() noexcept;

  const AssignmentCosts& costs_;
  const BalanceLimits& limits_;
  const BalancedAssignmentOptions& options_;
  Watch watch_;
  std::int64_t clusters_;
  std::vector<Transport> transports_;  ///< of every group
  std::vector<std::int64_t> levels_;   ///< of the cheapest assignment
  std::int64_t cost_;
  std::int64_t lower_;  ///< least bound of what was left
  AssignmentBound root_;
  OpenRows open_;
  LevelBox open_box_;  ///< levels that they allow
  std::int64_t cost_when_narrowed_ = 0;
  std::optional<RowBounds> row_bounds_;   ///< of the open rows, once the search is long
  LevelBox row_box_;                      ///< of the whole search, when they began
  std::vector<std::int64_t> row_prices_;  ///< best for it, shape (N,); empty: none yet
  std::shared_ptr<const std::vector<std::int64_t>> priced_rows_;  ///< the open rows
  std::priority_queue<Node, std::vector<Node>, Later> queue_;
  std::int64_t nodes_ = 0;
  std::int64_t numbered_ = 0;
  std::int64_t next_row_prices_;                 ///< number of nodes with which they may begin
  std::int64_t next_dive_ = 16;                  ///< number of nodes
  std::vector<Gain> gains_below_, gains_above_;  ///< of every cluster
  std::int64_t work_ = 0;
};

}  // namespace fairfront::clustering
