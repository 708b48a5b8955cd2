/// @file
/// What the tasks of a rank share, through its cache.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "data/raw_table.hpp"
#include "data/supervised.hpp"
#include "data/supervised_options.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The key of what follows from these sections of a task and the data folder.
/// @param kind  keeps apart what is made of the same sections.
[[nodiscard]] std::string cache_key(std::string_view kind, const sweep::Task& task,
                                    const std::vector<std::string>& sections,
                                    const sweep::RunContext& context);

/// Whether `data.data` names a table of the user's own; rows of LIBSVM files are none.
[[nodiscard]] bool is_own_table(const std::string& data);

/// How the models of a family learn. Steps go astray on columns of very different ranges, which
/// own tables may have: where the options leave it open, these are scaled to mean 0 and
/// deviation 1.
enum class Learning { otherwise, by_steps };

/// The rows of a task's sections [data] and [preparation], without parts.
/// @throws base::InputError  as data::load_whole_set.
[[nodiscard]] std::shared_ptr<const data::SupervisedSet> load_whole_set(
    const sweep::Task& task, const sweep::RunContext& context,
    Learning learning = Learning::otherwise);

/// The same with the parts of a task's section [split], where it asks for some: then the features
/// are prepared by the training rows.
/// @throws base::InputError  as data::load_raw, data::split_of, data::prepare.
[[nodiscard]] std::shared_ptr<const data::SupervisedSet> load_optional_parts(
    const sweep::Task& task, const sweep::RunContext& context, Learning learning);

/// The table of rows to learn from, read once for all splits.
/// @param key  what else `options` follow from than the task's [data] section.
/// @throws base::InputError  as data::load_raw.
[[nodiscard]] std::shared_ptr<const data::RawTable> load_table(
    const sweep::Task& task, const sweep::RunContext& context,
    const data::SupervisedOptions& options, std::string_view key = {});

/// The rows of a task's sections [data], [split] and [preparation], prepared once for all tasks of
/// the same ones.
/// @param options  section [data], with what the experiment makes of it.
/// @param key      of what else decides about the table; a key stands for one `learning`.
/// @throws base::InputError  as data::load_raw, data::split_of, data::prepare.
[[nodiscard]] std::shared_ptr<const data::SupervisedSet> load_labelled_set(
    const sweep::Task& task, const sweep::RunContext& context,
    const data::SupervisedOptions& options, Learning learning, std::string_view key);

/// The rows of a task's sections [data], [split] and [preparation] with labels of two values,
/// prepared once for all tasks of the same ones, for Learning::by_steps.
/// @throws base::InputError  as data::load_raw, data::split_of, data::prepare.
[[nodiscard]] std::shared_ptr<const data::SupervisedSet> load_binary_set(
    const sweep::Task& task, const sweep::RunContext& context);

/// Rows whose columns are predictions, which are taken as they are: nothing is scaled or added.
/// @param trains  rows must be left for training; an audit needs none.
/// @throws base::InputError  as data::split_of, data::prepare.
[[nodiscard]] std::shared_ptr<const data::SupervisedSet> rows_of_predictions(
    const data::RawTable& raw, const sweep::Task& task, bool trains);

/// Bytes that a data set or a table holds, about.
[[nodiscard]] std::size_t bytes_of(const data::Dataset& dataset);
[[nodiscard]] std::size_t bytes_of(const data::RawTable& table);

}  // namespace fairfront::experiments
