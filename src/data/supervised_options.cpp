#include "data/supervised_options.hpp"

#include <limits>

#include "base/condition.hpp"
#include "data/catalogue/catalogue.hpp"
#include "data/readers/separator.hpp"

namespace fairfront::data {
namespace {

void add_source(base::OptionTable& table, SupervisedOptions& options) {
  table.add("data", options.data,
            "The data set is a name from `fairfront list datasets`, or csv, arff or libsvm for "
            "files of your own.");
  table.add("task", options.task,
            "A data set that has several tasks gives this one. Where it is empty, experiments "
            "clustering and alternating take `numeric` if there is one, and all others the first.");
  table.add("file", options.file,
            "The csv, arff or libsvm file is here, relative to the working directory or else to "
            "the data directory; its name may end in .gz.");
  table.add(
      "test_file", options.test_file,
      "A second csv, arff or libsvm file of the same form holds the test part (split.by = files).");
  add_separator(table, options.separator);
  table.add(
      "missing", options.missing,
      "These texts in a csv file are missing cells, such as ?, NA; an empty cell is missing, too.");
  table.add("header", options.header, "The first row of a csv file holds the columns' names.");
  table.add("columns", options.columns,
            base::between<std::int64_t>(0, std::numeric_limits<std::int32_t>::max()), "features",
            "A libsvm file has this many features; 0 stands for the largest index that occurs.");
}

void add_columns(base::OptionTable& table, SupervisedOptions& options) {
  table.add("features", options.features,
            "These columns are learnt from, by name or, without a header, by number from 1. * "
            "stands for all that have no other use, and nothing for those of the data set's paper. "
            "A name with a comma stands in double quotes.");
  table.add("categorical", options.categorical,
            "These features hold names and become indicators. auto stands for all that are not "
            "numbers throughout, catalogue for those of the data set's paper, and of files of your "
            "own for none.");
  table.add("sensitive", options.sensitive,
            "These define the groups: columns, comparisons such as 25 <= age <= 60, or largest(a, "
            "b, c), the name of the column with the largest number. Of several every combination "
            "that occurs is a group. A column that is called like a comparison is column(NAME).");
  table.add("group_map", options.group_map,
            "The groups' levels get these names, such as 7:White, *:other, in the order in which "
            "the groups shall be numbered; * is every other level. A level or name with a comma or "
            "a colon stands in double quotes, such as *:\"not A, B\".");
  table.add("label", options.label,
            "This column is predicted, or a comparison such as PINCP > 50000 whose rows are 1; "
            "clustering needs none. A column that is called like a comparison is column(NAME).");
  table.add("label_map", options.label_map,
            "These numbers stand for the label's names, such as no:0, yes:1.");
  table.add("positive", options.positive, "These values of the label are 1; all others are 0.");
  table.add_choice<TargetChoice>(
      "target", options.target,
      {{"automatic", TargetChoice::automatic},
       {"binary", TargetChoice::binary},
       {"classes", TargetChoice::classes},
       {"real", TargetChoice::real}},
      "The label is of this kind: two values, names of classes, or a real number. automatic means "
      "binary when it has two values, classes when it has more names, else real.");
  table.add("label_divisor", options.label_divisor, base::at_least(0.0), "",
            "Real labels are divided by it; 0 stands for what the data set's paper has, else 1.");
  table.add("split", options.split, "This column names each row's part.");
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
      "A missing cell is treated by this rule. error stops the program; drop leaves its row out; "
      "mean puts the training rows' mean there or, of names, their most frequent one; zero puts 0 "
      "or, of names, sets no indicator; catalogue does what the data set's paper does, and for "
      "files of your own is error. Rows without group or label stop the program or are dropped.");
  table.add(
      "where", options.where,
      "A row must pass these comparisons to be kept, such as ST == 40, AGEP >= 18. All behind "
      "== or != is the value, and column(NAME) == VALUE takes any name.");
  table.add("state", options.state,
            "Of the data set acs_income this state is taken, such as OK; where it is empty, all "
            "that are in the file.");
  table.add("subsample", options.subsample, base::at_least<std::int64_t>(0), "rows",
            "This many rows are drawn without replacement, before the split or, where rows have no "
            "parts, after the preparation; 0 keeps all.");
  table.add_choice<SubsampleRule>(
      "subsample_rule", options.subsample_rule,
      {{"choice", SubsampleRule::choice},
       {"choice_as_drawn", SubsampleRule::choice_as_drawn},
       {"train_test_split", SubsampleRule::train_test_split}},
      "With choice, the subsample is drawn by numpy.random.choice, in file order; with "
      "choice_as_drawn, by the same, in the order of the draw; with train_test_split, it is the "
      "training rows of scikit-learn's train_test_split, in the order of the draw.");
  table.add("subsample_seed", options.subsample_seed, base::between<std::int64_t>(0, largest_seed),
            "", "The subsample is drawn by numpy's legacy generator from this seed.");
  table.add("generator_seed", options.generator_seed, base::at_least<std::int64_t>(0), "",
            "Synthetic data sets are drawn from this seed.");
  table.assign_role(base::Role::replicate, {"subsample_seed", "generator_seed"});
  table.only_if({"subsample_seed", "subsample_rule"}, base::above("subsample", 0),
                "data.subsample = {} draws no rows");
  table.only_if(
      {"generator_seed"},
      base::where(
          {"data"}, [](auto values) { return is_generated(values.front()); }, "{} is synthetic"),
      "data.data = {} is not generated");
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
      "Scaling of numeric columns is fitted on the training rows: to mean 0 and population "
      "standard deviation 1, or to least value 0 and greatest 1. catalogue is what the data set's "
      "paper does, and for csv and arff files of your own zscore where models are trained by steps "
      "(experiments training, ranking and alternating), else none; what it came to stands in the "
      "data set's recipe. A column that is constant there becomes 0. Rows without parts are all "
      "training rows, also those that subsample leaves out.");
  table.formerly("scaling", "data.scaling").formerly("scaling", "data.standardise");
  table.add_choice<RowScaling>(
      "row_scaling", options.row_scaling,
      {{"catalogue", RowScaling::catalogue},
       {"none", RowScaling::none},
       {"unit", RowScaling::unit}},
      "With unit, rows are scaled to Euclidean norm 1, after the columns. catalogue is what the "
      "data set's paper does, and for files of your own none.");
  table.formerly("row_scaling", "data.row_scaling").formerly("row_scaling", "data.row_normalise");
  table.add("scale_indicators", options.scale_indicators,
            "The indicators of categories are scaled like numeric columns.");
  table.add_choice<OneHot>(
      "one_hot", options.one_hot,
      {{"catalogue", OneHot::catalogue},
       {"full", OneHot::full},
       {"drop_first", OneHot::drop_first}},
      "With full, a category has one indicator for each level that the training rows hold; with "
      "drop_first, for each but the first. A level that they do not hold sets none.");
  table.add("log1p", options.log1p,
            "These columns are replaced by log(1 + x) before scaling; the label may be among them. "
            "catalogue stands for those of the data set's paper, and nothing for none.");
  table.add_choice<FittedScaling>(
      "label_scaling", options.label_scaling,
      {{"none", FittedScaling::none},
       {"zscore", FittedScaling::zscore},
       {"minmax", FittedScaling::minmax}},
      "A real label is scaled in this way, which is fitted on the training rows.");
  table.add_choice<GroupFeature>("group_feature", options.group_feature,
                                 {{"catalogue", GroupFeature::catalogue},
                                  {"false", GroupFeature::no},
                                  {"true", GroupFeature::yes}},
                                 "With true, the group is a feature, too: an indicator of the "
                                 "second of two groups, or of each of several.");
  return table;
}

}  // namespace fairfront::data
