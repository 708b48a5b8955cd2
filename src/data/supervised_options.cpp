#include "data/supervised_options.hpp"

#include <limits>

#include "data/readers/separator.hpp"

namespace fairfront::data {
namespace {

void add_source(base::OptionTable& table, SupervisedOptions& options) {
  table.add(
      "data", options.data,
      "Data set: a name from `fairfront list datasets`, or csv, arff or libsvm for files of your "
      "own.");
  table.add("task", options.task,
            "Task of a data set that has several; empty: in experiments clustering and alternating "
            "`numeric` where there is one, elsewhere the first.");
  table.add("file", options.file,
            "csv, arff, libsvm: the file, relative to the working directory or else to the data "
            "directory; may end in .gz.");
  table.add("test_file", options.test_file,
            "csv, arff, libsvm: a second file of the same form, the test part (split.by = files).");
  add_separator(table, options.separator);
  table.add("missing", options.missing,
            "csv: texts of a missing cell, such as ?, NA; an empty cell is missing, too.");
  table.add("header", options.header, "csv: the first row holds the columns' names.");
  table.add("columns", options.columns,
            base::between<std::int64_t>(0, std::numeric_limits<std::int32_t>::max()), "features",
            "libsvm: number of features; 0: the largest index that occurs.");
}

void add_columns(base::OptionTable& table, SupervisedOptions& options) {
  table.add(
      "features", options.features,
      "Columns to learn from, by name or, without a header, by number from 1; *: all that "
      "have no other use; empty: those of the data set's paper. A name with a comma stands in "
      "double quotes.");
  table.add("categorical", options.categorical,
            "Features that hold names and become indicators; auto: all that are not numbers "
            "throughout; catalogue: those of the data set's paper, for own files none.");
  table.add("sensitive", options.sensitive,
            "What defines the groups: columns, comparisons such as 25 <= age <= 60, or largest(a, "
            "b, c), the name of the column with the largest number; of several every combination "
            "that occurs is a group.");
  table.add("group_map", options.group_map,
            "New names of the groups' levels, such as 7:White, *:other, in the order in which the "
            "groups shall be numbered; * is every other level.");
  table.add("label", options.label,
            "Column to predict, or a comparison such as PINCP > 50000 whose rows are 1; clustering "
            "needs none.");
  table.add("label_map", options.label_map, "Numbers for names, such as no:0, yes:1.");
  table.add("positive", options.positive, "Values of the label that are 1; all others are 0.");
  table.add_choice<TargetChoice>("target", options.target,
                                 {{"automatic", TargetChoice::automatic},
                                  {"binary", TargetChoice::binary},
                                  {"classes", TargetChoice::classes},
                                  {"real", TargetChoice::real}},
                                 "What the label is; automatic: binary when it has two values, "
                                 "classes when it has more names, "
                                 "else real.");
  table.add("label_divisor", options.label_divisor, base::at_least(0.0), "",
            "Real labels are divided by it; 0: as in the data set's paper, else 1.");
  table.add("split", options.split, "Column that names each row's part (split.by = column).");
}

void add_rows(base::OptionTable& table, SupervisedOptions& options) {
  constexpr std::int64_t largest_seed = std::numeric_limits<std::uint32_t>::max();
  table.add_choice<MissingPolicy>(
      "missing_rule", options.missing_rule,
      {{"catalogue", MissingPolicy::catalogue},
       {"error", MissingPolicy::error},
       {"drop", MissingPolicy::drop},
       {"mean", MissingPolicy::mean},
       {"zero", MissingPolicy::zero}},
      "What a missing cell does: stop; drop its row; become the training rows' mean or, of names, "
      "their most frequent one; become 0 or, of names, no indicator. Rows without group or label "
      "stop the program or are dropped.");
  table.add("where", options.where,
            "Comparisons that a row must pass to be kept, such as ST == 40, AGEP >= 18.");
  table.add("state", options.state, "acs_income: a state, such as OK; empty: all in the file.");
  table.add("subsample", options.subsample, base::at_least<std::int64_t>(0), "rows",
            "Rows drawn without replacement, before the split; where rows have no parts, after the "
            "preparation; 0 keeps all.");
  table.add_choice<SubsampleRule>(
      "subsample_rule", options.subsample_rule,
      {{"choice", SubsampleRule::choice},
       {"choice_as_drawn", SubsampleRule::choice_as_drawn},
       {"train_test_split", SubsampleRule::train_test_split}},
      "How: by numpy.random.choice, in file order or in the order of the draw; or as the training "
      "rows of scikit-learn's train_test_split, in the order of the draw.");
  table.add("subsample_seed", options.subsample_seed, base::between<std::int64_t>(0, largest_seed),
            "", "Seed of that draw, for numpy's legacy generator.");
  table.add("generator_seed", options.generator_seed, base::at_least<std::int64_t>(0), "",
            "Seed of the synthetic data sets.");
  table.assign_role(base::Role::replicate, {"subsample_seed", "generator_seed"});
}

}  // namespace

std::string_view name_of(TargetKind kind) noexcept {
  switch (kind) {
    case TargetKind::binary:
      return "binary";
    case TargetKind::classes:
      return "classes";
    case TargetKind::real:
      return "real";
    case TargetKind::none:
      break;
  }
  return "none";
}

base::OptionTable options_of(SupervisedOptions& options) {
  base::OptionTable table("data");
  add_source(table, options);
  add_columns(table, options);
  add_rows(table, options);
  return table;
}

base::OptionTable options_of(PreparationOptions& options) {
  base::OptionTable table("preparation");
  table.add_choice<FittedScaling>(
      "scaling", options.scaling,
      {{"catalogue", FittedScaling::catalogue},
       {"none", FittedScaling::none},
       {"zscore", FittedScaling::zscore},
       {"minmax", FittedScaling::minmax}},
      "Scaling of numeric columns, fitted on the training rows: mean 0 and population standard "
      "deviation 1, or least value 0 and greatest 1; catalogue: as in the data set's paper, for "
      "own csv and arff files zscore where models are trained by steps (experiments training, "
      "ranking and alternating), else none. What it is for a data set stands in its recipe; the "
      "config keeps the word, as it may be for several. A column that is constant there becomes "
      "0. Rows without parts are all training rows, also those that subsample leaves out.");
  table.formerly("scaling", "data.scaling").formerly("scaling", "data.standardise");
  table.add_choice<RowScaling>("row_scaling", options.row_scaling,
                               {{"catalogue", RowScaling::catalogue},
                                {"none", RowScaling::none},
                                {"unit", RowScaling::unit}},
                               "Scaling of rows to Euclidean norm 1, after that of columns; "
                               "catalogue: as in the data set's paper, for own files none.");
  table.formerly("row_scaling", "data.row_scaling").formerly("row_scaling", "data.row_normalise");
  table.add("scale_indicators", options.scale_indicators,
            "Scale the indicators of categories like numeric columns.");
  table.add_choice<OneHot>("one_hot", options.one_hot,
                           {{"catalogue", OneHot::catalogue},
                            {"full", OneHot::full},
                            {"drop_first", OneHot::drop_first}},
                           "One indicator for each level that the training rows hold, or for each "
                           "but the first; a level that they do not hold sets none.");
  table.add("log1p", options.log1p,
            "Columns to replace by log(1 + x) before scaling, the label among them if wanted; "
            "catalogue: those of the data set's paper; empty: none.");
  table.add_choice<FittedScaling>("label_scaling", options.label_scaling,
                                  {{"none", FittedScaling::none},
                                   {"zscore", FittedScaling::zscore},
                                   {"minmax", FittedScaling::minmax}},
                                  "Scaling of a real label, fitted on the training rows.");
  table.add_choice<GroupFeature>("group_feature", options.group_feature,
                                 {{"catalogue", GroupFeature::catalogue},
                                  {"false", GroupFeature::no},
                                  {"true", GroupFeature::yes}},
                                 "Whether the group is a feature, too: an indicator of the second "
                                 "of two groups, or of each of several.");
  return table;
}

}  // namespace fairfront::data
