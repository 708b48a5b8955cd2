#include "solvers/training/ssl_alm.hpp"

#include <algorithm>
#include <cmath>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "solvers/training/full_data.hpp"

namespace fairfront::training {
namespace {

double norm(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

void add_alm_options(base::OptionTable& table, AlmOptions& options) {
  add_delta(table, options.delta);
  table.add("step", options.step, base::above(0.0), "",
            "A step of weights and slacks is this long, the paper's tau.");
  table.add("dual_step", options.dual_step, base::at_least(0.0), "",
            "A step of the duals is this long, the paper's eta.");
  table.add("penalty", options.penalty, base::at_least(0.0), "",
            "The augmented Lagrangian has this penalty, the paper's rho.");
  table.add("largest_multiplier", options.dual_bound, base::above(0.0), "",
            "Duals whose norm reaches it become 0; it is the paper's M_y.");
  table.formerly("largest_multiplier", "dual_bound");
  add_batches(table, options.batch, options.group_batch);
  add_sampling(table, options.sampling, options.group_sampling);
  add_rules(
      table, options.rules,
      "With paper, the method follows the paper; with authors, their program, which takes one more "
      "step at the end with all rows of the objective and bootstraps of the groups.");
  table.assign_role(base::Role::tuning, {"step", "dual_step", "penalty", "largest_multiplier"});
  table.only_if({"largest_multiplier"}, base::above("dual_step", 0),
                "dual_step = {} moves no dual");
}

SslAlmOptions without_smoothing(const AlmOptions& options) {
  SslAlmOptions all;
  static_cast<AlmOptions&>(all) = options;
  all.smoothing = 0;
  return all;
}

}  // namespace

base::OptionTable options_of(AlmOptions& options) {
  base::OptionTable table("alm");
  add_alm_options(table, options);
  return table;
}

base::OptionTable options_of(SslAlmOptions& options) {
  base::OptionTable table("ssl_alm");
  add_alm_options(table, options);
  table.add("smoothing", options.smoothing, base::at_least(0.0), "",
            "Iterates are pulled this strongly towards their running mean z, the paper's mu.");
  table.add("smoothing_step", options.smoothing_step, base::between(0.0, 1.0), "",
            "A step of z is this long, the paper's beta.");
  table.assign_role(base::Role::tuning, {"smoothing", "smoothing_step"});
  return table;
}

SslAlm::SslAlm(const Problem& problem, const SslAlmOptions& options, const Address& address)
    : options_{options},
      problem_{problem},
      address_{address},
      xi_{problem.train.rows, address.key("objective"), options.sampling},
      zeta_1_{problem, address, "zeta_1", options.group_sampling},
      zeta_2_{problem, address, "zeta_2", options.group_sampling},
      pass_1_{problem},
      pass_2_{problem},
      gaps_{problem},
      gradient_(problem.parameters()) {
  base::validate(options);
  const auto gaps = static_cast<std::size_t>(problem.constraints.gaps());
  for (auto* values : {&y_, &slack_, &h_, &weight_}) values->assign(2 * gaps, 0.0);
  of_gaps_.resize(gaps);
}

SslAlm::SslAlm(const Problem& problem, const AlmOptions& options, const Address& address)
    : SslAlm(problem, without_smoothing(options), address) {}

void SslAlm::equalities(std::span<const double> gaps, std::span<double> out) const {
  problem_.constraints.sides_of(gaps, options_.delta, out);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += slack_[i];
}

void SslAlm::begin(std::span<const double> w) {
  if (!z_.empty()) return;
  z_.assign(w.begin(), w.end());
  z_slack_ = slack_;
}

void SslAlm::update_duals(std::span<const double> h) {
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += options_.dual_step * h[i];
  if (norm(y_) >= options_.dual_bound) std::ranges::fill(y_, 0.0);
}

void SslAlm::weigh(std::span<const double> gaps_2) {
  equalities(gaps_2, h_);
  for (std::size_t i = 0; i < y_.size(); ++i) weight_[i] = y_[i] + options_.penalty * h_[i];
  for (std::size_t i = 0; i < of_gaps_.size(); ++i) {
    of_gaps_[i] = weight_[2 * i] - weight_[2 * i + 1];
  }
}

void SslAlm::move(std::span<double> w) {
  const double tau = options_.step;
  const double mu = options_.smoothing;
  const double beta = options_.smoothing_step;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double apart = w[j] - z_[j];
    w[j] -= tau * (gradient_[j] + mu * apart);
    z_[j] += beta * apart;
  }
  for (std::size_t i = 0; i < slack_.size(); ++i) {
    const double apart = slack_[i] - z_slack_[i];
    slack_[i] = std::max(0.0, slack_[i] - tau * (weight_[i] + mu * apart));
    z_slack_[i] += beta * apart;
  }
}

bool SslAlm::step(std::span<double> w, Allowance& allowance) {
  if (!allowance.spend(cost())) return false;
  begin(w);
  rows_1_.clear();
  xi_.append(options_.batch, rows_1_);
  zeta_1_.append(options_.group_batch, rows_1_);
  const auto batch = static_cast<std::size_t>(options_.batch);
  pass_1_.forward(w, rows_1_);
  equalities(gaps_(pass_1_.cell_values().subspan(batch)), h_);
  update_duals(h_);
  rows_2_.clear();
  zeta_2_.append(options_.group_batch, rows_2_);
  pass_2_.forward(w, rows_2_);
  weigh(gaps_(pass_2_.cell_values()));
  factors_.assign(rows_1_.size(), 1 / static_cast<double>(options_.batch));
  gaps_.factors(of_gaps_, std::span(factors_).subspan(batch));
  std::ranges::fill(gradient_, 0.0);
  pass_1_.backward(w, factors_, gradient_, batch);
  move(w);
  return true;
}

/// One more step with y and z as they are.
void SslAlm::finish(std::span<double> w) {
  if (options_.rules == Rules::paper) return;
  begin(w);
  const solvers::Control none;
  FullData full(problem_, none);
  const auto& cells = problem_.train.of_cell;
  std::vector<std::vector<std::int64_t>> first(cells.size());
  std::vector<double> losses(cells.size());
  std::vector<double> gaps(of_gaps_.size());
  std::vector<double> ignored(w.size());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string own = std::to_string(k);
    const auto draw = [&](const std::string& purpose, std::vector<std::int64_t>& out) {
      RowSource source(cells[k], address_.key(purpose + own), Sampling::replacement);
      source.append(std::ssize(cells[k]), out);
    };
    std::vector<std::int64_t> second;
    draw("last zeta_1/", first[k]);
    draw("last zeta_2/", second);
    losses[k] = full.add_gradient(w, second, 0, ignored, MeanOf::cells);
  }
  problem_.constraints.gaps_of(losses, gaps);
  weigh(gaps);
  std::vector<double> of_cells(cells.size());
  problem_.constraints.pull_back(of_gaps_, of_cells);
  std::ranges::fill(gradient_, 0.0);
  full.add_gradient(w, problem_.train.rows, 1, gradient_);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    full.add_gradient(w, first[k], of_cells[k], gradient_, MeanOf::cells);
  }
  move(w);
}

void SslAlm::pack(solvers::Packer& packer) const {
  xi_.pack(packer);
  zeta_1_.pack(packer);
  zeta_2_.pack(packer);
  for (const auto* values : {&y_, &slack_, &z_, &z_slack_}) {
    packer.array(std::span<const double>(*values));
  }
}

void SslAlm::unpack(solvers::Unpacker& unpacker) {
  xi_.unpack(unpacker);
  zeta_1_.unpack(unpacker);
  zeta_2_.unpack(unpacker);
  y_ = unpack_values(unpacker, y_.size());
  slack_ = unpack_values(unpacker, slack_.size());
  z_ = unpacker.array<std::vector<double>>();
  z_slack_ = unpacker.array<std::vector<double>>();
  const bool begun = z_.size() == gradient_.size() && z_slack_.size() == slack_.size();
  if (!begun && !(z_.empty() && z_slack_.empty())) {
    throw base::CheckpointError("a checkpoint has another network");
  }
}

}  // namespace fairfront::training
