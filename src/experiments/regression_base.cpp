#include "experiments/regression_base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/condition.hpp"
#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/catalogue/catalogue.hpp"
#include "data/column_fit.hpp"
#include "data/load_raw.hpp"
#include "data/small_groups.hpp"
#include "experiments/regression_shared.hpp"
#include "models/least_squares.hpp"
#include "models/logistic.hpp"
#include "models/supervised.hpp"

namespace fairfront::experiments {
namespace {

using base::at;
using data::RawTable;
using data::SupervisedSet;

bool are_columns(const BaseOptions& options) { return !options.eta.empty(); }

bool is_generated(const std::string& name) {
  return std::ranges::any_of(data::catalogue(), [&](const data::CatalogueEntry& entry) {
    return entry.name == name && entry.generate;
  });
}

data::SupervisedOptions data_options(const sweep::Task& task, const BaseOptions& base) {
  auto options = sweep::read_section<data::SupervisedOptions>(task, "data");
  if (options.target == data::TargetChoice::automatic) options.target = data::TargetChoice::real;
  require(options.target == data::TargetChoice::real,
          "data.target must be real: the experiment is about regression");
  if (!are_columns(base)) {
    require(base.tau.empty(), "base.tau names columns, so base.eta must name one, too");
    return options;
  }
  require(!base.tau.empty(), "base.eta names a column, so base.tau must name one for each group");
  require(options.features.empty(),
          "data.features must be empty where base.eta and base.tau name the predictions");
  if (!is_generated(options.data)) {
    options.features = prediction_columns(base);
    options.categorical.clear();
  }
  return options;
}

const std::vector<double>& numbers_of(const RawTable& raw, const std::string& name) {
  std::vector<std::string> names;
  for (const data::RawColumn& column : raw.columns) {
    names.push_back(column.name);
    if (column.name != name) continue;
    const auto finite = [](double value) { return std::isfinite(value); };
    if (column.categorical || !std::ranges::all_of(column.numbers, finite)) {
      throw base::InputError(
          fmt::format("column '{}' of predictions must hold a number in every row", name));
    }
    return column.numbers;
  }
  throw base::InputError(fmt::format("[base] names '{}', which is no column of the data set{}",
                                     name, base::name_hint(name, names)));
}

void read_predictions(BasePredictions& base, const RawTable& raw) {
  const BaseOptions& options = base.options;
  const std::size_t groups = base.group_names.size();
  if (options.tau.size() != groups) {
    throw base::InputError(fmt::format("base.tau names {} columns, must name {}, for {}",
                                       options.tau.size(), groups,
                                       base::join(base.group_names, ", ")));
  }
  base.eta = numbers_of(raw, options.eta);
  data::check_squares(base.eta, options.eta);
  base.tau.resize(base.eta.size() * groups);
  for (std::size_t s = 0; s < groups; ++s) {
    const std::vector<double>& column = numbers_of(raw, options.tau[s]);
    for (std::size_t i = 0; i < column.size(); ++i) base.tau[i * groups + s] = column[i];
  }
  const std::size_t wrong = first_without_probabilities(base.tau, groups);
  if (wrong == base.eta.size()) return;
  throw base::InputError(fmt::format(
      "base.tau: row {} holds no probabilities of the groups: they must be >= 0 with sum 1",
      wrong + 1));
}

/// @return the largest component of the gradient.
double fit_groups(BasePredictions& base, const models::Supervised& train) {
  const auto rows = static_cast<double>(train.part.size());
  const double c = base.options.inverse_penalty;
  const models::LogisticOptions fit{.l2 = c > 0 ? 1 / (rows * c) : 0,
                                    .tolerance = base.options.tolerance};
  for (std::size_t g = 0; g < base.group_names.size(); ++g) {
    if (!train.of_group[g].empty()) continue;
    data::refuse_groups_of_numbers(base.group_names);
    throw base::InputError(
        fmt::format("there is no training row of group '{}': join it with another by "
                    "data.group_map, leave it out by data.where, or let every part have rows of "
                    "every group by split.stratify = group",
                    base.group_names[g]));
  }
  optimise::MinimiseResult found;
  if (base.groups() == 2) {
    std::vector<double> signs(base.group.size());
    for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = base.group[i] == 1 ? 1 : -1;
    found = models::fit_logistic(train.rows(), signs, fit);
  } else {
    found = models::fit_multinomial(train.rows(), base.group, base.groups(), fit);
  }
  if (!found.converged()) {
    base.warnings.push_back(fmt::format(
        "the logistic fit of the groups ended at a gradient of {:.1e}, above base.tolerance",
        found.gradient_norm));
  }
  base.group_evaluations = found.evaluations * std::ssize(train.part);
  base.models.tau = std::move(found.weights);
  return found.gradient_norm;
}

/// Whether in every training row exactly one of the features is set that stand for these levels.
bool sets_one_level(const data::SupervisedSet& set, const data::FittedColumn& column) {
  const auto& places = column.places;
  if (places.empty() || std::ranges::count(places, std::int64_t{-1}) > 0) return false;
  const std::vector<double>& unset = set.fitted.unset;
  return std::ranges::all_of(set.split.train, [&](std::int64_t row) {
    const auto features = set.set.row(row);
    return std::ranges::count_if(places, [&](std::int64_t place) {
             const auto at = static_cast<std::size_t>(place);
             return features[at] != unset[at];
           }) == 1;
  });
}

/// Columns of names of which every level has an indicator: beside an intercept one of them says
/// nothing, and nobody need be told.
std::int64_t full_columns_of_names(const data::SupervisedSet& set) {
  if (set.fitted.unit_rows) return 0;
  std::int64_t full = std::ranges::count_if(set.fitted.columns, [&](const auto& column) {
    return column.categorical && sets_one_level(set, column);
  });
  if (set.fitted.uses_group && sets_one_level(set, set.fitted.group)) ++full;
  return full;
}

/// @return the largest component of the gradient.
double fit_target(BasePredictions& base, const models::Supervised& train) {
  const BaseOptions& options = base.options;
  auto found = models::fit_least_squares(
      train.rows(), train.labels,
      {.l2 = options.ridge,
       .rank_tolerance = options.rank_tolerance,
       .deficient_ridge = options.ridge > 0 ? 0 : options.deficient_ridge});
  const std::int64_t wanted = base.models.columns + 1;
  if (found.rank < wanted && options.ridge == 0 &&
      found.rank < wanted - full_columns_of_names(*base.set)) {
    base.warnings.push_back(fmt::format(
        "the design of least squares has rank {} of {}: of all best weights those of least norm "
        "are taken, in units of the columns' deviations{}; base.ridge > 0 is steadier where "
        "columns are nearly dependent",
        found.rank, wanted,
        options.deficient_ridge > 0 ? ", up to the small ridge base.deficient_ridge" : ""));
  }
  base.target_evaluations = std::ssize(train.part);  // its factors take one look at a row
  base.models.eta = std::move(found.weights);
  return found.gradient_norm;
}

void fit_models(BasePredictions& base) {
  const data::Dataset& set = base.set->set;
  const models::Supervised train =
      models::supervised(set, base.set->split.train, models::LabelKind::real);
  base.models.columns = set.columns;
  base.models.groups = base.groups();
  solvers::Recorder recorder({"base_fits"}, {1, 2});
  recorder.record(1, {fit_target(base, train)});
  recorder.record(2, {fit_groups(base, train)});
  base.fits = std::move(recorder).take();
  base.eta.resize(at(set.rows));
  base.tau.resize(base.eta.size() * base.group_names.size());
  base.models.predict(set.features, base.eta, base.tau);
}

std::string digest_with(const std::string& digest, const BaseOptions& options) {
  BaseOptions copy = options;
  const base::OptionTable table = options_of(copy);
  std::string text = digest;
  for (const base::OptionInfo& info : table.infos()) text += '\n' + table.get(info.name);
  return base::sha256_of(text);
}

/// What else than the section [data] decides about the table.
std::string key_of_table(const BaseOptions& options) {
  return fmt::format("{}\n{}", options.eta, base::join(options.tau, "\n"));
}

std::shared_ptr<const RawTable> table_of(const sweep::Task& task, const sweep::RunContext& context,
                                         const BaseOptions& options) {
  return load_table(task, context, data_options(task, options), key_of_table(options));
}

/// What base models are fitted to, through the cache.
std::shared_ptr<const SupervisedSet> prepared(const sweep::Task& task,
                                              const sweep::RunContext& context,
                                              const BaseOptions& options) {
  return load_labelled_set(task, context, data_options(task, options), Learning::otherwise,
                           key_of_table(options));
}

BasePredictions predict(const sweep::Task& task, const sweep::RunContext& context) {
  const auto options = sweep::read_section<BaseOptions>(task, "base");
  require(options.inverse_penalty == 0 || options.inverse_penalty >= 1e-12,
          "base.inverse_penalty must be 0, for no penalty, or >= 1e-12");
  const auto table = table_of(task, context, options);
  const RawTable& raw = *table;
  BasePredictions base;
  base.options = options;
  base.group = raw.group;
  base.group_names = raw.group_names;
  base.group_rules = raw.group_rules;
  base.unit.divisor = raw.label_divisor;
  data::require_two_groups(raw.provenance, raw.attributes, base.groups());
  require(raw.target == data::TargetKind::real, "data.label must name a real target");
  if (are_columns(options)) {
    base.split = data::split_of(raw, sweep::read_section<data::SplitOptions>(task, "split"));
    base.label = raw.label;
    data::check_squares(base.label, raw.label_name);
    base.provenance = raw.provenance;
    base.provenance.digest = base::sha256_of(raw.provenance.digest + "\n" + base.split.digest);
    base.warnings = raw.warnings;
    std::ranges::move(base.split.warnings(), std::back_inserter(base.warnings));
    read_predictions(base, raw);
  } else {
    base.set = prepared(task, context, options);
    base.split = base.set->split;
    base.label = base.set->set.label;
    base.unit.scale = base.set->label_transform.scale;
    base.unit.log1p = base.set->label_transform.log1p;
    base.provenance = base.set->set.provenance;
    base.warnings = base.set->warnings;
    fit_models(base);
  }
  base.provenance.digest = digest_with(base.provenance.digest, options);
  return base;
}

/// Beside the set.
std::size_t bytes_of_base(const BasePredictions& base) {
  return (base.label.size() + base.eta.size() + base.tau.size()) * sizeof(double) +
         base.group.size() * (sizeof(std::int32_t) + sizeof(std::int64_t));
}

}  // namespace

std::int64_t BasePredictions::evaluations_of_target(std::int64_t rows) const {
  return set ? target_evaluations + rows : 0;
}

std::int64_t BasePredictions::evaluations_of_both(std::int64_t rows) const {
  return set ? evaluations_of_target(rows) + group_evaluations + rows : 0;
}

void require(bool holds, std::string_view rule) {
  if (!holds) throw base::InputError(std::string{rule});
}

std::vector<std::string> prediction_columns(const BaseOptions& options) {
  if (!are_columns(options)) return {};
  std::vector<std::string> names{options.eta};
  std::ranges::copy(options.tau, std::back_inserter(names));
  return names;
}

std::size_t first_without_probabilities(std::span<const double> tau, std::size_t groups) {
  constexpr double rounding = 1e-6;  // of probabilities with seven digits
  const std::size_t rows = tau.size() / groups;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = tau.subspan(i * groups, groups);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(std::abs(sum - 1) <= rounding && std::ranges::min(row) >= 0)) return i;
  }
  return rows;
}

base::OptionTable options_of(BaseOptions& options) {
  base::OptionTable table("base");
  table.add("eta", options.eta,
            "This column holds predictions of the target, by any model; where it is empty, the "
            "base model is least squares with intercept, fitted on the training part.");
  table.add(
      "tau", options.tau,
      "These columns hold probabilities of the groups, in the order of the groups; where there are "
      "none, they are those of a logistic regression, fitted on the training part.");
  table.add("ridge", options.ridge, base::between(0.0, 1e12), "",
            "Half of it times the squared weights is added to half of the mean squared error of "
            "least squares. With 0 there is no penalty but deficient_ridge.");
  table.add("rank_tolerance", options.rank_tolerance, base::between(1e-15, 0.1), "",
            "Pivots of the scaled design below this share of the largest one count as 0.");
  table.add("deficient_ridge", options.deficient_ridge, base::between(0.0, 1e-3), "",
            "This penalty is taken where the design is deficient in rank and ridge = 0, on columns "
            "of unit deviation, as a share of the square of their largest singular value. As it "
            "vanishes, the weights tend to those of least norm, linearly; 0 takes these "
            "themselves. A deficient design is warned of either way.");
  table.add("inverse_penalty", options.inverse_penalty, base::between(0.0, 1e12), "",
            "The penalty of the logistic regression is half of the squared weights over this "
            "number, beside the sum of the losses; with 0 there is none.");
  table.add("tolerance", options.tolerance, base::between(1e-14, 0.1), "",
            "The logistic fit ends when no component of the gradient of the mean loss is larger "
            "than this.");
  table.only_if({"ridge", "rank_tolerance", "deficient_ridge", "inverse_penalty", "tolerance",
                 "preparation.*"},
                base::empty("eta"), "base.eta names predictions, so nothing is fitted");
  return table;
}

sweep::PreparedRows base_rows(const sweep::Task& task, const sweep::RunContext& context) {
  const auto options = sweep::read_section<BaseOptions>(task, "base");
  if (are_columns(options)) {
    return rows_of_predictions(*table_of(task, context, options), task, true);
  }
  return prepared(task, context, options);
}

std::shared_ptr<const BasePredictions> base_predictions(const sweep::Task& task,
                                                        const sweep::RunContext& context) {
  const std::string key = cache_key("base predictions of regression", task,
                                    {"data", "split", "preparation", "base"}, context);
  const auto make = [&] {
    auto base = std::make_shared<const BasePredictions>(predict(task, context));
    const std::size_t bytes = bytes_of_base(*base);
    return sweep::Made<BasePredictions>{std::move(base), bytes};
  };
  const auto take = [&](base::PageReader& pages) {
    auto base = std::make_shared<BasePredictions>();
    base->options = sweep::read_section<BaseOptions>(task, "base");
    pages(*base);
    if (!are_columns(base->options)) base->set = prepared(task, context, base->options);
    const std::size_t bytes = bytes_of_base(*base);
    return sweep::Made<BasePredictions>{std::move(base), bytes};
  };
  return context.cache->get<BasePredictions>(
      key, make, {[](base::PageWriter& pages, const BasePredictions& base) { pages(base); }, take});
}

}  // namespace fairfront::experiments
