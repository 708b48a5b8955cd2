/// @file
/// Chosen columns of a table of text, as numbers or as categories.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/category.hpp"

namespace fairfront::data {

enum class CellKind {
  number,    ///< finite
  ordinal,   ///< the place of its name among the column's levels, from 1
  category,  ///< a name
};

/// What a missing cell of a column does.
enum class MissingCell {
  error,
  drop,  ///< its row is left out
  keep,  ///< it becomes a NaN, or the code -1
};

/// Of a cell, in magnitude: squares and their sums over any table stay finite.
inline constexpr double largest_number = 1e100;

/// One column to read.
struct TableColumn {
  std::string name;
  CellKind kind = CellKind::number;
  MissingCell missing = MissingCell::error;
  /// Ordinal: the names in their order. Category: the only names that may occur, in the order in
  /// which they are numbered; empty: any, in order of first appearance.
  std::vector<std::string> levels{};
  /// Number: what to say of a cell that is none, behind the rule; or empty.
  std::string advice{};
  bool has_logarithm = false;  ///< Number: of 1 + x, so that it must be > -1.
};

/// The chosen columns of the rows that were kept.
struct Table {
  std::int64_t rows = 0;                  ///< N, kept
  std::int64_t rows_read = 0;             ///< N, those left out and those dropped
  std::int64_t rows_left_out = 0;         ///< rows that the reader was not to keep
  std::vector<std::string> number_names;  ///< w names, of numbers and ordinals
  std::vector<double> numbers;  ///< row-major, shape (N, w), all finite but for kept missing cells
  std::vector<std::string> category_names;
  std::vector<Category> categories;  ///< one per name, N codes each
};

}  // namespace fairfront::data
