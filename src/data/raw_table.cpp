#include "data/raw_table.hpp"

#include <array>
#include <utility>

#include "base/sha256.hpp"
#include "base/stop.hpp"

namespace fairfront::data {
namespace {

template <class T>
void pick(std::vector<T>& values, std::span<const std::int64_t> rows) {
  if (values.empty()) return;
  std::vector<T> kept;
  kept.reserve(rows.size());
  for (const std::int64_t row : rows) kept.push_back(values[static_cast<std::size_t>(row)]);
  values = std::move(kept);
}

void add_category(base::Sha256& hash, const Category& category) {
  hash.add_values(std::span<const std::int32_t>{category.codes}, base::stop_point);
  for (const std::string& level : category.levels) hash.add_text(level);
}

}  // namespace

Split split_of(const RawTable& raw, const SplitOptions& options, bool trains) {
  std::vector<std::int32_t> label_class;
  if (!raw.class_names.empty()) {
    for (const double label : raw.label) label_class.push_back(static_cast<std::int32_t>(label));
  }
  return split_of({.rows = raw.rows,
                   .group = raw.group,
                   .group_names = raw.group_names,
                   .label_class = label_class,
                   .class_names = raw.class_names,
                   .file = raw.file,
                   .column = raw.part_column.codes.empty() ? nullptr : &raw.part_column,
                   .trains = trains},
                  options);
}

void keep_rows(RawTable& raw, std::span<const std::int64_t> rows) {
  for (RawColumn& column : raw.columns) {
    pick(column.numbers, rows);
    pick(column.names.codes, rows);
  }
  if (raw.sparse.rows() > 0) keep_rows(raw.sparse, rows);
  pick(raw.group, rows);
  for (Attribute& attribute : raw.attributes) pick(attribute.code, rows);
  pick(raw.label, rows);
  pick(raw.file, rows);
  pick(raw.part_column.codes, rows);
  raw.rows = static_cast<std::int64_t>(rows.size());
}

std::string digest_of(const RawTable& raw) {
  base::Sha256 hash;
  const std::array<std::int64_t, 4> shape{raw.rows, static_cast<std::int64_t>(raw.columns.size()),
                                          raw.sparse.columns,
                                          static_cast<std::int64_t>(raw.group_names.size())};
  hash.add_values(std::span<const std::int64_t>{shape});
  for (const RawColumn& column : raw.columns) {
    hash.add_text(column.name);
    hash.add_values(std::span<const double>{column.numbers}, base::stop_point);
    add_category(hash, column.names);
  }
  hash.add_values(std::span<const std::int64_t>{raw.sparse.offsets});
  hash.add_values(std::span<const std::int32_t>{raw.sparse.index}, base::stop_point);
  hash.add_values(std::span<const double>{raw.sparse.value}, base::stop_point);
  hash.add_values(std::span<const std::int32_t>{raw.group});
  for (const std::string& name : raw.group_names) hash.add_text(name);
  for (const Attribute& attribute : raw.attributes) {
    hash.add_values(std::span<const std::int32_t>{attribute.code});
    for (const std::string& level : attribute.levels) hash.add_text(level);
  }
  hash.add_text(name_of(raw.target));
  hash.add_values(std::span<const double>{raw.label});
  for (const std::string& name : raw.class_names) hash.add_text(name);
  hash.add_values(std::span<const std::int32_t>{raw.file});
  add_category(hash, raw.part_column);
  return hash.finish();
}

}  // namespace fairfront::data
