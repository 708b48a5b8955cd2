#include "solvers/training/options.hpp"

#include <utility>

#include "base/error.hpp"

namespace fairfront::training {
namespace {

std::vector<std::pair<std::string, Sampling>> samplings() {
  return {{"shuffled", Sampling::shuffled}, {"replacement", Sampling::replacement}};
}

}  // namespace

void add_delta(base::OptionTable& table, double& delta) {
  table.add(
      "delta", delta, base::at_least(0.0), "loss or share",
      "Every difference of mean losses in training.fairness, or of rates in training.rate, or what "
      "else training.bound_of names, is bounded by this.");
  table.assign_role(base::Role::trade_off, {"delta"});
}

void add_batches(base::OptionTable& table, std::int64_t& batch, std::int64_t& group_batch) {
  constexpr std::int64_t most = 1'000'000;
  table.add("batch", batch, base::between<std::int64_t>(1, most), "rows",
            "An estimate of the objective takes this many rows.");
  table.add(
      "group_batch", group_batch, base::between<std::int64_t>(1, most), "rows",
      "An estimate of the constraints takes this many rows of each group (or group and label).");
}

void add_sampling(base::OptionTable& table, Sampling& sampling) {
  table.add_choice<Sampling>("sampling", sampling, samplings(),
                             "With shuffled, rows come in epochs without replacement; with "
                             "replacement, they are drawn independently.");
}

void add_sampling(base::OptionTable& table, Sampling& sampling, Sampling& of_groups) {
  add_sampling(table, sampling);
  table.add_choice<Sampling>(
      "group_sampling", of_groups, samplings(),
      "With shuffled, the rows of each group (or group and label) come in epochs without "
      "replacement; with replacement, they are drawn independently. Every group has epochs of its "
      "own, so that one with fewer rows than group_batch gives some of them again.");
}

void add_rules(base::OptionTable& table, Rules& rules, std::string meaning) {
  table.add_choice<Rules>("rules", rules, {{"paper", Rules::paper}, {"authors", Rules::authors}},
                          std::move(meaning));
}

std::vector<double> unpack_values(solvers::Unpacker& unpacker, std::size_t size) {
  auto values = unpacker.array<std::vector<double>>();
  if (values.size() != size) throw base::CheckpointError("a checkpoint has other constraints");
  return values;
}

}  // namespace fairfront::training
