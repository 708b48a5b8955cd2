#include "data/sparse_rows.hpp"

#include <algorithm>
#include <utility>

namespace fairfront::data {

SparseRows sparse_rows(const Dataset& set) {
  SparseRows sparse;
  sparse.columns = set.columns;
  sparse.offsets.reserve(static_cast<std::size_t>(set.rows) + 1);
  for (std::int64_t i = 0; i < set.rows; ++i) {
    const auto row = set.row(i);
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (row[column] == 0) continue;
      sparse.index.push_back(static_cast<std::int32_t>(column));
      sparse.value.push_back(row[column]);
    }
    sparse.offsets.push_back(static_cast<std::int64_t>(sparse.index.size()));
  }
  return sparse;
}

bool is_binary(const SparseRows& sparse) {
  return std::ranges::all_of(sparse.value, [](double value) { return value == 1; });
}

void keep_rows(SparseRows& sparse, std::span<const std::int64_t> rows) {
  SparseRows kept;
  kept.columns = sparse.columns;
  for (const std::int64_t row : rows) {
    const auto indices = sparse.indices_of(row);
    const auto values = sparse.values_of(row);
    kept.index.insert(kept.index.end(), indices.begin(), indices.end());
    kept.value.insert(kept.value.end(), values.begin(), values.end());
    kept.offsets.push_back(static_cast<std::int64_t>(kept.index.size()));
  }
  sparse = std::move(kept);
}

}  // namespace fairfront::data
