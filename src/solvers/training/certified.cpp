#include "solvers/training/certified.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "solvers/training/options.hpp"

namespace fairfront::training {
namespace {

constexpr std::size_t block = 128;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::int64_t> positions_of(const Part& part) {
  std::vector<std::int64_t> positions(part.rows.size());
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

/// Scores become `scale` times what they were.
void scale_output_layer(const models::Perceptron& model, double scale, std::span<double> w) {
  for (std::int64_t j = model.layers().back().weights; j < model.parameters(); ++j) {
    w[static_cast<std::size_t>(j)] *= scale;
  }
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

base::OptionTable options_of(CertifiedOptions& options) {
  base::OptionTable table("certified_training");
  table.add("delta", options.delta, base::above(0.0), "loss",
            "Bound of every difference of mean losses in training.fairness, which the result keeps "
            "on the training part.");
  table.assign_role(base::Role::trade_off, {"delta"});
  table.add("step", options.step, base::above(0.0), "",
            "Size of the first stochastic step; the sizes fall to 0 in a line.");
  table.add("batch", options.batch, base::between<std::int64_t>(1, 1'000'000), "rows",
            "Rows of a stochastic step, for objective and constraints.");
  table.add("penalty", options.penalty, base::above(0.0), "",
            "Penalty of the augmented Lagrangian.");
  table.add("dual_step", options.dual_step, base::at_least(0.0), "",
            "Step of the multipliers over an epoch.");
  table.add("largest_multiplier", options.largest_multiplier, base::above(0.0), "",
            "Multipliers are cut off there.");
  table.add("margin", options.margin, base::between(1e-9, 0.5), "",
            "Share of delta by which the full passes aim inside the bounds.");
  table.add("passes", options.passes, base::between<std::int64_t>(2, 10'000), "",
            "Passes over all training rows that the budget keeps for the end.");
  table.add("pass_step", options.pass_step, base::at_least(0.0), "",
            "Size of the first descent along the bounds between full passes.");
  add_sampling(table, options.sampling);
  table.add(
      "confidence", options.confidence, base::between(0.0, 0.999999), "",
      "Above 0: the result is made tighter, at a higher loss, until its gaps are within delta "
      "for the population, too, with this confidence by the validation part; 0: not asked.");
  table.assign_role(base::Role::tuning,
                    {"step", "penalty", "dual_step", "margin", "passes", "pass_step"});
  return table;
}

LossTable::LossTable(const Problem& problem)
    : problem_{&problem},
      loss_(problem.train.rows.size(), nan),
      sums_(problem.constraints.cells().size(), 0.0),
      counts_(sums_.size(), 0.0),
      means_(sums_.size()) {}

void LossTable::update(std::span<const std::int64_t> positions, std::span<const double> losses) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto at = static_cast<std::size_t>(positions[i]);
    const std::int32_t cell = problem_->train.cell[at];
    if (cell < 0) continue;
    const auto k = static_cast<std::size_t>(cell);
    if (std::isnan(loss_[at])) {
      counts_[k] += 1;
      loss_[at] = 0;
    }
    sums_[k] += losses[i] - loss_[at];
    loss_[at] = losses[i];
  }
}

bool LossTable::is_complete() const {
  return std::ranges::all_of(counts_, [](double count) { return count > 0; });
}

void LossTable::gaps(std::span<double> out) {
  for (std::size_t k = 0; k < sums_.size(); ++k) means_[k] = sums_[k] / counts_[k];
  problem_->constraints.gaps_of(means_, out);
}

void LossTable::pack(solvers::Packer& packer) const {
  for (const auto* values : {&loss_, &sums_, &counts_}) {
    packer.array(std::span<const double>(*values));
  }
}

void LossTable::unpack(solvers::Unpacker& unpacker) {
  for (auto* values : {&loss_, &sums_, &counts_}) {
    auto read = unpacker.array<std::vector<double>>();
    if (read.size() != values->size()) {
      throw base::CheckpointError("a checkpoint has a loss table of other rows");
    }
    *values = std::move(read);
  }
}

std::vector<double> restoring_step(std::span<const double> gaps, std::span<const double> jacobian,
                                   std::span<const double> gradient, double bound, double eta) {
  const std::size_t q = gaps.size();
  const std::size_t n = gradient.size();
  std::vector<double> s(n);
  for (std::size_t j = 0; j < n; ++j) s[j] = -eta * gradient[j];
  std::vector<double> v(q, 0.0), squares(q);  // s = -eta g - J'v
  const auto row = [&](std::size_t i) { return jacobian.subspan(i * n, n); };
  for (std::size_t i = 0; i < q; ++i) squares[i] = dot(row(i), row(i));
  constexpr int most_sweeps = 1000;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double moved = 0;
    for (std::size_t i = 0; i < q; ++i) {
      if (squares[i] == 0) continue;
      // The gap that is there without this multiplier, and what brings it within the bound.
      const double without = gaps[i] + dot(row(i), s) + v[i] * squares[i];
      const double wanted = (without - std::clamp(without, -bound, bound)) / squares[i];
      const double change = wanted - v[i];
      if (change == 0) continue;
      v[i] = wanted;
      for (std::size_t j = 0; j < n; ++j) s[j] -= change * row(i)[j];
      moved = std::max(moved, std::abs(change) * squares[i]);
    }
    if (moved <= 1e-9 * bound) break;
  }
  return s;
}

/// Everything at weights, of all training rows.
struct Certified::FullPass {
  double loss = 0;
  std::vector<double> gaps, gradient, jacobian;
};

Certified::Certified(const Problem& problem, const CertifiedOptions& options,
                     const Address& address)
    : problem_{problem},
      options_{options},
      source_{positions_of(problem.train), address.key("rows"), options.sampling},
      table_{problem},
      pass_{problem},
      upper_(static_cast<std::size_t>(problem.constraints.gaps()), 0.0),
      lower_(upper_.size(), 0.0),
      pass_step_{options.pass_step},
      gaps_(upper_.size(), 0.0),
      pulled_(problem.constraints.cells().size(), 0.0),
      gradient_(problem.parameters()) {
  base::validate(options);
}

void Certified::validate_for(const Problem& problem, const CertifiedOptions& options,
                             const RunOptions& run) {
  if (run.budget == 0 || run.iterations > 0) {
    throw std::invalid_argument(
        "[certified_training] shares out a budget: training.budget must be above 0, and "
        "training.iterations 0");
  }
  if (options.confidence > 0 && problem.validation.size() == 0) {
    throw std::invalid_argument(fmt::format(
        "certified_training.confidence = {} needs a validation part: split.validation must be "
        "above 0",
        options.confidence));
  }
  const std::int64_t scored = cost_of_confidence(problem, options);
  const std::int64_t least = options.passes * problem.train.size() + scored;
  if (run.budget < least) {
    throw std::invalid_argument(fmt::format(
        "training.budget = {}, must be >= {}: certified_training.passes = {} times {} training "
        "rows{}",
        run.budget, least, options.passes, problem.train.size(),
        scored > 0 ? fmt::format(", and {} rows for the confidence", scored) : ""));
  }
}

std::int64_t Certified::cost_of_confidence(const Problem& problem,
                                           const CertifiedOptions& options) {
  return options.confidence > 0 ? problem.train.size() + problem.validation.size() : 0;
}

bool Certified::step(std::span<double> w, Allowance& allowance) {
  if (allowance.left() >= kept() + options_.batch) return stochastic_step(w, allowance);
  if (tightening_.tests > 0) return false;
  const std::int64_t at_the_end = cost_of_confidence(problem_, options_);
  const std::int64_t left = allowance.left() - at_the_end;
  const bool last = left < 2 * rows();
  if (left < rows() || (last && !best_.empty())) {
    if (at_the_end == 0 || !allowance.spend(at_the_end)) return false;
    tighten_best(w);
    return true;
  }
  (void)allowance.spend(rows());
  if (last) {
    scale_output(w);
  } else {
    try_weights(w);
  }
  return true;
}

void Certified::update_multipliers() {
  const double rate =
      options_.dual_step * static_cast<double>(options_.batch) / static_cast<double>(rows());
  const auto moved = [&](double y, double excess) {
    return std::clamp(y + rate * excess, 0.0, options_.largest_multiplier);
  };
  std::vector<double>& v = factors_;
  v.resize(gaps_.size());
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    const double above = gaps_[i] - options_.delta;
    const double below = -gaps_[i] - options_.delta;
    upper_[i] = moved(upper_[i], above);
    lower_[i] = moved(lower_[i], below);
    v[i] = std::max(0.0, upper_[i] + options_.penalty * above) -
           std::max(0.0, lower_[i] + options_.penalty * below);
  }
  problem_.constraints.pull_back(v, pulled_);
  for (std::size_t k = 0; k < pulled_.size(); ++k) {
    pulled_[k] *=
        static_cast<double>(rows()) / static_cast<double>(problem_.train.of_cell[k].size());
  }
}

bool Certified::stochastic_step(std::span<double> w, Allowance& allowance) {
  if (!allowance.spend(options_.batch)) return false;
  const auto whole = static_cast<double>(allowance.used() + allowance.left() - kept());
  const double done = static_cast<double>(allowance.used()) / whole;
  const double size = shrink_ * options_.step * std::min(1.0, 2 * (1 - done));
  positions_.clear();
  source_.append(options_.batch, positions_);
  rows_.clear();
  for (const std::int64_t position : positions_) {
    rows_.push_back(problem_.train.rows[static_cast<std::size_t>(position)]);
  }
  if (start_.empty()) start_.assign(w.begin(), w.end());
  const auto losses = losses_of_batch(w);
  if (losses.empty()) {
    begin_again(w);
    return true;
  }
  table_.update(positions_, losses);
  if (table_.is_complete()) {
    table_.gaps(gaps_);
    update_multipliers();
  }
  factors_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::int32_t cell = problem_.train.cell[static_cast<std::size_t>(positions_[i])];
    const double extra = cell < 0 ? 0.0 : pulled_[static_cast<std::size_t>(cell)];
    factors_[i] = (1 + extra) / static_cast<double>(options_.batch);
  }
  std::ranges::fill(gradient_, 0.0);
  pass_.backward(w, factors_, gradient_);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] -= size * gradient_[j];
  return true;
}

std::span<const double> Certified::losses_of_batch(std::span<const double> w) {
  constexpr double beyond_use = 100;  // of a mean: that of scores 0 is 1 at most
  try {
    const auto losses = pass_.forward(w, rows_);
    const double sum = std::accumulate(losses.begin(), losses.end(), 0.0);
    if (sum <= beyond_use * static_cast<double>(losses.size())) return losses;
  } catch (const std::domain_error&) {
  }
  return {};
}

void Certified::begin_again(std::span<double> w) {
  std::ranges::copy(start_, w.begin());
  shrink_ *= 0.25;
  table_ = LossTable(problem_);
  for (auto* values : {&upper_, &lower_, &pulled_}) std::ranges::fill(*values, 0.0);
}

Certified::FullPass Certified::full_pass(std::span<const double> w) {
  const Part& part = problem_.train;
  const std::size_t cells = part.of_cell.size();
  const std::size_t n = w.size();
  const std::size_t q = gaps_.size();
  // Slot 0 has the rows of no cell, slot k + 1 those of cell k.
  std::vector<double> sums(cells + 1, 0.0), gradients((cells + 1) * n, 0.0);
  double sum = 0;
  for (std::size_t first = 0; first < part.rows.size(); first += block) {
    base::stop_point();
    const std::size_t count = std::min(block, part.rows.size() - first);
    const auto losses = pass_.forward(w, std::span(part.rows).subspan(first, count));
    for (std::size_t i = 0; i < count; ++i) {
      sum += losses[i];
      sums[static_cast<std::size_t>(part.cell[first + i] + 1)] += losses[i];
    }
    for (std::size_t k = 0; k <= cells; ++k) {
      factors_.assign(count, 0.0);
      bool any = false;
      for (std::size_t i = 0; i < count; ++i) {
        if (static_cast<std::size_t>(part.cell[first + i] + 1) != k) continue;
        factors_[i] = 1;
        any = true;
      }
      if (any) pass_.backward(w, factors_, std::span(gradients).subspan(k * n, n));
    }
  }
  const auto all = static_cast<double>(rows());
  FullPass found{sum / all, std::vector<double>(q), std::vector<double>(n, 0.0),
                 std::vector<double>(q * n, 0.0)};
  std::vector<double> means(cells);
  for (std::size_t k = 0; k <= cells; ++k) {
    const auto of_slot = std::span(gradients).subspan(k * n, n);
    for (std::size_t j = 0; j < n; ++j) found.gradient[j] += of_slot[j] / all;
    if (k == 0) continue;
    const auto count = static_cast<double>(part.of_cell[k - 1].size());
    means[k - 1] = sums[k] / count;
    for (std::size_t i = 0; i < q; ++i) {
      const double factor = problem_.constraints.factor(static_cast<std::int64_t>(i),
                                                        static_cast<std::int64_t>(k - 1)) /
                            count;
      if (factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) found.jacobian[i * n + j] += factor * of_slot[j];
    }
  }
  problem_.constraints.gaps_of(means, found.gaps);
  return found;
}

void Certified::try_weights(std::span<double> w) {
  FullPass at;
  bool finite = true;
  try {
    at = full_pass(w);
  } catch (const std::domain_error&) {  // a step that was far too bold
    finite = false;
    if (best_.empty()) {
      std::ranges::fill(w, 0.0);
      return;
    }
  }
  const double bound = (1 - options_.margin) * options_.delta;
  const bool feasible = finite && largest_size(at.gaps) <= options_.delta;
  if (feasible && at.loss < best_loss_) {
    best_.assign(w.begin(), w.end());
    best_loss_ = at.loss;
    best_gaps_ = std::move(at.gaps);
    best_gradient_ = std::move(at.gradient);
    best_jacobian_ = std::move(at.jacobian);
  } else if (best_.empty()) {  // straight back to the bounds
    const auto s = restoring_step(at.gaps, at.jacobian, at.gradient, bound, 0);
    for (std::size_t j = 0; j < w.size(); ++j) w[j] += s[j];
    return;
  } else {
    pass_step_ *= 0.3;
  }
  const auto s = restoring_step(best_gaps_, best_jacobian_, best_gradient_, bound, pass_step_);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] = best_[j] + s[j];
}

std::vector<double> Certified::scores(const Part& part, std::span<const double> w) {
  std::vector<double> all;
  for (std::size_t first = 0; first < part.rows.size(); first += block) {
    base::stop_point();
    const std::size_t count = std::min(block, part.rows.size() - first);
    (void)pass_.forward(w, std::span(part.rows).subspan(first, count));
    all.insert(all.end(), pass_.scores().begin(), pass_.scores().end());
  }
  return all;
}

void Certified::scale_output(std::span<double> w) {
  double within = 0, outside = 1;
  try {
    ScaledOutput output(problem_, problem_.train, scores(problem_.train, w));
    const double bound = (1 - options_.margin) * options_.delta;
    if (output.at(1).gap() <= bound) within = 1;
    constexpr int halvings = 30;
    for (int k = 0; k < halvings && within < 1; ++k) {
      const double middle = 0.5 * (within + outside);
      (output.at(middle).gap() <= bound ? within : outside) = middle;
    }
    scale_output_layer(problem_.model, within, w);
  } catch (const std::domain_error&) {
    std::ranges::fill(w, 0.0);
  }
  best_.assign(w.begin(), w.end());
}

void Certified::tighten_best(std::span<double> w) {
  std::ranges::copy(best_, w.begin());
  ScaledOutput train(problem_, problem_.train, scores(problem_.train, w));
  ScaledOutput validation(problem_, problem_.validation, scores(problem_.validation, w));
  tightening_ =
      tighten(problem_.constraints, train, validation, options_.delta, options_.confidence);
  if (tightening_.scale > 0) scale_output_layer(problem_.model, tightening_.scale, w);
  best_.assign(w.begin(), w.end());
}

void Certified::finish(std::span<double> w) {
  if (!best_.empty()) std::ranges::copy(best_, w.begin());
}

void Certified::pack(solvers::Packer& packer) const {
  source_.pack(packer);
  table_.pack(packer);
  packer.number(best_loss_);
  packer.number(pass_step_);
  packer.number(shrink_);
  packer.number(tightening_);
  for (const auto* values : {&upper_, &lower_, &pulled_, &start_, &best_, &best_gaps_,
                             &best_gradient_, &best_jacobian_}) {
    packer.array(std::span<const double>(*values));
  }
}

void Certified::unpack(solvers::Unpacker& unpacker) {
  source_.unpack(unpacker);
  table_.unpack(unpacker);
  best_loss_ = unpacker.number<double>();
  pass_step_ = unpacker.number<double>();
  shrink_ = unpacker.number<double>();
  tightening_ = unpacker.number<Tightening>();
  const std::size_t n = gradient_.size();
  const std::size_t q = gaps_.size();
  const auto read = [&](std::vector<double>& values, std::size_t size, bool may_be_empty) {
    values = unpacker.array<std::vector<double>>();
    if (values.size() != size && !(may_be_empty && values.empty())) {
      throw base::CheckpointError("a checkpoint is of other constraints");
    }
  };
  read(upper_, q, false);
  read(lower_, q, false);
  read(pulled_, pulled_.size(), false);
  read(start_, n, true);
  read(best_, n, true);
  read(best_gaps_, q, true);
  read(best_gradient_, n, true);
  read(best_jacobian_, q * n, true);
}

}  // namespace fairfront::training
