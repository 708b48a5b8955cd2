#include "data/supervised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/stop.hpp"
#include "base/text.hpp"
#include "data/column_fit.hpp"
#include "data/dataset_rows.hpp"
#include "data/small_groups.hpp"
#include "data/source_columns.hpp"

namespace fairfront::data {
namespace {

constexpr std::int64_t most_cells = std::int64_t{1} << 31;  // 16 GB
constexpr double widest_ratio = 100;

/// The options with the catalogue's values where it is asked.
struct Choices {
  FittedScaling scaling;
  bool scale_indicators;
  bool unit_rows;
  bool drop_first;
  std::vector<std::string> log1p;
  FittedScaling label_scaling;
  bool group_feature;
};

Choices choices_of(const RawTable& raw, const PreparationOptions& options) {
  const PreparationOptions& paper = raw.paper;
  const bool by_paper = options.scaling == FittedScaling::catalogue;
  const RowScaling rows =
      options.row_scaling == RowScaling::catalogue ? paper.row_scaling : options.row_scaling;
  const OneHot one_hot = options.one_hot == OneHot::catalogue ? paper.one_hot : options.one_hot;
  const bool logs_by_paper = options.log1p == std::vector<std::string>{"catalogue"};
  const FittedScaling scaling = by_paper ? paper.scaling : options.scaling;
  return {.scaling = scaling == FittedScaling::catalogue ? FittedScaling::none : scaling,
          .scale_indicators = options.scale_indicators,
          .unit_rows = rows == RowScaling::unit,
          .drop_first = one_hot == OneHot::drop_first,
          .log1p = logs_by_paper ? paper.log1p : options.log1p,
          .label_scaling = options.label_scaling,
          .group_feature = options.group_feature == GroupFeature::catalogue
                               ? paper.group_feature == GroupFeature::yes
                               : options.group_feature == GroupFeature::yes};
}

/// Names, the first few of them.
std::string listed(std::vector<std::string> names) {
  const std::size_t more = names.size() - std::min(names.size(), most_named);
  names.resize(names.size() - more);
  if (more > 0) names.push_back(fmt::format("and {} more", more));
  return base::join(names, ", ");
}

void take_log1p(std::vector<double>& values, const std::string& name) {
  for (double& value : values) {
    if (!(value > -1)) {
      throw base::InputError(fmt::format(
          "preparation.log1p: column '{}' holds a value <= -1, whose log(1 + x) is not finite",
          name));
    }
    value = base::log1p(value);
  }
}

/// A column of finished numbers.
struct NumberColumn {
  std::size_t place;  ///< among the features
  std::vector<double> values;
};

/// Columns of which at most one is set in a row.
struct IndicatorColumns {
  std::vector<std::int32_t> codes;   ///< N levels; -1: none
  std::vector<std::int64_t> places;  ///< of each level among the features; -1: it sets none
  std::vector<double> set;           ///< the value where it is set, after the scaling
};

/// Column by column: rows and values of the entries of sparse rows.
struct SparseColumns {
  std::vector<std::vector<std::int64_t>> rows;
  std::vector<std::vector<double>> values;
};

SparseColumns columns_of(const SparseRows& sparse) {
  const auto width = static_cast<std::size_t>(sparse.columns);
  SparseColumns columns{std::vector<std::vector<std::int64_t>>(width),
                        std::vector<std::vector<double>>(width)};
  for (std::int64_t row = 0; row < sparse.rows(); ++row) {
    const auto indices = sparse.indices_of(row);
    for (std::size_t entry = 0; entry < indices.size(); ++entry) {
      const auto column = static_cast<std::size_t>(indices[entry]);
      columns.rows[column].push_back(row);
      columns.values[column].push_back(sparse.values_of(row)[entry]);
    }
  }
  return columns;
}

/// First lays out the columns, fitting what is to be fitted, then writes the rows.
class Preparer {
 public:
  /// @param parts  whether the rows have any.
  Preparer(const RawTable& raw, const Split& split, const PreparationOptions& options, bool parts)
      : raw_{raw}, train_{split.train}, choices_{choices_of(raw, options)}, parts_{parts} {
    check_log1p();
    result_.split = split;
    result_.set.rows = raw.rows;
  }

  SupervisedSet prepare() {
    for (const RawColumn& column : raw_.columns) {
      base::stop_point();
      column.categorical ? add_category(column) : add_numbers(column);
    }
    if (raw_.columns.empty()) add_sparse();
    if (choices_.group_feature) add_group();
    result_.set.columns = static_cast<std::int64_t>(unset_.size());
    check_size(result_.set.columns);
    result_.fitted.unset = unset_;
    result_.fitted.uses_group = choices_.group_feature;
    result_.fitted.unit_rows = choices_.unit_rows;
    result_.fitted.missing = raw_.missing;
    result_.fitted.missing_cells = raw_.missing_cells;
    for (const auto step : {&Preparer::make_rows, &Preparer::copy_groups, &Preparer::prepare_label,
                            &Preparer::set_parts, &Preparer::warn, &Preparer::finish}) {
      base::stop_point();
      (this->*step)();
    }
    return std::move(result_);
  }

 private:
  void check_log1p() const {
    std::vector<std::string> numeric;
    for (const RawColumn& column : raw_.columns) {
      if (!column.categorical) numeric.push_back(column.name);
    }
    if (raw_.target == TargetKind::real) numeric.push_back(raw_.label_name);
    for (const std::string& name : choices_.log1p) {
      if (contains(numeric, name)) continue;
      throw base::InputError(fmt::format("preparation.log1p: '{}' is no numeric column or label{}",
                                         name, base::name_hint(name, numeric)));
    }
  }

  void check_size(std::int64_t columns) const {
    if (columns <= most_cells / raw_.rows) return;
    throw base::InputError(
        fmt::format("{} rows of {} features are too many for a full table: at most 2^31 cells",
                    raw_.rows, columns));
  }

  /// Lays out one more column; returns its place.
  /// @param unset  the value where nothing else is written, before the scaling.
  std::size_t add_column(std::string name, const Affine& scale, double unset) {
    if (scale.divisor == 0) constant_.push_back(name);
    unset_.push_back(scale(unset));
    result_.scaling.push_back(scale);
    result_.set.feature_names.push_back(std::move(name));
    return unset_.size() - 1;
  }

  /// The scaling of a numeric column; what is not scaled is remembered with its range.
  Affine fit_numbers(std::span<const double> values, const std::string& name) {
    if (choices_.scaling == FittedScaling::none && !train_.empty()) {
      ranges_.emplace_back(range_of(values, train_), name);
    }
    return fit_scaling(values, train_, choices_.scaling, name);
  }

  void add_numbers(const RawColumn& column) {
    std::vector<double> values = column.numbers;
    const double filler = fill(values, column.name);
    if (contains(choices_.log1p, column.name)) take_log1p(values, column.name);
    const Affine scale = fit_numbers(values, column.name);
    for (double& value : values) value = scale(value);
    check_squares(values, column.name);
    numbers_.push_back({add_column(column.name, scale, 0), std::move(values)});
    result_.fitted.columns.push_back({.name = column.name,
                                      .log1p = contains(choices_.log1p, column.name),
                                      .filler = filler,
                                      .scale = scale,
                                      .place = numbers_.back().place,
                                      .levels = column.names.levels});
  }

  /// Fills missing cells; returns with what.
  double fill(std::vector<double>& values, const std::string& name) {
    double filler = 0;
    if (raw_.missing == MissingPolicy::mean) {
      const auto mean = mean_of(values, train_);
      if (!mean || !std::isfinite(*mean)) {
        throw base::InputError(fmt::format(
            "column '{}' has no value in the training rows whose mean could fill missing cells",
            name));
      }
      filler = *mean;
    }
    for (double& value : values) {
      if (!std::isnan(value)) continue;
      value = filler;
      ++result_.counts.filled;
    }
    return filler;
  }

  void add_category(const RawColumn& column) {
    const std::vector<std::int64_t> counts = count_levels(column.names, train_);
    const auto most_frequent =
        static_cast<std::int32_t>(std::ranges::max_element(counts) - counts.begin());
    if (std::ranges::all_of(counts, [](std::int64_t count) { return count == 0; })) {
      throw base::InputError(
          fmt::format("column '{}' has no level in the training rows", column.name));
    }
    std::vector<std::int32_t> codes = column.names.codes;
    std::int64_t unseen = 0;
    for (std::int32_t& code : codes) {
      if (code < 0) {
        ++result_.counts.filled;
        if (raw_.missing == MissingPolicy::mean) code = most_frequent;
      } else if (counts[static_cast<std::size_t>(code)] == 0) {
        ++unseen;
      }
    }
    if (unseen > 0) unseen_.push_back(fmt::format("'{}' {}", column.name, unseen));
    result_.counts.unseen_levels += unseen;
    add_indicators(column, counts, std::move(codes));
    remember_names(column, counts, raw_.missing == MissingPolicy::mean ? most_frequent : -1);
  }

  /// Of later rows: those that the training rows hold.
  void remember_names(const RawColumn& column, const std::vector<std::int64_t>& counts,
                      std::int32_t filler) {
    FittedColumn fitted{.name = column.name, .categorical = true};
    const IndicatorColumns& indicators = indicators_.back();
    for (std::size_t level = 0; level < counts.size(); ++level) {
      if (counts[level] == 0) continue;
      if (static_cast<std::int32_t>(level) == filler) {
        fitted.filler_level = static_cast<std::int32_t>(fitted.levels.size());
      }
      fitted.levels.push_back(column.names.levels[level]);
      fitted.places.push_back(indicators.places[level]);
      fitted.set.push_back(indicators.set[level]);
    }
    result_.fitted.columns.push_back(std::move(fitted));
  }

  void add_indicators(const RawColumn& column, const std::vector<std::int64_t>& counts,
                      std::vector<std::int32_t> codes) {
    IndicatorColumns indicators{std::move(codes), {}, {}};
    bool first = true;
    for (std::size_t level = 0; level < counts.size(); ++level) {
      const bool reference = choices_.drop_first && first;
      const bool wanted = counts[level] > 0 && !reference;
      if (counts[level] > 0) first = false;
      add_indicator(indicators, wanted,
                    fmt::format("{}={}", column.name, column.names.levels[level]));
    }
    indicators_.push_back(std::move(indicators));
  }

  /// One more level of a set of indicators, with a column of its own if that is wanted.
  void add_indicator(IndicatorColumns& indicators, bool wanted, const std::string& name) {
    const auto level = static_cast<std::int32_t>(indicators.places.size());
    Affine scale;
    if (wanted && choices_.scale_indicators) {
      std::vector<double> values;
      values.reserve(indicators.codes.size());
      for (const std::int32_t code : indicators.codes) values.push_back(code == level ? 1 : 0);
      scale = fit_scaling(values, train_, choices_.scaling, name);
    }
    indicators.set.push_back(scale(1));
    indicators.places.push_back(wanted ? static_cast<std::int64_t>(add_column(name, scale, 0))
                                       : std::int64_t{-1});
  }

  void add_sparse() {
    check_size(raw_.sparse.columns);
    SparseColumns columns = columns_of(raw_.sparse);
    std::vector<double> values(static_cast<std::size_t>(raw_.rows), 0.0);
    for (std::size_t c = 0; c < columns.rows.size(); ++c) {
      for (std::size_t entry = 0; entry < columns.rows[c].size(); ++entry) {
        values[static_cast<std::size_t>(columns.rows[c][entry])] = columns.values[c][entry];
      }
      const std::string name = std::to_string(c + 1);
      const Affine scale = fit_numbers(values, name);
      const std::size_t place = add_column(name, scale, 0);
      result_.fitted.columns.push_back({.name = name, .scale = scale, .place = place});
      for (double& value : columns.values[c]) value = scale(value);
      check_squares(columns.values[c], name);
      for (const std::int64_t row : columns.rows[c]) values[static_cast<std::size_t>(row)] = 0;
    }
  }

  /// An indicator of the second of two groups, or of each of several.
  void add_group() {
    const std::size_t groups = raw_.group_names.size();
    IndicatorColumns indicators{raw_.group, {}, {}};
    for (std::size_t g = 0; g < groups; ++g) {
      add_indicator(indicators, groups != 2 || g == 1,
                    fmt::format("group={}", raw_.group_names[g]));
    }
    result_.fitted.group = {.name = "group",
                            .categorical = true,
                            .levels = raw_.group_names,
                            .places = indicators.places,
                            .set = indicators.set};
    indicators_.push_back(std::move(indicators));
  }

  /// Block by block, so that the rows that are written stay in the cache.
  void make_rows() {
    constexpr std::size_t block = 256;
    const auto rows = static_cast<std::size_t>(raw_.rows);
    std::vector<double>& features = result_.set.features;
    features.reserve(rows * unset_.size());
    for (std::size_t begin = 0; begin < rows; begin += block) {
      base::stop_point();
      const std::size_t end = std::min(begin + block, rows);
      for (std::size_t i = begin; i < end; ++i) {
        features.insert(features.end(), unset_.begin(), unset_.end());
      }
      write_numbers(begin, end);
      write_indicators(begin, end);
      if (raw_.columns.empty()) write_entries(begin, end);
    }
    if (choices_.unit_rows) scale_rows_to_unit(features, unset_.size());
  }

  void write_numbers(std::size_t begin, std::size_t end) {
    const std::size_t width = unset_.size();
    for (const NumberColumn& column : numbers_) {
      for (std::size_t i = begin; i < end; ++i) {
        result_.set.features[i * width + column.place] = column.values[i];
      }
    }
  }

  void write_indicators(std::size_t begin, std::size_t end) {
    const std::size_t width = unset_.size();
    for (const auto& [codes, places, set] : indicators_) {
      for (std::size_t i = begin; i < end; ++i) {
        if (codes[i] < 0) continue;
        const auto level = static_cast<std::size_t>(codes[i]);
        if (places[level] < 0) continue;
        result_.set.features[i * width + static_cast<std::size_t>(places[level])] = set[level];
      }
    }
  }

  void write_entries(std::size_t begin, std::size_t end) {
    const std::size_t width = unset_.size();
    for (std::size_t i = begin; i < end; ++i) {
      const auto indices = raw_.sparse.indices_of(static_cast<std::int64_t>(i));
      const auto values = raw_.sparse.values_of(static_cast<std::int64_t>(i));
      for (std::size_t entry = 0; entry < indices.size(); ++entry) {
        const auto column = static_cast<std::size_t>(indices[entry]);
        result_.set.features[i * width + column] = result_.scaling[column](values[entry]);
      }
    }
  }

  void copy_groups() {
    result_.set.group = raw_.group;
    result_.set.group_names = raw_.group_names;
    result_.set.attributes = raw_.attributes;
    result_.group_rules = raw_.group_rules;
  }

  void prepare_label() {
    result_.target = raw_.target;
    result_.class_names = raw_.class_names;
    std::vector<double> label = raw_.label;
    LabelTransform& transform = result_.label_transform;
    const bool scaled = choices_.label_scaling != FittedScaling::none;
    if (scaled && raw_.target != TargetKind::real) {
      throw base::InputError(fmt::format(
          "preparation.label_scaling is for real labels; this one is {}", name_of(raw_.target)));
    }
    transform.divisor = raw_.label_divisor;
    transform.log1p = !label.empty() && contains(choices_.log1p, raw_.label_name);
    if (transform.log1p) take_log1p(label, raw_.label_name);
    if (scaled)
      transform.scale = fit_scaling(label, train_, choices_.label_scaling, raw_.label_name);
    if (scaled && transform.scale.divisor == 0) {
      throw base::InputError(
          "preparation.label_scaling: the label is constant in the training rows");
    }
    for (double& value : label) value = transform.scale(value);
    check_squares(label, raw_.label_name);
    result_.set.label = std::move(label);
  }

  void set_parts() {
    if (!parts_) return;
    Dataset& set = result_.set;
    set.split.assign(static_cast<std::size_t>(raw_.rows), 0);
    for (const Part part : {Part::train, Part::validation, Part::test, Part::choice}) {
      if (part == Part::choice && result_.split.choice.empty()) continue;
      set.split_names.emplace_back(name_of(part));
      for (const std::int64_t row : result_.split.rows(part)) {
        set.split[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(part);
      }
    }
  }

  void warn() {
    std::vector<std::string>& warnings = result_.warnings;
    warnings = raw_.warnings;
    std::ranges::move(result_.split.warnings(), std::back_inserter(warnings));
    if (!unseen_.empty()) {
      warnings.push_back(fmt::format(
          "levels that the training rows do not hold set no indicator; cells by column: {}",
          listed(unseen_)));
    }
    if (!constant_.empty()) {
      warnings.push_back(
          fmt::format("constant in the training rows, and 0 now: {}", listed(constant_)));
    }
    warn_of_ranges();
  }

  /// Columns whose ranges in the training rows differ so much that a method without scaling of its
  /// own sees but one of them.
  void warn_of_ranges() {
    std::pair<double, std::string> least{std::numeric_limits<double>::infinity(), ""};
    std::pair<double, std::string> greatest{0, ""};
    for (const auto& range : ranges_) {
      if (range.first == 0) continue;
      least = std::min(least, range);
      greatest = std::max(greatest, range);
    }
    if (!(greatest.first > widest_ratio * least.first)) return;
    result_.warnings.push_back(fmt::format(
        "the columns are not scaled, and their ranges differ by a factor of {:.0f}: '{}' {:.4g}, "
        "'{}' {:.4g}; preparation.scaling = zscore or minmax scales them",
        greatest.first / least.first, greatest.second, greatest.first, least.second, least.first));
  }

  void finish() {
    Provenance& provenance = result_.set.provenance;
    provenance = raw_.provenance;
    const Split& split = result_.split;
    if (parts_) {
      provenance.recipe +=
          fmt::format("; {} training, {} validation, {} test rows", split.train.size(),
                      split.validation.size(), split.test.size());
      if (!split.choice.empty()) {
        provenance.recipe += fmt::format(", {} rows to certify a choice on", split.choice.size());
      }
    }
    if (choices_.scaling != FittedScaling::none) {
      provenance.recipe +=
          fmt::format("; numbers scaled by {}",
                      choices_.scaling == FittedScaling::zscore ? "zscore" : "minmax");
    }
    if (choices_.unit_rows) provenance.recipe += "; rows of norm 1";
    base::Sha256 hash;
    hash.add_text(digest_of(result_.set));
    hash.add_text(split.digest);
    hash.add_text(name_of(result_.target));
    for (const std::string& name : result_.set.feature_names) hash.add_text(name);
    for (const std::string& name : result_.class_names) hash.add_text(name);
    provenance.digest = hash.finish();
  }

  const RawTable& raw_;
  const std::vector<std::int64_t>& train_;
  Choices choices_;
  bool parts_;
  SupervisedSet result_;
  std::vector<NumberColumn> numbers_;
  std::vector<IndicatorColumns> indicators_;
  std::vector<double> unset_;                           ///< a row in which nothing is set
  std::vector<std::pair<double, std::string>> ranges_;  ///< of numeric columns that are not scaled
  std::vector<std::string> unseen_;
  std::vector<std::string> constant_;
};

}  // namespace

SupervisedSet prepare(const RawTable& raw, const Split& split, const PreparationOptions& options) {
  base::validate(options);
  return Preparer(raw, split, options, true).prepare();
}

SupervisedSet prepare_whole(const RawTable& raw, const PreparationOptions& options) {
  base::validate(options);
  Split all;
  all.train.resize(static_cast<std::size_t>(raw.rows));
  std::iota(all.train.begin(), all.train.end(), std::int64_t{0});
  return Preparer(raw, all, options, false).prepare();
}

}  // namespace fairfront::data
