#include "solvers/training/dual_ascent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/condition.hpp"

namespace fairfront::training {
namespace {

void add_options(base::OptionTable& table, DualAscentOptions& options) {
  add_delta(table, options.delta);
  table.add("step", options.step, base::above(0.0), "", "A step of the weights is this long.");
  add_batches(table, options.batch, options.group_batch);
  add_sampling(table, options.sampling, options.group_sampling);
  table.assign_role(base::Role::tuning, {"step"});
}

}  // namespace

DualAscent::DualAscent(const Problem& problem, const DualAscentOptions& options,
                       const Address& address)
    : constraints_{problem.constraints},
      options_{options},
      xi_{problem.train.rows, address.key("objective"), options.sampling},
      zeta_{problem, address, "zeta", options.group_sampling},
      pass_{problem},
      gaps_{problem},
      gradient_(problem.parameters()) {
  const auto gaps = static_cast<std::size_t>(problem.constraints.gaps());
  for (auto* values : {&duals_, &c_, &u_}) values->assign(2 * gaps, 0.0);
  of_gaps_.resize(gaps);
}

bool DualAscent::step(std::span<double> w, Allowance& allowance) {
  if (!allowance.spend(cost())) return false;
  rows_.clear();
  xi_.append(options_.batch, rows_);
  zeta_.append(options_.group_batch, rows_);
  const auto batch = static_cast<std::size_t>(options_.batch);
  pass_.forward(w, rows_);
  const auto gaps = gaps_(pass_.cell_values().subspan(batch));
  constraints_.sides_of(gaps, options_.delta, c_);
  weigh(c_, u_);
  for (std::size_t i = 0; i < of_gaps_.size(); ++i) of_gaps_[i] = u_[2 * i] - u_[2 * i + 1];
  factors_.assign(rows_.size(), 1 / static_cast<double>(options_.batch));
  gaps_.factors(of_gaps_, std::span(factors_).subspan(batch));
  std::ranges::fill(gradient_, 0.0);
  pass_.backward(w, factors_, gradient_, batch);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] -= options_.step * gradient_[j];
  return true;
}

void DualAscent::pack(solvers::Packer& packer) const {
  xi_.pack(packer);
  zeta_.pack(packer);
  packer.array(std::span<const double>(duals_));
}

void DualAscent::unpack(solvers::Unpacker& unpacker) {
  xi_.unpack(unpacker);
  zeta_.unpack(unpacker);
  duals_ = unpack_values(unpacker, duals_.size());
}

base::OptionTable options_of(ClampedAlmOptions& options) {
  base::OptionTable table("clamped_alm");
  add_options(table, options);
  table.add("dual_step", options.dual_step, base::at_least(0.0), "",
            "A step of the duals is this long.");
  table.add("largest_multiplier", options.dual_bound, base::above(0.0), "",
            "Duals are kept between 0 and this.");
  table.formerly("largest_multiplier", "dual_bound");
  table.add("penalty", options.penalty, base::at_least(0.0), "", "The first penalty is this.");
  table.add("penalty_growth", options.penalty_growth, base::at_least(1.0), "",
            "In every iteration the penalty is multiplied by this.");
  table.add("most_penalty", options.most_penalty, base::at_least(0.0), "",
            "The penalty is never larger than this, which is at least `penalty`.");
  table.assign_role(base::Role::tuning, {"dual_step", "largest_multiplier", "penalty",
                                         "penalty_growth", "most_penalty"});
  table.only_if({"largest_multiplier"}, base::above("dual_step", 0),
                "dual_step = {} moves no dual");
  return table;
}

void check_penalties(const ClampedAlmOptions& options) {
  if (options.penalty <= options.most_penalty) return;
  throw std::invalid_argument(
      fmt::format("clamped_alm.penalty = {}, must be at most clamped_alm.most_penalty = {}",
                  options.penalty, options.most_penalty));
}

ClampedAlm::ClampedAlm(const Problem& problem, const ClampedAlmOptions& options,
                       const Address& address)
    : DualAscent(problem, options, address), options_{options}, penalty_{options.penalty} {
  base::validate(options);
  check_penalties(options);
}

void ClampedAlm::weigh(std::span<const double> c, std::span<double> u) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    duals_[i] = std::clamp(duals_[i] + options_.dual_step * c[i], 0.0, options_.dual_bound);
    u[i] = duals_[i] + penalty_ * std::max(c[i], 0.0);
  }
  penalty_ = std::min(penalty_ * options_.penalty_growth, options_.most_penalty);
}

void ClampedAlm::pack(solvers::Packer& packer) const {
  DualAscent::pack(packer);
  packer.number(penalty_);
}

void ClampedAlm::unpack(solvers::Unpacker& unpacker) {
  DualAscent::unpack(unpacker);
  penalty_ = unpacker.number<double>();
}

base::OptionTable options_of(PiDualsOptions& options) {
  base::OptionTable table("pi_duals");
  add_options(table, options);
  table.add("integral", options.integral, base::at_least(0.0), "",
            "A step of the duals is this long, the paper's kappa_i.");
  table.add(
      "proportional", options.proportional, base::at_least(0.0), "",
      "The duals follow changes of the constraints' mean this strongly, the paper's kappa_p.");
  table.add("memory", options.memory, {.least = 0, .most = 1}, "",
            "The past has this weight in that mean, the paper's nu.");
  table.assign_role(base::Role::tuning, {"integral", "proportional", "memory"});
  table.only_if({"memory"}, base::above("proportional", 0),
                "pi_duals.proportional = {} follows no mean");
  return table;
}

PiDuals::PiDuals(const Problem& problem, const PiDualsOptions& options, const Address& address)
    : DualAscent(problem, options, address), options_{options} {
  base::validate(options);
  mean_.assign(duals_.size(), 0.0);
}

void PiDuals::weigh(std::span<const double> c, std::span<double> u) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double before = mean_[i];
    mean_[i] = options_.memory * before + (1 - options_.memory) * c[i];
    duals_[i] = std::max(
        0.0, duals_[i] + options_.integral * c[i] + options_.proportional * (mean_[i] - before));
    u[i] = duals_[i];
  }
}

void PiDuals::pack(solvers::Packer& packer) const {
  DualAscent::pack(packer);
  packer.array(std::span<const double>(mean_));
}

void PiDuals::unpack(solvers::Unpacker& unpacker) {
  DualAscent::unpack(unpacker);
  mean_ = unpack_values(unpacker, mean_.size());
}

}  // namespace fairfront::training
