/// @file
/// Local search for a cheap clustering whose balance does not fall below a floor.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/gain_bounds.hpp"
#include "solvers/clustering/near_clusters.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// By how much the groups' counts in one cluster miss the floor b on the balance:
/// sum_j max(0, b max_i n_i - n_j). 0 exactly when no balance in it is below b.
[[nodiscard]] double shortfall(std::span<const std::int32_t> counts, double floor);

/// A point that has gone to another cluster.
struct Relabelling {
  std::uint32_t point;
  std::uint32_t to;
};

/// A point of one group, and a bound of half its share of an exchange's gain.
struct Candidate {
  double gain;
  std::int64_t point;
};

/// Where a search looks for a better cluster.
enum class Outlook {
  everywhere,
  nearby,  ///< where NearClusters are of use, in those around; repair looks further where it must
};

/// Changes one clustering, in place, by moves whose change of the cost is exact: a point x that
/// goes from cluster k to l changes N f1 by n_l / (n_l + 1) |x - m_l|^2 - n_k / (n_k - 1) |x -
/// m_k|^2 (Hartigan and Wong, 1979). No move empties a cluster. Deterministic: points and clusters
/// are looked at in order, of equal moves the first is taken.
///
/// A cluster holds the floor when its shortfall is at most 1e-9: floors are rounded numbers.
template <class Label>
class BalancedSearch {
 public:
  /// Called with the clustering after a move of repair().
  using Seen = std::function<void(const Partition<Label>&)>;

  /// @param between  called for every few points; what it throws ends the work for good.
  explicit BalancedSearch(const Problem& problem, std::function<void()> between = nullptr,
                          Outlook outlook = Outlook::everywhere);

  /// Starts from these labels: shape (N,), in the problem's order, no cluster empty.
  void assign(std::span<const Label> labels);

  /// Appends every change of a label from now on to `log`; null: to none.
  void log_changes(std::vector<Relabelling>* log) noexcept { log_ = log; }

  [[nodiscard]] const Partition<Label>& partition() const noexcept { return partition_; }

  /// Of all that it has done: see comparisons.hpp.
  [[nodiscard]] std::int64_t comparisons() const noexcept { return comparisons_; }

  /// Takes single moves into or out of the cluster that misses the floor most, each of which makes
  /// the sum of all shortfalls smaller: those first that make the cost smaller, too, then those
  /// that cost least for what they mend. All are ranked at once, a share of what is missing is
  /// mended, and they are ranked again. Ends, because the sum falls by more than 1e-9 every time.
  /// O(N d + n_k K d) a ranking.
  /// @return whether every cluster holds the floor.
  bool repair(double floor, const Seen& seen = nullptr, double share = 0.125);

  /// The same with few rankings: one serves a cluster until a share of its members has moved by it,
  /// whichever clusters have moves in between. Centres leave the places meanwhile that the ranking
  /// was made for, which a small share of many members hardly shows.
  /// @param share  of a cluster's members; at least one moves.
  bool repair_in_turns(double floor, const Seen& seen, double share);

  /// One pass of single moves that make the cost smaller and leave both clusters at the floor.
  /// O(N K d), nearby O(N d). @return whether the clustering has changed.
  bool move_points(double floor);

  /// One pass over all pairs of clusters: members of one group change places where that makes the
  /// cost smaller. Without a change no pair of points of a group can do so. Counts, and so the
  /// balance, stay. O(N K d) besides pairs that are in doubt, and less where clusters have not
  /// changed since the last pass. @return whether the clustering has changed.
  bool exchange_points();

 private:
  struct Move {
    double score;  ///< the least is best
    std::int64_t point;
    std::int64_t to;
    [[nodiscard]] bool operator<(const Move& other) const noexcept {
      return score != other.score ? score < other.score : point < other.point;
    }
  };
  /// The best moves of one ranking, of which the first ones have been taken or have lost their use.
  struct Turn {
    std::vector<Move> moves;
    std::vector<Label> from;
    std::size_t next = 0;
  };
  /// A cluster that a point may go to, or come from.
  struct Opening {
    std::int64_t cluster;
    double relief;  ///< of all shortfalls
    double weight;  ///< n / (n + 1)
  };
  struct NearOpening {
    double square;  ///< of its distance
    Opening opening;
    [[nodiscard]] bool operator<(const NearOpening& other) const noexcept {
      return square != other.square ? square < other.square
                                    : opening.cluster < other.opening.cluster;
    }
  };
  /// The cluster that a point enters at the least cost: n / (n + 1) |x - m|^2.
  struct Entering {
    std::int64_t to;
    double cost;
    double own;  ///< |x - m|^2 of its own cluster
  };

  [[nodiscard]] double shortfall_after(std::int64_t k, std::int64_t j, int change);
  [[nodiscard]] double relief(std::int64_t j, std::int64_t from, std::int64_t to);
  void set_floor(double floor);
  void set_shortfall(std::int64_t k);
  /// Clusters by number.
  using Clusters = std::span<const std::uint16_t>;
  void look_around();
  void rank(std::int64_t worst, std::int64_t most);
  void rank_everywhere(std::int64_t worst);
  void rank_among(std::int64_t worst, Clusters others);
  bool mend(std::int64_t worst, const Seen& seen, double share);
  bool take_turn(std::int64_t worst, const Seen& seen, double share);
  bool take_if_useful(const Move& move, const Seen& seen);
  void rank_entering(std::int64_t worst, std::int64_t j);
  void rank_leaving(std::int64_t worst, std::int64_t j);
  void open_entering(std::int64_t worst, std::int64_t j, Clusters others);
  void open_leaving(std::int64_t worst, std::int64_t j, Clusters others);
  void keep_nearest_open(std::int64_t worst);
  [[nodiscard]] double entering_relief(std::int64_t worst, std::int64_t j, std::int64_t l);
  void add_entering(std::int64_t worst, std::int64_t p, double mended);
  void add_leaving(std::int64_t worst, std::int64_t j);
  void measure_openings(std::int64_t worst, std::int64_t p);
  [[nodiscard]] const std::vector<std::int64_t>& list_of(std::int64_t k, std::int64_t j);
  [[nodiscard]] Entering best_of_all(std::int64_t p, std::int64_t from, std::int64_t j);
  [[nodiscard]] Entering best_nearby(std::int64_t p, std::int64_t from, std::int64_t j);
  void set_rules(std::int64_t k);
  void bound_gains();
  void bound_gains_of(std::int64_t point, std::int64_t cluster);
  void take(std::int64_t point, std::int64_t to);
  void move_in_lists(std::int64_t point, std::int64_t from, std::int64_t to);
  bool exchange_everywhere();
  bool exchange_nearby();
  bool exchange_unless_settled(std::int64_t k, std::int64_t l, std::int64_t& settled);
  bool exchange_between(std::int64_t k, std::int64_t l);
  bool exchange_in_group(std::int64_t k, std::int64_t l, std::int64_t j);
  double collect(std::int64_t k, std::int64_t j, double sign, std::vector<Candidate>& all);
  double add_squares(double weight, std::vector<Candidate>& all);
  bool exchange_in_order(std::int64_t k, std::int64_t l);
  bool exchange_best(std::int64_t k, std::int64_t l);
  [[nodiscard]] double exchange_change(std::int64_t p, std::int64_t q);
  void list_members();
  [[nodiscard]] std::vector<std::int64_t>& members(std::int64_t k, std::int64_t j) {
    return members_[static_cast<std::size_t>(k * problem_.groups() + j)];
  }

  const Problem& problem_;
  std::function<void()> between_;
  Partition<Label> partition_;
  Centres means_;
  double floor_ = 0;
  double squared_diameter_ = 0;          ///< of the box around all points
  std::vector<double> shortfalls_;       ///< (K,), for floor_
  std::vector<double> giving_;           ///< (K, J), nearby: relief where a member goes
  std::vector<double> taking_;           ///< (K, J), nearby: relief where one comes
  std::vector<double> enter_weights_;    ///< (J, padded K): n / (n + 1), or huge where forbidden
  std::vector<std::uint8_t> may_leave_;  ///< (K, J)
  std::vector<std::int64_t> changed_;    ///< (K,): number of the last change of a cluster
  std::vector<std::int64_t> settled_;  ///< (K, K), nearby (K, length): changes when a pair had none
  std::int64_t changes_ = 0;
  std::int64_t comparisons_ = 0;
  std::vector<std::vector<std::int64_t>>
      members_;                        ///< (K, J): of pairs that are looked at; nearby always
  std::vector<std::int32_t> counts_;   ///< (J,), scratch
  std::vector<double> distances_;      ///< (padded K,), scratch
  std::vector<double> direction_;      ///< (d,), scratch
  std::vector<double> middle_;         ///< (d,), scratch
  std::vector<std::int64_t> leaving_;  ///< scratch
  std::vector<Opening> open_;          ///< scratch
  std::vector<NearOpening> nearest_;   ///< scratch
  std::vector<Move> moves_;            ///< of one ranking
  std::vector<Turn> turns_;            ///< (K,), of one repair
  std::vector<Candidate> here_;
  std::vector<Candidate> there_;
  std::vector<Relabelling>* log_ = nullptr;
  bool gains_are_bounded_ = false;  ///< while pairs are looked at
  std::optional<GainBounds> gain_bounds_;
  std::vector<std::uint16_t> all_;    ///< clusters
  std::optional<NearClusters> near_;  ///< where it looks nearby
  std::vector<Label> homes_;          ///< (N,), nearby: the nearest cluster that a point has found
};

extern template class BalancedSearch<std::uint8_t>;
extern template class BalancedSearch<std::uint16_t>;

}  // namespace fairfront::clustering
