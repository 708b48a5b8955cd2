/// @file
/// The fields of everything that is stored, each listed once: the archive's writer and reader, the
/// journal's records, digests, rules and comparisons walk these lists. A new column is a member
/// and a line here.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "data/dataset.hpp"
#include "results/content.hpp"
#include "results/task_record.hpp"

namespace fairfront::results {

/// How a field is used besides being stored.
struct Use {
  /// Part of what makes two results the same. Prose and volatile facts are not.
  bool identity = true;
  bool wide = false;           ///< a column with one entry per objective in each row
  bool per_task = false;       ///< a column with one row per task
  std::string_view unit = "";  ///< of a column; empty: it has none
};

/// Name in the file, and where it is in memory.
template <class Struct, class Type>
struct Field {
  std::string_view name;
  Type Struct::*member;
  Use use;
};
template <class Struct, class Type>
constexpr Field<Struct, Type> field(std::string_view name, Type Struct::*member, Use use = {}) {
  return {name, member, use};
}

inline constexpr Use not_identity{.identity = false};

/// Specialised below for every struct that is stored.
template <class Struct>
inline constexpr auto fields = nullptr;

template <>
inline constexpr auto fields<Quantity> = std::tuple(
    field("name", &Quantity::name), field("definition", &Quantity::definition, not_identity),
    field("unit", &Quantity::unit), field("direction", &Quantity::direction),
    field("source", &Quantity::source, not_identity));

template <>
inline constexpr auto fields<ConfigEntry> = std::tuple(field("section", &ConfigEntry::section),
                                                       field("key", &ConfigEntry::key),
                                                       field("value", &ConfigEntry::value));

template <>
inline constexpr auto fields<LaunchFacts> = std::tuple(
    field("program_version", &LaunchFacts::program_version),
    field("git_revision", &LaunchFacts::git_revision), field("git_dirty", &LaunchFacts::git_dirty),
    field("compiler", &LaunchFacts::compiler),
    field("compiler_flags", &LaunchFacts::compiler_flags),
    field("libraries", &LaunchFacts::libraries), field("created", &LaunchFacts::created),
    field("hosts", &LaunchFacts::hosts), field("processors", &LaunchFacts::processors),
    field("c_libraries", &LaunchFacts::c_libraries), field("ranks", &LaunchFacts::ranks),
    field("team_size", &LaunchFacts::team_size), field("command_line", &LaunchFacts::command_line),
    field("slurm", &LaunchFacts::slurm));

/// Without the files, which are ragged: names and hashes, several per data set.
template <>
inline constexpr auto fields<data::Provenance> = std::tuple(
    field("name", &data::Provenance::name),
    field("source", &data::Provenance::source, not_identity),
    field("file_rows", &data::Provenance::file_rows, not_identity),
    field("recipe", &data::Provenance::recipe, not_identity),
    field("digest", &data::Provenance::digest), field("fitted", &data::Provenance::fitted));

template <>
inline constexpr auto fields<Axis> = std::tuple(field("name", &Axis::name),
                                                field("role", &Axis::role),
                                                field("values", &Axis::values));

/// Without the places on the axes: one column per axis. The message of a failed task is prose.
template <>
inline constexpr auto fields<TaskTable> =
    std::tuple(field("key", &TaskTable::key, {.per_task = true}),
               field("method", &TaskTable::method, {.per_task = true}),
               field("problem", &TaskTable::problem, {.per_task = true}),
               field("configuration", &TaskTable::configuration, {.per_task = true}),
               field("curve", &TaskTable::curve, {.per_task = true}),
               field("status", &TaskTable::status, {.per_task = true}),
               field("message", &TaskTable::message, {.identity = false, .per_task = true}),
               field("model", &TaskTable::model, {.per_task = true}));

template <>
inline constexpr auto fields<Timing> = std::tuple(
    field("started", &Timing::started, {.identity = false, .per_task = true, .unit = "s"}),
    field("seconds", &Timing::seconds, {.identity = false, .per_task = true, .unit = "s"}),
    field("rank", &Timing::rank, {.identity = false, .per_task = true}),
    field("attempt", &Timing::attempt, {.identity = false, .per_task = true}));

/// Without the seconds along it, which stand with the times of the run.
template <>
inline constexpr auto fields<Series> = std::tuple(field("offsets", &Series::offsets),
                                                  field("steps", &Series::steps),
                                                  field("values", &Series::values));

template <>
inline constexpr auto fields<FrontGroup> = std::tuple(
    field("offsets", &FrontGroup::offsets), field("points", &FrontGroup::points, {.wide = true}),
    field("report", &FrontGroup::report, {.wide = true}), field("task", &FrontGroup::task),
    field("solution", &FrontGroup::solution),
    field("reference", &FrontGroup::reference, {.wide = true, .per_task = true}),
    field("hypervolume", &FrontGroup::hypervolume, {.per_task = true}));

template <>
inline constexpr auto fields<MergedSet> = std::tuple(field("offsets", &MergedSet::offsets),
                                                     field("point", &MergedSet::point),
                                                     field("reference", &MergedSet::reference,
                                                           {.wide = true}),
                                                     field("hypervolume", &MergedSet::hypervolume));

template <>
inline constexpr auto fields<MergedFront> =
    std::tuple(field("per_replicate", &MergedFront::per_replicate),
               field("over_replicates", &MergedFront::over_replicates));

/// The head of a record. Columns of TaskTable and Timing with the same names hold it in an archive.
template <>
inline constexpr auto fields<TaskRecord> = std::tuple(
    field("key", &TaskRecord::key), field("status", &TaskRecord::status),
    field("message", &TaskRecord::message, not_identity), field("model", &TaskRecord::model),
    field("started", &TaskRecord::started, not_identity),
    field("seconds", &TaskRecord::seconds, not_identity),
    field("rank", &TaskRecord::rank, not_identity),
    field("attempt", &TaskRecord::attempt, not_identity));

template <>
inline constexpr auto fields<Trajectory> = std::tuple(field("steps", &Trajectory::steps),
                                                      field("values", &Trajectory::values),
                                                      field("seconds", &Trajectory::seconds,
                                                            not_identity));

/// The entries of the last dimension of a measure's values.
template <>
inline constexpr auto fields<Measured> = std::tuple(field("value", &Measured::value),
                                                    field("low", &Measured::low),
                                                    field("high", &Measured::high));

template <>
inline constexpr auto fields<TaskFront> = std::tuple(field("points", &TaskFront::points),
                                                     field("reference", &TaskFront::reference),
                                                     field("hypervolume", &TaskFront::hypervolume),
                                                     field("report", &TaskFront::report));

template <class Struct>
inline constexpr std::size_t field_count =
    std::tuple_size_v<std::remove_cvref_t<decltype(fields<Struct>)>>;

/// Calls `visit` with each Field of the struct, in order.
template <class Struct, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... each) { (visit(each), ...); }, fields<Struct>);
}

/// Calls `visit(field of TaskRecord, column of Columns)` for those that have one name and type;
/// Columns is TaskTable or Timing.
template <class Columns, class Visit>
constexpr void for_each_task_column(Visit&& visit) {
  for_each_field<TaskRecord>([&](const auto& entry) {
    using Entry = std::remove_cvref_t<decltype(std::declval<TaskRecord>().*entry.member)>;
    for_each_field<Columns>([&](const auto& column) {
      using Column = std::remove_cvref_t<decltype(std::declval<Columns>().*column.member)>;
      if constexpr (std::is_same_v<Column, std::vector<Entry>>) {
        if (entry.name == column.name) visit(entry, column);
      }
    });
  });
}

}  // namespace fairfront::results
