#include "experiments/clustering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "data/shared_fields.hpp"
#include "data/small_groups.hpp"
#include "experiments/clustering_proofs.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/supervised_sections.hpp"
#include "models/fitted_model.hpp"
#include "solvers/clustering/clustering.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using base::Quantity;
using clustering::BalanceOf;
using clustering::Problem;

/// @throws base::InputError  balances of two attributes are wanted, and there are not two.
void check_attributes(const data::Dataset& dataset, BalanceOf balance_of) {
  if (balance_of == BalanceOf::groups || dataset.attributes.size() == 2) return;
  std::vector<std::string> names;
  for (const data::Attribute& attribute : dataset.attributes) names.push_back(attribute.name);
  throw base::InputError(fmt::format(
      "clustering3 needs two sensitive attributes, and '{}' has {} ({}): name two columns, such as "
      "sensitive = sex, race in [data]",
      dataset.provenance.name, names.size(), base::join(names, ", ")));
}

/// The levels of an attribute as groups of their own.
data::Dataset levels_as_groups(const data::Dataset& dataset, const data::Attribute& attribute) {
  data::Dataset levels;
  levels.rows = dataset.rows;
  levels.group = attribute.code;
  levels.group_names = attribute.levels;
  levels.provenance.name = fmt::format("{}, {}", dataset.provenance.name, attribute.name);
  return levels;
}

/// A group, or level, with fewer members than clusters leaves one without it: the balance is 0.
std::vector<std::string> small_groups_warnings(const data::Dataset& dataset,
                                               const Problem& problem) {
  std::vector<std::string> warnings;
  const auto check = [&](const data::Dataset& groups) {
    if (auto warning = data::small_groups_warning(groups, problem.clusters())) {
      warnings.push_back(*std::move(warning));
    }
  };
  if (problem.attributes().are_groups()) {
    check(dataset);
  } else {
    for (const auto& attribute : dataset.attributes) check(levels_as_groups(dataset, attribute));
  }
  return warnings;
}

Loaded<Problem> load_problem(const sweep::Task& task, const sweep::RunContext& context,
                             BalanceOf balance_of) {
  const auto prepared = load_whole_set(task, context);
  const data::Dataset* const dataset = &prepared->set;
  data::require_two_groups(dataset->provenance, dataset->attributes, dataset->num_groups());
  check_attributes(*dataset, balance_of);
  const auto options = sweep::read_section<ClusteringOptions>(task, "clustering");
  Loaded<Problem> loaded{{*dataset, options.clusters, balance_of}, dataset->provenance, {}, {}, 0};
  loaded.data.fitted =
      models::text_of({prepared->fitted, dataset->group_names, {}, prepared->group_rules});
  loaded.text = loaded.problem.describe();
  loaded.warnings = prepared->warnings;
  std::ranges::copy(small_groups_warnings(*dataset, loaded.problem),
                    std::back_inserter(loaded.warnings));
  std::ranges::copy(loaded.problem.warnings(), std::back_inserter(loaded.warnings));
  loaded.bytes = static_cast<std::size_t>(clustering::problem_bytes(loaded.problem));
  return loaded;
}

void lay_down_problem(base::PageWriter& pages, const Loaded<Problem>& loaded) {
  loaded.problem.lay_down(pages);
  pages(loaded.data, loaded.text, loaded.warnings, loaded.bytes);
}

Loaded<Problem> take_problem(const sweep::Task& task, const sweep::RunContext& context,
                             BalanceOf balance_of, base::PageReader& pages) {
  const auto prepared = load_whole_set(task, context);
  const auto options = sweep::read_section<ClusteringOptions>(task, "clustering");
  Loaded<Problem> loaded{{prepared->set, options.clusters, balance_of, pages}, {}, {}, {}, 0};
  pages(loaded.data, loaded.text, loaded.warnings, loaded.bytes);
  return loaded;
}

/// The texts of one balance: of the groups, or of the levels of an attribute.
struct BalanceTexts {
  std::string suffix;  ///< of the names of metrics, see result_of in clustering_methods.cpp
  std::string symbol;
  std::string over;
  std::string objective;
  std::string definition;  ///< of the objective
};

/// What depends on whose balances are objectives.
struct Variant {
  std::string name;
  std::string title;
  BalanceOf balance_of;
  std::vector<BalanceTexts> balances;
  std::string volume;
  std::string volume_unit;
  std::string bounds;
  ClusteringMethods (*methods)(const std::string& volume_unit);
};

Variant of_groups() {
  return {"clustering",
          "fair k-means: clustering cost against balance",
          BalanceOf::groups,
          {{"", "f2", "", "balance", "f2 = min_k min_j n_kj / max_j n_kj"}},
          "area",
          "squared distance * ratio",
          "balance bound",
          clustering_methods};
}

Variant of_two_attributes() {
  std::vector<BalanceTexts> balances;
  for (const auto& [suffix, which] : {std::pair{"_1", "first"}, std::pair{"_2", "second"}}) {
    const std::string over = fmt::format(" over the levels j of the {} attribute", which);
    const std::string symbol = fmt::format("balance by the {} attribute", which);
    balances.push_back({suffix, symbol, over, symbol, "min_k min_j n_kj / max_j n_kj" + over});
  }
  return {"clustering3",
          "fair k-means: clustering cost against the balances of two attributes",
          BalanceOf::attributes,
          std::move(balances),
          "volume",
          "squared distance * ratio * ratio",
          "both balance bounds",
          many_balance_methods};
}

std::vector<Quantity> objectives_of(const Variant& variant) {
  std::vector<Quantity> objectives{{"clustering cost",
                                    "f1 = (1/N) sum_p |x_p - m_{s_p}|^2, exact centroids",
                                    "squared distance", Direction::minimise, clustering_paper}};
  for (const BalanceTexts& text : variant.balances) {
    objectives.push_back(
        {text.objective, text.definition, "ratio", Direction::maximise, clustering_paper});
  }
  return objectives;
}

sweep::Columns columns_of(const Variant& variant) {
  sweep::Columns columns;
  columns.metrics = {{"front_size", "strictly nondominated clusterings", "", Direction::maximise,
                      clustering_paper},
                     {"least_cost", "smallest f1 of the front", "squared distance",
                      Direction::minimise, clustering_paper}};
  for (const BalanceTexts& text : variant.balances) {
    columns.metrics.push_back({"greatest_balance" + text.suffix,
                               fmt::format("largest {} of the front", text.symbol), "ratio",
                               Direction::maximise, clustering_paper});
    columns.metrics.push_back(
        {"balance_bound" + text.suffix,
         fmt::format("min_j N_j / max_j N_j{}: no clustering has a greater {}", text.over,
                     text.symbol),
         "ratio", Direction::none, clustering_paper});
  }
  columns.metrics.push_back(
      {"hypervolume", fmt::format("{} dominated up to (total variance, balance 0)", variant.volume),
       variant.volume_unit, Direction::maximise, "Zitzler and Thiele (1998)"});
  columns.metrics.push_back({"hypervolume_share",
                             fmt::format("hypervolume / (total variance * {})", variant.bounds),
                             "share", Direction::maximise, ""});
  add_evaluations_column(columns);
  columns.solutions = {{"labels", "cluster of every row of the prepared data set, 0 .. K-1", "",
                        Direction::none, clustering_paper},
                       {"centres", "mean of each cluster's members, shape (K, d), row-major", "",
                        Direction::none, clustering_paper}};
  return columns;
}

}  // namespace

base::OptionTable options_of(ClusteringOptions& options) {
  base::OptionTable table("clustering");
  table.add("clusters", options.clusters, base::between<std::int64_t>(2, 65536), "clusters",
            "There are K clusters, none of them empty.");
  table.only_if({"data.split"}, base::never(), "the rows of this experiment have no parts");
  return table;
}

Family<Problem> clustering_family(std::int64_t objectives) {
  const Variant variant = objectives == 2 ? of_groups() : of_two_attributes();
  return {
      .name = variant.name,
      .title = variant.title,
      .shared = whole_set_sections("the table: groups, features",
                                   {config::make_section<ClusteringOptions>(
                                       {.name = "clustering", .title = "what all methods share"})}),
      .objectives = objectives_of(variant),
      .columns = columns_of(variant),
      .front_solutions = "labels",
      .load = [balance_of = variant.balance_of](
                  const auto& task,
                  const auto& context) { return load_problem(task, context, balance_of); },
      .lay_down = lay_down_problem,
      .take = [balance_of = variant.balance_of](
                  const auto& task, const auto& context,
                  auto& pages) { return take_problem(task, context, balance_of, pages); },
      .rows = [](const auto& task, const auto& context) { return load_whole_set(task, context); },
      .methods = variant.methods(variant.volume_unit),
      .prove = clustering_claims};
}

}  // namespace fairfront::experiments
