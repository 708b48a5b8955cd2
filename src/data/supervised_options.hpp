/// @file
/// The sections [data] and [preparation] of experiments that read rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"

namespace fairfront::data {

/// What the label is, and so what may be learnt from it.
enum class TargetKind {
  none,
  binary,   ///< 0 or 1
  classes,  ///< 0 .. C-1, C >= 3
  real,
};
[[nodiscard]] std::string_view name_of(TargetKind kind) noexcept;

/// What a label is taken for; automatic: numbers of two values and names of two levels are binary,
/// more names are classes, other numbers real.
enum class TargetChoice { automatic, binary, classes, real };

/// What becomes of a missing cell. Rows without a group or a label cannot be filled up: error
/// refuses them, every other policy leaves them out.
enum class MissingPolicy {
  catalogue,  ///< as in the data set's paper; error for own files
  error,
  drop,  ///< its row is left out
  mean,  ///< the mean of the training rows; of names the most frequent one
  zero,  ///< 0; of names none: no indicator is set
};

/// Which rows of a permutation by numpy a subsample takes.
enum class SubsampleRule {
  choice,            ///< the first ones, in file order: numpy.random.choice, sorted
  choice_as_drawn,   ///< the first ones, in the order of the draw: numpy.random.choice
  train_test_split,  ///< the last ones, in their order: scikit-learn's training rows
};

/// The [data] section. Empty values of features, sensitive and label are those of the catalogue.
struct SupervisedOptions {
  std::string data = "adult";  ///< name in the catalogue, or "csv", "arff", "libsvm"
  std::string task;            ///< of the catalogue's for the set; empty: its first one
  std::string file;            ///< own: path, relative to cwd or else the data directory
  std::string test_file;       ///< own: a second file, the test part of split.by = files
  std::string separator = ",";
  std::vector<std::string> missing{"?"};
  bool header = true;
  std::vector<std::string> features;                  ///< "*": all that have no other use
  std::vector<std::string> categorical{"catalogue"};  ///< names, or "catalogue", "auto", or none
  std::vector<std::string> sensitive;  ///< columns, comparisons, or largest(a, b, ...)
  std::vector<std::string> group_map;  ///< level:name, or *:name for all others
  std::string label;                   ///< a column or a comparison
  std::vector<std::string> label_map;  ///< level:number
  std::vector<std::string> positive;   ///< levels that are 1; all others are 0
  TargetChoice target = TargetChoice::automatic;
  double label_divisor = 0;  ///< of real labels; 0: as in the data set's paper, 1 for own files
  MissingPolicy missing_rule = MissingPolicy::catalogue;
  std::vector<std::string> where;  ///< comparisons that a row must pass to be kept
  std::string state;               ///< acs_income: two letters; empty: all states
  std::string split;               ///< a column that names the parts
  std::int64_t columns = 0;        ///< libsvm: d; 0: the largest index that occurs
  std::int64_t subsample = 0;      ///< rows drawn without replacement; 0 keeps all
  SubsampleRule subsample_rule = SubsampleRule::choice;
  std::int64_t subsample_seed = 1;
  std::int64_t generator_seed = 1;  ///< synthetic sets only
};
[[nodiscard]] base::OptionTable options_of(SupervisedOptions& options);

/// The [data] section of experiments whose rows have no parts, with the defaults of their papers.
struct WholeSetOptions : SupervisedOptions {
  WholeSetOptions() {
    data = "syn_unequal_ds2";
    subsample_rule = SubsampleRule::choice_as_drawn;
  }
};

/// How numbers are scaled, by what the training rows hold.
enum class FittedScaling {
  catalogue,  ///< as in the data set's paper; none for own files, unless a family says otherwise
  none,
  zscore,  ///< mean 0, population standard deviation 1
  minmax,  ///< least value 0, greatest 1
};
/// Which levels of a category become indicators.
enum class OneHot {
  catalogue,   ///< as in the data set's paper; full for own files
  full,        ///< all that the training rows hold
  drop_first,  ///< all but the first of them
};
enum class GroupFeature { catalogue, no, yes };
/// How rows are scaled, after their columns.
enum class RowScaling {
  catalogue,  ///< as in the data set's paper; none for own files
  none,
  unit,  ///< to Euclidean norm 1
};

/// The [preparation] section. What is fitted is fitted on the training rows alone.
struct PreparationOptions {
  FittedScaling scaling = FittedScaling::catalogue;
  bool scale_indicators = false;
  RowScaling row_scaling = RowScaling::catalogue;
  OneHot one_hot = OneHot::catalogue;
  std::vector<std::string> log1p{"catalogue"};  ///< names, or "catalogue", or none
  FittedScaling label_scaling = FittedScaling::none;
  GroupFeature group_feature = GroupFeature::catalogue;
};
[[nodiscard]] base::OptionTable options_of(PreparationOptions& options);

}  // namespace fairfront::data
