/// @file
/// The ranks that share a ladder, or one alone that has no communicator.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "parallel/comm.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::clustering {

class Crew {
 public:
  /// @param team  null: this rank alone, which then never communicates.
  explicit Crew(const parallel::Comm* team) noexcept : team_{team} {}

  [[nodiscard]] int rank() const noexcept { return team_ == nullptr ? 0 : team_->rank(); }
  [[nodiscard]] int size() const noexcept { return team_ == nullptr ? 1 : team_->size(); }
  [[nodiscard]] bool is_root() const noexcept { return rank() == 0; }

  /// What the most demanding rank wants. Collective.
  [[nodiscard]] solvers::Request most_demanding(solvers::Request mine) const;

  /// Calls `work`, which communicates nothing, on every rank.
  /// @return  whether none was interrupted. Collective.
  /// @throws parallel::CollectiveError, or the error itself of a rank alone  another one.
  [[nodiscard]] bool work(const std::function<void()>& work) const;

  /// The same. @throws solvers::Interrupted  on every rank: one was.
  void work_to_the_end(const std::function<void()>& work) const;

  /// `text` of rank 0. Collective.
  [[nodiscard]] std::string of_root(std::string text) const;

  /// Every rank's text in rank order on rank 0, of any length; empty elsewhere. Collective.
  [[nodiscard]] std::vector<std::string> gather(std::string text) const;

 private:
  const parallel::Comm* team_;
};

}  // namespace fairfront::clustering
