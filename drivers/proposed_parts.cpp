#include "proposed_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/printable.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t rows_for_two_parts = 2;   // of a stratum, to be in both parts of an audit
constexpr std::int64_t rows_for_validation = 3;  // of a group, of which 20 % are one then
// With as many, parts that are drawn without strata have some of them.
constexpr std::int64_t cell_rows_for_chance = 30;       // of which 40 % are drawn
constexpr std::int64_t training_rows_for_chance = 100;  // of which 20 % are drawn

using LevelNames = std::vector<std::string>;

/// Complete rows by the levels that make the group, and behind them those of more columns.
using RowsByLevels = std::map<LevelNames, std::int64_t>;

bool is_left_out(const Proposal& proposal, const LevelNames& levels) {
  return std::ranges::any_of(
      proposal.rare, [&](const RareLevel& rare) { return levels[rare.attribute] == rare.level; });
}

RowsByLevels complete_rows_by(const Proposal& proposal, const std::vector<std::size_t>& columns,
                              const std::vector<std::size_t>& needed) {
  std::vector<GroupSource> sources = proposal.groups_by;
  for (const std::size_t place : columns) {
    const std::string& name = proposal.table.columns[place].name;
    sources.push_back({.text = {.text = name, .column = name}, .places = {place}});
  }
  RowsByLevels cells;
  for (GroupSize& size : group_sizes(proposal.path, proposal.format, sources, needed)) {
    if (!is_left_out(proposal, size.levels)) cells[std::move(size.levels)] += size.complete;
  }
  return cells;
}

std::vector<const GroupSize*> kept_groups(const Proposal& proposal) {
  std::vector<const GroupSize*> kept;
  for (const GroupSize& group : proposal.groups) {
    if (!is_left_out(proposal, group.levels)) kept.push_back(&group);
  }
  return kept;
}

/// Rows of a group that have one of the values in the column of parts, and there is one more column
/// behind it where `more` has a level.
std::int64_t rows_in(const RowsByLevels& cells, const GroupSize& group, const LevelNames& part,
                     const LevelNames& more = {}) {
  std::int64_t rows = 0;
  for (const std::string& value : part) {
    LevelNames levels = group.levels;
    levels.push_back(value);
    levels.insert(levels.end(), more.begin(), more.end());
    const auto found = cells.find(levels);
    if (found != cells.end()) rows += found->second;
  }
  return rows;
}

/// The group and the label of which the fewest rows can be had.
struct LeastCell {
  const GroupSize* group = nullptr;
  std::string label;
  std::int64_t rows = 0;
};

/// @param rows_of  complete rows of a group with a label.
template <class RowsOf>
LeastCell least_cell(const Proposal& proposal, RowsOf rows_of) {
  LeastCell least;
  for (const GroupSize* group : kept_groups(proposal)) {
    for (const auto& [label, count] : proposal.table.columns[*proposal.label].levels) {
      const std::int64_t rows = rows_of(*group, label);
      if (least.group == nullptr || rows < least.rows) least = {group, label, rows};
    }
  }
  return least;
}

std::string text_of_cell(const LeastCell& cell) {
  return fmt::format("group {} has {} complete row{} with label {}",
                     base::printable(cell.group->name), cell.rows, cell.rows == 1 ? "" : "s",
                     base::printable(cell.label));
}

/// Thresholds by group are chosen on validation rows, which must have both labels in each group.
void fit_audit(Proposal& proposal, const std::vector<std::size_t>& needed) {
  if (proposal.parts) {
    const LevelNames& validation = proposal.part_names.validation;
    if (validation.empty()) return;
    const RowsByLevels cells =
        complete_rows_by(proposal, {*proposal.parts, *proposal.label}, needed);
    const LeastCell least =
        least_cell(proposal, [&](const GroupSize& group, const std::string& label) {
          return rows_in(cells, group, validation, {label});
        });
    if (least.rows == 0) proposal.no_thresholds = text_of_cell(least) + " in the validation part";
    return;
  }
  const RowsByLevels cells = complete_rows_by(proposal, {*proposal.label}, needed);
  const LeastCell least =
      least_cell(proposal, [&](const GroupSize& group, const std::string& label) {
        return rows_in(cells, group, {label});
      });
  if (least.rows < rows_for_two_parts) {
    proposal.no_thresholds = text_of_cell(least);
  } else {
    proposal.stratifies_labels = least.rows < cell_rows_for_chance;
  }
}

/// A group without rows in one of the parts; nothing where all have some.
/// @param least  so few do not do.
const GroupSize* lacking_group(const Proposal& proposal, const RowsByLevels& cells,
                               const LevelNames& part, std::int64_t least) {
  for (const GroupSize* group : kept_groups(proposal)) {
    if (rows_in(cells, *group, part) < least) return group;
  }
  return nullptr;
}

/// What learns needs training and validation rows of every group.
void fit_training(Proposal& proposal, const std::vector<std::size_t>& needed) {
  const RowsByLevels cells = complete_rows_by(proposal, {*proposal.parts}, needed);
  PartNames& names = proposal.part_names;
  if (!names.validation.empty()) {
    const GroupSize* lacking = lacking_group(proposal, cells, names.validation, 1);
    if (lacking != nullptr) {
      proposal.remark_of_parts = fmt::format(
          "# Group {} has no row in the validation part: validation rows are drawn of all that are "
          "not for the test.\n",
          base::printable(lacking->name));
      names.train.insert(names.train.end(), names.validation.begin(), names.validation.end());
      names.validation.clear();
    }
  }
  const std::int64_t least = names.validation.empty() ? rows_for_validation : 1;
  const GroupSize* lacking = lacking_group(proposal, cells, names.train, least);
  if (lacking == nullptr) {
    proposal.few_in_training =
        lacking_group(proposal, cells, names.train, training_rows_for_chance) != nullptr;
    return;
  }
  proposal.left_out.push_back(
      fmt::format("{}: it looks like the parts of a split, but group {} has too few training rows "
                  "in it; [split] "
                  "draws parts of all rows",
                  base::printable(proposal.table.columns[*proposal.parts].name),
                  base::printable(lacking->name)));
  proposal.parts.reset();
  proposal.remark_of_parts.clear();
}

}  // namespace

void fit_parts_to_groups(Proposal& proposal, const std::vector<std::size_t>& needed) {
  if (!proposal.label || proposal.groups.empty()) return;
  if (proposal.predictions.empty()) {
    if (proposal.parts) fit_training(proposal, needed);
  } else if (proposal.table.columns[*proposal.label].has_two()) {
    fit_audit(proposal, needed);
  }
}

}  // namespace fairfront::drivers
