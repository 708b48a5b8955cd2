#include "experiments/alternating_problems.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "data/dataset_rows.hpp"
#include "data/small_groups.hpp"
#include "data/split.hpp"
#include "experiments/load.hpp"
#include "models/fitted_model.hpp"

namespace fairfront::experiments {
namespace {

using alternating::AnyProblem;
using alternating::DataProblem;

data::Provenance provenance_of(const std::string& name, const AnyProblem& problem,
                               std::int64_t objectives) {
  const auto& entry = alternating::test_problem(name);
  const auto variables = view_of(problem).box().variables();
  data::Provenance provenance;
  provenance.name = name;
  provenance.source = entry.source;
  provenance.recipe = fmt::format("{}; n = {}, m = {}", entry.title, variables, objectives);
  const std::string revision =
      entry.revision == 1 ? "" : fmt::format(" revision={}", entry.revision);
  provenance.digest =
      base::sha256_of(fmt::format("{} n={} m={}{}", name, variables, objectives, revision));
  return provenance;
}

/// Of a set without parts the training rows are all there are, and are not copied.
std::shared_ptr<const data::Dataset> rows_of_part(
    const std::shared_ptr<const data::SupervisedSet>& prepared, data::Part part) {
  const auto rows = prepared->rows(part);
  if (std::ssize(rows) == prepared->set.rows) return {prepared, &prepared->set};
  auto some = std::make_shared<data::Dataset>(prepared->set);
  data::keep_rows(*some, rows);
  return some;
}

/// @throws base::InputError  they have one label, and the objectives need both.
void require_two_labels(const data::Dataset& rows, std::string_view part) {
  if (rows.label.empty()) return;  // which is told of the training rows
  const auto [least, most] = std::ranges::minmax(rows.label);
  if (least < most) return;
  throw base::InputError(fmt::format(
      "the {} rows of the {} part have one label, and the objectives there need both: {}",
      rows.rows, part, data::small_group_remedy));
}

/// The objectives on the training rows, and on the test rows.
struct DataProblems {
  DataProblem learnt;
  std::optional<DataProblem> tested;
  std::vector<double> reference;
};

/// Made once for all tasks of the same rows and objectives.
std::shared_ptr<const DataProblems> problems_on(
    const std::shared_ptr<const data::SupervisedSet>& prepared, const sweep::Task& task,
    const sweep::RunContext& context) {
  const std::string key =
      cache_key("data problem", task, {"data", "split", "preparation", "model"}, context);
  return context.cache->get<DataProblems>(key, [&] {
    const auto options = sweep::read_section<alternating::DataProblemOptions>(task, "model");
    const auto learnt_from = rows_of_part(prepared, data::Part::train);
    auto made = std::make_shared<DataProblems>(DataProblems{{learnt_from, options}, {}, {}});
    if (!prepared->split.test.empty()) {
      const auto tested = rows_of_part(prepared, data::Part::test);
      require_two_labels(*tested, data::name_of(data::Part::test));
      made->tested.emplace(tested, options);
    }
    const std::vector<double> zero(made->learnt.box().lower().size(), 0.0);
    made->reference = {made->learnt.value(0, zero), 1.0};
    const bool copies = std::ssize(prepared->split.train) != prepared->set.rows;
    const std::size_t bytes = (copies ? bytes_of(prepared->set) : 0) +
                              static_cast<std::size_t>(prepared->set.rows) * 2 * sizeof(double);
    return sweep::Made<DataProblems>{std::move(made), bytes};
  });
}

Loaded<AlternatingProblem> load_data_problem(const sweep::Task& task,
                                             const sweep::RunContext& context,
                                             AlternatingOptions options, std::int64_t objectives) {
  if (objectives != 2) {
    throw base::InputError("alternating.problem: problem 'data' has 2 objectives");
  }
  if (options.variables != 0) {
    throw base::InputError("alternating.variables: the data set decides for problem 'data'");
  }
  const auto prepared = load_optional_parts(task, context, Learning::by_steps);
  const data::Dataset& dataset = prepared->set;
  data::require_two_groups(dataset.provenance, dataset.attributes, dataset.num_groups());
  const auto problems = problems_on(prepared, task, context);
  // The rows themselves belong to `problems` and `prepared`.
  const std::size_t bytes = static_cast<std::size_t>(dataset.rows) * 2 * sizeof(double);
  Loaded<AlternatingProblem> loaded{{std::move(options), problems->learnt, pareto::Points(2),
                                     problems->reference, prepared, problems->tested},
                                    dataset.provenance,
                                    {},
                                    prepared->warnings,
                                    bytes};
  loaded.data.fitted =
      models::text_of({prepared->fitted, dataset.group_names, {}, prepared->group_rules});
  if (dataset.split.empty()) {  // of parts the table has said so
    for (const auto& few : {data::small_groups_warning(dataset), data::rare_label_warning(dataset)})
      if (few) loaded.warnings.push_back(*few);
  }
  return loaded;
}

Loaded<AlternatingProblem> load_test_problem(AlternatingOptions options, std::int64_t objectives) {
  const auto& entry = alternating::test_problem(options.problem);
  AnyProblem problem = alternating::make_problem(entry, options.variables, objectives);
  pareto::Points front =
      alternating::analytic_front(problem, objectives == 2 ? curve_samples : surface_samples);
  std::vector<double> reference = alternating::reference_point(entry, problem);
  data::Provenance provenance = provenance_of(entry.name, problem, objectives);
  const std::size_t bytes = front.values().size() * 2 * sizeof(double);
  return {{std::move(options), std::move(problem), std::move(front), std::move(reference)},
          std::move(provenance),
          {},
          {},
          bytes};
}

}  // namespace

Loaded<AlternatingProblem> load_problem(const sweep::Task& task, const sweep::RunContext& context,
                                        std::int64_t objectives) {
  auto options = sweep::read_section<AlternatingOptions>(task, "alternating");
  const std::string name = options.problem;
  auto loaded = name == "data" ? load_data_problem(task, context, std::move(options), objectives)
                               : load_test_problem(std::move(options), objectives);
  loaded.text = fmt::format("{}, n = {}, m = {}", name, loaded.problem.variables(), objectives);
  return loaded;
}

}  // namespace fairfront::experiments
