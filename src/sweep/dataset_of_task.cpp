#include "sweep/dataset_of_task.hpp"

#include <algorithm>
#include <array>

namespace fairfront::sweep {

DatasetOfTask::DatasetOfTask(const Plan& plan, std::span<const data::Provenance> datasets)
    : plan_{plan}, datasets_{datasets} {}

std::optional<std::size_t> DatasetOfTask::known(const Task& task) const {
  if (datasets_.size() == 1) return 0;
  const auto found = of_problem_.find(plan_.problem_of(task.index));
  if (found == of_problem_.end()) return std::nullopt;
  return found->second;
}

bool DatasetOfTask::try_place(const Task& task, std::size_t place, const IsKey& fits) {
  if (!fits(plan_.key_of(task, datasets_[place].digest))) return false;
  of_problem_.try_emplace(plan_.problem_of(task.index), place);
  last_ = place;
  return true;
}

std::optional<std::size_t> DatasetOfTask::find_likely(const Task& task, const IsKey& fits) {
  if (datasets_.empty()) return std::nullopt;
  if (const auto place = known(task)) {
    return try_place(task, *place, fits) ? place : std::nullopt;
  }
  const std::size_t count = datasets_.size();
  const auto of_method = static_cast<std::size_t>(plan_.place_of_problem(task.index));
  const std::array places{of_method % count, last_, (last_ + 1) % count};  // likeliest first
  for (auto place = places.begin(); place != places.end(); ++place) {
    const bool is_new = std::find(places.begin(), place, *place) == place;
    if (is_new && try_place(task, *place, fits)) return *place;
  }
  return std::nullopt;
}

std::optional<std::size_t> DatasetOfTask::find(const Task& task, const IsKey& fits) {
  if (const auto place = find_likely(task, fits); place || known(task)) return place;
  for (std::size_t place = 0; place < datasets_.size(); ++place) {
    if (try_place(task, place, fits)) return place;
  }
  return std::nullopt;
}

}  // namespace fairfront::sweep
