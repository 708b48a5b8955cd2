#include "solvers/training/switching_subgradient.hpp"

#include <algorithm>
#include <cmath>

#include "base/condition.hpp"
#include "base/error.hpp"

namespace fairfront::training {

base::OptionTable options_of(SwitchingOptions& options) {
  base::OptionTable table("switching_subgradient");
  add_delta(table, options.delta);
  table.add("objective_step", options.objective_step, base::above(0.0), "",
            "A step on the objective is this long, the paper's eta_f.");
  table.add("constraint_step", options.constraint_step, base::above(0.0), "",
            "A step on the largest constraint is this long, the paper's eta_c.");
  table.add("violation", options.tolerance, base::at_least(0.0), "loss",
            "An estimate of a constraint that is larger than this makes a step on it; it is the "
            "paper's eps_k.");
  table.add(
      "violation_decay", options.tolerance_decay, base::between(0.0, 1.0), "",
      "In every iteration of an epoch from decay_from on, `violation` is multiplied by this.");
  table.add(
      "decay_from", options.decay_from, base::at_least<std::int64_t>(0), "iterations",
      "From the iteration of an epoch that has this number on, `violation` decays; an epoch has as "
      "many iterations as the training part has batches, and where they are no more than this "
      "nothing decays.");
  add_batches(table, options.batch, options.group_batch);
  table.add_choice<Output>("output", options.output,
                           {{"random", Output::random}, {"last", Output::last}},
                           "The result is an iterate drawn with its step as weight, or the last.");
  table.add("burn_in", options.burn_in, base::between(0.0, 1.0), "share",
            "The first iterate to draw from comes after this share of the budget (or iterations), "
            "the paper's k_0.");
  add_sampling(table, options.sampling, options.group_sampling);
  add_rules(table, options.rules,
            "With paper, the method follows the paper; with authors, their program, where the "
            "iterate is drawn with eta_f as weight after steps on constraints, too, and eps_k "
            "decays one iteration later.");
  table.only_if({"violation_decay", "decay_from"}, base::above("violation", 0),
                "violation = {} has nothing to decay");
  table.only_if({"burn_in"}, base::is("output", {"random"}), "output = {} draws no iterate");
  table.only_if(
      {"decay_from"},
      base::where(
          {"violation_decay"}, [](auto values) { return values[0] != "1"; }, "{} is not 1"),
      "violation_decay = {} leaves it as it is");
  table.formerly("violation", "tolerance").formerly("violation_decay", "tolerance_decay");
  table.assign_role(base::Role::tuning,
                    {"objective_step", "constraint_step", "violation", "violation_decay"});
  return table;
}

SwitchingSubgradient::SwitchingSubgradient(const Problem& problem, const SwitchingOptions& options,
                                           const Address& address)
    : options_{options},
      epoch_{options.epoch(problem.train.size())},
      output_key_{address.key("output")},
      xi_{problem.train.rows, address.key("objective"), options.sampling},
      zeta_1_{problem, address, "zeta_1", options.group_sampling},
      zeta_2_{problem, address, "zeta_2", options.group_sampling},
      pass_{problem},
      gaps_{problem},
      gradient_(problem.parameters()),
      of_gaps_(static_cast<std::size_t>(problem.constraints.gaps())),
      tolerance_{options.tolerance} {
  base::validate(options);
}

double SwitchingSubgradient::mean_cost() const {
  return 1.5 * static_cast<double>(group_cost()) + 0.5 * static_cast<double>(options_.batch);
}

void SwitchingSubgradient::update_tolerance(std::int64_t iteration) {
  const std::int64_t k = iteration % epoch_;
  if (k == 0) tolerance_ = options_.tolerance;
  if (k >= options_.first_decay()) tolerance_ *= options_.tolerance_decay;
}

/// One place for a sample of which every iterate is the one with probability weight / total.
void SwitchingSubgradient::offer(std::span<const double> w, double weight, std::int64_t iteration) {
  total_weight_ += weight;
  base::Stream stream(output_key_, static_cast<std::uint64_t>(iteration));
  if (stream.uniform() * total_weight_ < weight) chosen_.assign(w.begin(), w.end());
}

bool SwitchingSubgradient::objective_gradient(std::span<const double> w, Allowance& allowance) {
  if (!allowance.spend(options_.batch)) return false;
  rows_.clear();
  xi_.append(options_.batch, rows_);
  pass_.forward(w, rows_);
  factors_.assign(rows_.size(), 1 / static_cast<double>(options_.batch));
  pass_.backward(w, factors_, gradient_);
  return true;
}

bool SwitchingSubgradient::constraint_gradient(std::span<const double> w, Allowance& allowance) {
  if (!allowance.spend(group_cost())) return false;
  rows_.clear();
  zeta_2_.append(options_.group_batch, rows_);
  pass_.forward(w, rows_);
  const auto gaps = gaps_(pass_.cell_values());
  const auto largest = std::ranges::max_element(gaps, {}, [](double gap) { return std::abs(gap); });
  const auto i = static_cast<std::size_t>(largest - gaps.begin());
  std::ranges::fill(of_gaps_, 0.0);
  of_gaps_[i] = gaps[i] < 0 ? -1 : 1;
  factors_.resize(rows_.size());
  gaps_.factors(of_gaps_, factors_);
  pass_.backward(w, factors_, gradient_, 0);
  return true;
}

bool SwitchingSubgradient::step(std::span<double> w, Allowance& allowance) {
  if (!allowance.spend(group_cost())) return false;
  update_tolerance(allowance.iterations());
  rows_.clear();
  zeta_1_.append(options_.group_batch, rows_);
  pass_.forward(w, rows_);
  const double excess = largest_size(gaps_(pass_.cell_values())) - options_.delta;
  const bool feasible = excess <= tolerance_;
  std::ranges::fill(gradient_, 0.0);
  if (!(feasible ? objective_gradient(w, allowance) : constraint_gradient(w, allowance))) {
    return false;
  }
  const double eta = feasible ? options_.objective_step : options_.constraint_step;
  if (options_.output == Output::random && allowance.fraction() >= options_.burn_in) {
    offer(w, options_.rules == Rules::authors ? options_.objective_step : eta,
          allowance.iterations());
  }
  for (std::size_t j = 0; j < w.size(); ++j) w[j] -= eta * gradient_[j];
  return true;
}

void SwitchingSubgradient::finish(std::span<double> w) {
  if (!chosen_.empty()) std::ranges::copy(chosen_, w.begin());
}

void SwitchingSubgradient::pack(solvers::Packer& packer) const {
  xi_.pack(packer);
  zeta_1_.pack(packer);
  zeta_2_.pack(packer);
  packer.number(tolerance_);
  packer.number(total_weight_);
  packer.array(std::span<const double>(chosen_));
}

void SwitchingSubgradient::unpack(solvers::Unpacker& unpacker) {
  xi_.unpack(unpacker);
  zeta_1_.unpack(unpacker);
  zeta_2_.unpack(unpacker);
  tolerance_ = unpacker.number<double>();
  total_weight_ = unpacker.number<double>();
  chosen_ = unpacker.array<std::vector<double>>();
  if (!chosen_.empty() && chosen_.size() != gradient_.size()) {
    throw base::CheckpointError("a checkpoint has another network");
  }
}

}  // namespace fairfront::training
