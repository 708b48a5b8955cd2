#include <limits>

#include "data/load.hpp"
#include "data/separator.hpp"

namespace fairfront::data {
namespace {

void add_source(base::OptionTable& table, DataOptions& options) {
  table.add(
      "data", options.data,
      "Data set: a name from `fairfront list datasets`, or csv or arff for a file of your own.");
  table.add(
      "file", options.file,
      "csv, arff: the file, relative to the working directory or else to the data directory; may "
      "end in .gz.");
  add_separator(table, options.separator);
  table.add("missing", options.missing,
            "csv: texts of a missing cell, such as ?, NA; an empty cell is missing, too.");
  table.add("header", options.header, "csv: the first row holds the columns' names.");
}

void add_columns(base::OptionTable& table, DataOptions& options) {
  table.add("features", options.features,
            "Numeric columns, by name or, without a header, by number from 1; empty: those of the "
            "data set's paper.");
  table.add("sensitive", options.sensitive,
            "Columns that define the groups; of several, every combination that occurs is a group; "
            "empty: those of the data set's paper.");
  table.add("label", options.label,
            "Column to predict, numbers or names; empty: that of the data set's paper, if any.");
  table.add("split", options.split, "Column that names each row's part, such as train or test.");
  table.add_choice<MissingRule>(
      "missing_rule", options.missing_rule,
      {{"error", MissingRule::error}, {"drop", MissingRule::drop}},
      "What a missing cell in a chosen column does: stop, or drop its row.");
}

void add_preparation(base::OptionTable& table, DataOptions& options) {
  constexpr std::int64_t largest_seed = std::numeric_limits<std::uint32_t>::max();
  table.add_choice<Scaling>(
      "scaling", options.standardise,
      {{"catalogue", Scaling::catalogue}, {"none", Scaling::none}, {"zscore", Scaling::zscore}},
      "Scaling of columns, over all rows and before rows are drawn; catalogue: as in the data "
      "set's paper, for own csv and arff files zscore in experiment alternating, whose models are "
      "trained by steps, else none.");
  table.formerly("scaling", "standardise");
  table.add_choice<RowNorm>(
      "row_scaling", options.row_normalise,
      {{"catalogue", RowNorm::catalogue}, {"none", RowNorm::none}, {"unit", RowNorm::unit}},
      "Scaling of rows to Euclidean norm 1, after that of columns; "
      "catalogue: as in the data set's paper.");
  table.formerly("row_scaling", "row_normalise");
  table.add("subsample", options.subsample, base::at_least<std::int64_t>(0), "rows",
            "Rows drawn without replacement; 0 keeps all, in file order.");
  table.add("subsample_seed", options.subsample_seed, base::between<std::int64_t>(0, largest_seed),
            "", "Seed of that draw, for numpy's legacy generator: the papers' rows.");
  table.add("generator_seed", options.generator_seed, base::at_least<std::int64_t>(0), "",
            "Seed of the synthetic data sets.");
  table.assign_role(base::Role::replicate, {"subsample_seed", "generator_seed"});
}

}  // namespace

base::OptionTable options_of(DataOptions& options) {
  base::OptionTable table("data");
  add_source(table, options);
  add_columns(table, options);
  add_preparation(table, options);
  return table;
}

}  // namespace fairfront::data
