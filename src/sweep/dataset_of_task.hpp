/// @file
/// Which of a sweep's data sets its tasks run on, as their keys tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "data/dataset.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// A key is a hash that takes microseconds, and a sweep over splits has as many data sets as
/// splits: where they are looked for one after another, a thousand splits cost seconds for every
/// thousand tasks. Data sets come in the order of the problems, so the place is mostly known.
class DatasetOfTask {
 public:
  using IsKey = std::function<bool(const std::string&)>;

  /// @param plan, datasets  must outlive it.
  DatasetOfTask(const Plan& plan, std::span<const data::Provenance> datasets);

  /// Where an earlier task of its problem was found, that place; nothing before.
  [[nodiscard]] std::optional<std::size_t> known(const Task& task) const;
  /// The place of the data set with which the task has a key that fits, where that of its problem
  /// is known or likely.
  std::optional<std::size_t> find_likely(const Task& task, const IsKey& fits);
  /// The same among all data sets, the likely ones first; of a problem whose place is known there
  /// alone.
  std::optional<std::size_t> find(const Task& task, const IsKey& fits);

 private:
  bool try_place(const Task& task, std::size_t place, const IsKey& fits);

  const Plan& plan_;
  std::span<const data::Provenance> datasets_;
  std::unordered_map<std::int64_t, std::size_t> of_problem_;
  std::size_t last_ = 0;  ///< place that was found last
};

}  // namespace fairfront::sweep
