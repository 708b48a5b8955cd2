/// @file
/// Drawing some rows of a table or of a prepared set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/supervised_options.hpp"

namespace fairfront::data {

/// Which of `rows` rows `options` draw, in their new order.
/// @throws base::InputError  more than there are.
[[nodiscard]] std::vector<std::int64_t> drawn_rows(const SupervisedOptions& options,
                                                   std::int64_t rows);

/// @throws base::InputError  a group without a member.
void require_every_group(std::span<const std::int32_t> group, std::span<const std::string> names);

/// What a recipe says of the draw.
[[nodiscard]] std::string recipe_of_draw(const SupervisedOptions& options);

/// Keeps the rows that `options` draw of a RawTable or a Dataset; all where they draw none.
/// @throws base::InputError  as drawn_rows(), require_every_group().
template <class Rows>
void subsample(Rows& rows, const SupervisedOptions& options) {
  if (options.subsample == 0) return;
  keep_rows(rows, drawn_rows(options, rows.rows));
  require_every_group(rows.group, rows.group_names);
  rows.provenance.recipe += recipe_of_draw(options);
}

}  // namespace fairfront::data
