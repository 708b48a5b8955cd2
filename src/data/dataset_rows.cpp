#include "data/dataset_rows.hpp"

#include <array>

#include "base/sha256.hpp"
#include "base/stop.hpp"

namespace fairfront::data {
namespace {

template <class T>
void keep_places(std::vector<T>& values, std::span<const std::int64_t> rows, std::size_t width) {
  if (values.empty()) return;
  std::vector<T> kept;
  kept.reserve(rows.size() * width);
  for (const std::int64_t row : rows) {
    const auto first = values.begin() + row * static_cast<std::ptrdiff_t>(width);
    kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  values = std::move(kept);
}

}  // namespace

void keep_rows(Dataset& set, std::span<const std::int64_t> rows) {
  keep_places(set.features, rows, static_cast<std::size_t>(set.columns));
  keep_places(set.group, rows, 1);
  for (Attribute& attribute : set.attributes) keep_places(attribute.code, rows, 1);
  keep_places(set.label, rows, 1);
  keep_places(set.split, rows, 1);
  set.rows = static_cast<std::int64_t>(rows.size());
}

std::string digest_of(const Dataset& set) {
  base::Sha256 hash;
  const std::array<std::int64_t, 4> shape{set.rows, set.columns, set.num_groups(),
                                          static_cast<std::int64_t>(set.split_names.size())};
  hash.add_values(std::span<const std::int64_t>{shape});
  hash.add_values(std::span<const double>{set.features}, base::stop_point);
  hash.add_values(std::span<const std::int32_t>{set.group});
  for (const std::string& name : set.group_names) hash.add_text(name);
  hash.add_values(std::span<const double>{set.label});
  hash.add_values(std::span<const std::int32_t>{set.split});
  for (const std::string& name : set.split_names) hash.add_text(name);
  if (set.attributes.size() < 2) return hash.finish();  // a single attribute is the groups
  for (const Attribute& attribute : set.attributes) {
    hash.add_values(std::span<const std::int32_t>{attribute.code});
    for (const std::string& name : attribute.levels) hash.add_text(name);
  }
  return hash.finish();
}

}  // namespace fairfront::data
