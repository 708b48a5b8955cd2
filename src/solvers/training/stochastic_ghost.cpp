#include "solvers/training/stochastic_ghost.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "solvers/training/stop_within.hpp"

namespace fairfront::training {
namespace {

constexpr std::size_t block = 128;

}  // namespace

base::OptionTable options_of(GhostOptions& options) {
  base::OptionTable table("stochastic_ghost");
  add_delta(table, options.subproblem.delta);
  table.add("p", options.p, {.least = 0, .most = 1, .open_least = true}, "",
            "Level N has the probability p (1-p)^N, p this number, and 2^(N+1) rows; it is the "
            "paper's p_0.");
  table.add("most_level", options.most_level, base::between<std::int64_t>(0, 20), "",
            "The greatest level N is this, or what the rest of training.budget pays for, if that "
            "is less; it gets the probability of all above.");
  table.add("step", options.step, base::above(0.0), "",
            "The first step is this long, the paper's alpha_0.");
  table.add("step_decay", options.step_decay, base::at_least(0.0), "",
            "Steps become shorter this fast: alpha_k = alpha_(k-1) (1 - a alpha_(k-1)), a this "
            "number, the paper's alphahat.");
  table.add("lambda", options.subproblem.lambda, base::between(0.0, 1.0), "",
            "The violation that can be reached within the radius rho has this weight in kappa.");
  table.add("rho", options.subproblem.radius, base::above(0.0), "",
            "The reachable violation is sought within this radius.");
  table.add("tau", options.subproblem.tau, base::above(0.0), "",
            "The subproblem's objective has this curvature.");
  table.add("beta", options.subproblem.box, base::above(0.0), "",
            "No component of a direction is larger than this.");
  add_rules(table, options.rules,
            "With paper, the method follows the paper; with authors, their program, which takes "
            "lambda and rho for each other.");
  table.assign_role(base::Role::tuning, {"step", "step_decay", "lambda", "rho", "tau", "beta"});
  return table;
}

StochasticGhost::StochasticGhost(const Problem& problem, const GhostOptions& options,
                                 const Address& address)
    : problem_{problem},
      options_{options},
      level_key_{address.key("level")},
      xi_{problem.train.rows, address.key("objective"), Sampling::replacement},
      pass_{problem},
      rows_(problem.constraints.cells().size() + 1),
      of_cell_(problem.parameters()),
      one_(problem.parameters()),
      direction_(problem.parameters()),
      alpha_{options.step} {
  base::validate(options);
  for (std::size_t k = 0; k < problem.train.of_cell.size(); ++k) {
    zeta_.emplace_back(problem.train.of_cell[k], address.key("zeta/" + std::to_string(k)),
                       Sampling::replacement);
  }
  if (options.rules == Rules::authors) {
    std::swap(options_.subproblem.lambda, options_.subproblem.radius);
  }
}

StochasticGhost::Estimate StochasticGhost::empty() const {
  const auto gaps = static_cast<std::size_t>(problem_.constraints.gaps());
  const std::size_t n = problem_.parameters();
  Estimate made{std::vector<double>(n),
                std::vector<double>(problem_.constraints.cells().size()),
                std::vector<double>(gaps),
                {}};
  made.jacobian.reserve(gaps * n);
  for (std::size_t i = 1; i <= gaps; ++i) {
    stop_within(n);
    made.jacobian.resize(i * n);
  }
  return made;
}

double StochasticGhost::probability(std::int64_t level, std::int64_t most) const {
  double probability = level < most ? options_.p : 1;
  for (std::int64_t k = 0; k < level; ++k) probability *= 1 - options_.p;
  return probability;
}

std::int64_t StochasticGhost::cost_of(std::int64_t level) const {
  return std::ssize(rows_) * (1 + (std::int64_t{2} << level));
}

std::int64_t StochasticGhost::most_level_within(std::int64_t evaluations) const {
  std::int64_t most = options_.most_level;
  while (most >= 0 && cost_of(most) > evaluations) --most;
  return most;
}

std::int64_t StochasticGhost::draw_level(std::int64_t iteration, std::int64_t most) const {
  base::Stream stream(level_key_, static_cast<std::uint64_t>(iteration));
  const std::int64_t size = solvers::geometric_size(stream, options_.p, most);
  std::int64_t level = 0;
  while (std::int64_t{2} << level < size) ++level;
  return level;
}

double StochasticGhost::mean_cost() const {
  double cost = 0;
  for (std::int64_t level = 0; level <= options_.most_level; ++level) {
    cost += probability(level, options_.most_level) * static_cast<double>(cost_of(level));
  }
  return cost;
}

void StochasticGhost::add_rows(std::span<const double> w, std::span<const std::int64_t> rows,
                               double factor, double& mean, std::span<double> gradient, MeanOf of) {
  double sum = 0;
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const auto some = rows.subspan(first, std::min(block, rows.size() - first));
    const auto losses = pass_.forward(w, some);
    for (const double value : of == MeanOf::losses ? losses : pass_.cell_values()) sum += value;
    factors_.assign(some.size(), factor / static_cast<double>(rows.size()));
    pass_.backward(w, factors_, gradient, of == MeanOf::losses ? some.size() : 0);
  }
  mean = sum / static_cast<double>(rows.size());
}

void StochasticGhost::estimate(std::span<const double> w, std::int64_t first, std::int64_t count,
                               Estimate& out) {
  const auto some = [&](std::size_t list) {
    return std::span<const std::int64_t>(rows_[list])
        .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  };
  const GapConstraints& constraints = problem_.constraints;
  const std::size_t n = w.size();
  double ignored = 0;
  std::ranges::fill(out.gradient, 0.0);
  std::ranges::fill(out.jacobian, 0.0);
  add_rows(w, some(0), 1, ignored, out.gradient, MeanOf::losses);
  for (std::size_t k = 0; k < out.cell_losses.size(); ++k) {
    const auto cell = static_cast<std::int64_t>(k);
    if (out.gaps.size() == 1) {
      add_rows(w, some(k + 1), constraints.factor(0, cell), out.cell_losses[k], out.jacobian,
               MeanOf::cells);
      continue;
    }
    std::ranges::fill(of_cell_, 0.0);
    add_rows(w, some(k + 1), 1, out.cell_losses[k], of_cell_, MeanOf::cells);
    for (std::size_t i = 0; i < out.gaps.size(); ++i) {
      const double factor = constraints.factor(static_cast<std::int64_t>(i), cell);
      if (factor == 0) continue;
      stop_within(n);
      for (std::size_t j = 0; j < n; ++j) out.jacobian[i * n + j] += factor * of_cell_[j];
    }
  }
  constraints.gaps_of(out.cell_losses, out.gaps);
}

void StochasticGhost::average(const Estimate& a, const Estimate& b, Estimate& out) const {
  const auto mean = [](const std::vector<double>& x, const std::vector<double>& y,
                       std::vector<double>& to) {
    for (std::size_t j = 0; j < to.size(); ++j) to[j] = 0.5 * (x[j] + y[j]);
  };
  mean(a.gradient, b.gradient, out.gradient);
  mean(a.gaps, b.gaps, out.gaps);
  const std::size_t n = out.gradient.size();
  for (std::size_t first = 0; first < out.jacobian.size(); first += n) {
    stop_within(n);
    for (std::size_t j = first; j < first + n; ++j) {
      out.jacobian[j] = 0.5 * (a.jacobian[j] + b.jacobian[j]);
    }
  }
}

void StochasticGhost::add_direction(const Estimate& at, double factor) {
  ghost_direction(at.view(), options_.subproblem, one_);
  for (std::size_t j = 0; j < one_.size(); ++j) direction_[j] += factor * one_[j];
}

std::span<const double> StochasticGhost::direction(std::span<const double> w, std::int64_t level,
                                                   std::int64_t most) {
  if (all_.gradient.empty()) {  // gigabytes, where there are many gaps and weights
    for (Estimate* estimate : {&first_, &second_, &all_}) *estimate = empty();
  }
  const std::int64_t size = std::int64_t{2} << level;
  for (auto& rows : rows_) rows.clear();
  xi_.append(size + 1, rows_[0]);
  for (std::size_t k = 0; k < zeta_.size(); ++k) zeta_[k].append(size + 1, rows_[k + 1]);
  std::ranges::fill(direction_, 0.0);
  estimate(w, size, 1, all_);
  add_direction(all_, 1);
  estimate(w, 0, size / 2, first_);
  estimate(w, size / 2, size / 2, second_);
  average(first_, second_, all_);
  const double factor = 1 / probability(level, most);
  add_direction(all_, factor);
  add_direction(first_, -0.5 * factor);
  add_direction(second_, -0.5 * factor);
  return direction_;
}

bool StochasticGhost::step(std::span<double> w, Allowance& allowance) {
  // Levels are drawn among those that can be paid: to end at the first one that cannot would leave
  // most of some budgets, by the luck of the draw.
  const std::int64_t most = most_level_within(allowance.left());
  if (most < 0) return false;
  const std::int64_t level = draw_level(allowance.iterations(), most);
  if (!allowance.spend(cost_of(level))) return false;
  const auto d = direction(w, level, most);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] += alpha_ * d[j];
  alpha_ *= 1 - options_.step_decay * alpha_;
  return true;
}

void StochasticGhost::pack(solvers::Packer& packer) const {
  xi_.pack(packer);
  for (const RowSource& source : zeta_) source.pack(packer);
  packer.number(alpha_);
}

void StochasticGhost::unpack(solvers::Unpacker& unpacker) {
  xi_.unpack(unpacker);
  for (RowSource& source : zeta_) source.unpack(unpacker);
  alpha_ = unpacker.number<double>();
}

}  // namespace fairfront::training
