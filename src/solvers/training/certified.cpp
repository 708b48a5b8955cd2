#include "solvers/training/certified.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "solvers/common/state.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/last_layer_step.hpp"
#include "solvers/training/mixture_search.hpp"
#include "solvers/training/options.hpp"

namespace fairfront::training {
namespace {

std::span<double> last_layer_of(const models::Perceptron& model, std::span<double> w) {
  return w.subspan(static_cast<std::size_t>(model.layers().back().weights));
}

/// Evaluations of the last layer of a candidate: outside the bounds some ten lead within them.
constexpr std::int64_t of_candidate = 20;

/// Evaluations of `count` rows by the last layer, in evaluations of the network; rounded up.
std::int64_t share_of_network(const models::Perceptron& model, std::int64_t count) {
  const std::int64_t of_last = model.layers().back().inputs + 1;
  const double share = static_cast<double>(of_last) / static_cast<double>(model.parameters());
  return static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count)));
}

/// Of a budget, what the last layer gets. A linear score has but this layer: under bounds on losses
/// it does all that there is to do; where decisions are counted, steps that do not count them are a
/// better start than many evaluations, once there are some; so they are where errors of the worst
/// group are bounded.
std::int64_t of_last_layer(const Problem& problem, std::int64_t budget, bool randomises) {
  constexpr std::int64_t some = 40;
  const std::int64_t half = budget / 2, nearly_all = budget * 9 / 10;
  if (randomises && problem.model.layers().size() == 1) return budget * 3 / 4;
  if (problem.model.layers().size() > 1 || resizes_decisions(problem)) return half;
  if (!has_decisions(problem)) return nearly_all;
  return std::max(half, std::min(nearly_all, some * problem.train.size()));
}

/// How much more often rows come again than few times, within limits.
double more_than_few(double passes) {
  constexpr double few = 36, most = 3;
  return std::clamp(passes / few, 1.0, most);
}

}  // namespace

Certified::Certified(const Problem& problem, const CertifiedOptions& options,
                     const Address& address, std::vector<double> offset)
    : problem_{problem},
      options_{options},
      offset_{std::move(offset)},
      offset_gaps_(static_cast<std::size_t>(problem.constraints.gaps()), 0.0),
      strata_{problem, address, options.sampling},
      table_{problem},
      multipliers_{problem, options.penalty},
      adam_{problem.parameters()},
      pass_{problem},
      full_{problem, unwatched_},
      gradient_(problem.parameters()) {
  base::validate(options);
  if (!offset_.empty()) problem.constraints.gaps_of(offset_, offset_gaps_);
}

std::span<const double> Certified::aimed_means() {
  const auto means = table_.means();
  if (offset_.empty()) return means;
  aimed_.assign(means.begin(), means.end());
  for (std::size_t k = 0; k < aimed_.size(); ++k) aimed_[k] += offset_[k];
  return aimed_;
}

std::int64_t Certified::cost_of_confidence(const Problem& problem,
                                           const CertifiedOptions& options) {
  return options.confidence > 0 ? problem.train.size() + problem.validation.size() : 0;
}

std::int64_t Certified::cost_of_inputs() const {
  return problem_.model.layers().size() == 1 ? 0 : rows();
}

Certified::Reserve Certified::reserve(std::int64_t budget) const {
  Reserve kept{.choice = chooses() ? problem_.validation.size() : 0,
               .confidence = cost_of_confidence(problem_, options_)};
  const auto cost = [&](std::int64_t evaluations) {
    return cost_of_inputs() + share_of_network(problem_.model, evaluations * rows());
  };
  const std::int64_t most = std::max(
      2 * rows(), of_last_layer(problem_, budget - kept.choice - kept.confidence, randomises()));
  const auto each = static_cast<double>(cost(1) - cost_of_inputs());
  const auto paid = static_cast<std::int64_t>(static_cast<double>(most - cost_of_inputs()) / each);
  // A draw takes one more. `each` is rounded up, and two passes pay for two at least.
  kept.last_layer = std::clamp<std::int64_t>(paid, randomises() ? 2 : 1, most_evaluations());
  kept.cost = cost(kept.last_layer);
  return kept;
}

std::int64_t Certified::most_evaluations() const {
  // A search goes down from where it starts: of counted decisions it is begun again elsewhere.
  constexpr std::int64_t searches = 4;
  if (randomises()) return options_.last_layer_evaluations + options_.draw_evaluations;
  return options_.last_layer_evaluations * (has_decisions(problem_) ? searches : 1);
}

std::int64_t Certified::of_single(std::int64_t last_layer) const {
  if (!randomises()) return last_layer;
  return std::min(options_.last_layer_evaluations, (last_layer + 3) / 4);
}

Certified::LastEvaluations Certified::last_evaluations(std::int64_t budget) const {
  const std::int64_t all = reserve(budget).last_layer;
  return {of_single(all), all - of_single(all), all == most_evaluations()};
}

bool Certified::step(std::span<double> w, Allowance& allowance) {
  switch (stage_) {
    case Stage::steps: {
      const std::int64_t kept = reserve(allowance.used() + allowance.left()).all();
      if (allowance.left() >= kept + options_.batch) return stochastic_step(w, allowance);
      end_within_bounds(w, allowance);
      return true;
    }
    case Stage::confidence:
      tighten_best(w, allowance);
      return true;
    case Stage::done:
      break;
  }
  return false;
}

bool Certified::stochastic_step(std::span<double> w, Allowance& allowance) {
  const std::int64_t budget = allowance.used() + allowance.left();
  const auto whole = static_cast<double>(budget - reserve(budget).all());
  if (look_is_due(allowance)) look(w, allowance);
  if (candidate_is_due(allowance)) try_candidate(allowance);
  if (!allowance.spend(options_.batch)) return false;
  const double done = static_cast<double>(allowance.used()) / whole;
  const double size = shrink_ * options_.step * std::min(1.0, 2 * (1 - done));
  const auto positions = strata_.draw(options_.batch);
  rows_.clear();
  for (const std::int64_t position : positions) {
    rows_.push_back(problem_.train.rows[static_cast<std::size_t>(position)]);
  }
  if (start_.empty()) start_.assign(w.begin(), w.end());
  const auto losses = losses_of_batch(w);
  if (losses.empty()) {
    begin_again(w);
    return true;
  }
  table_.update(positions, pass_.cell_values());
  const double passes = whole / static_cast<double>(rows());
  if (table_.is_complete()) {
    const double rate =
        options_.dual_step * more_than_few(passes) * static_cast<double>(options_.batch) / whole;
    multipliers_.update(aimed_means(), options_.delta, std::min(1.0, rate));
  }
  std::ranges::fill(gradient_, 0.0);
  add_gradient(w, positions);
  constexpr double most_decay = 0.1;
  const double more = more_than_few(passes);
  const double decay = options_.decay * more * more * passes / 100;
  adam_.step(w, gradient_, size, std::min(most_decay, decay));
  if (chooses()) add_to_mean(w, allowance.used());
  return true;
}

bool Certified::look_is_due(const Allowance& allowance) const {
  const std::int64_t budget = allowance.used() + allowance.left();
  const std::int64_t kept = reserve(budget).all();
  if (chooses()) return false;
  const std::int64_t every = looks_every(budget - kept, rows());
  return every > 0 && allowance.used() >= looks_ * every &&
         allowance.left() >= kept + rows() + options_.batch;
}

void Certified::look(std::span<const double> w, Allowance& allowance) {
  const double within = promised_bound(problem_, options_.delta);
  try {
    PartLosses found = full_.losses(problem_.train, w);
    for (std::size_t i = 0; i < found.gaps.size(); ++i) found.gaps[i] += offset_gaps_[i];
    const double gap = problem_.constraints.largest_gap(found.cells, found.gaps);
    if (gap <= within && (found.loss < best_loss_ || best_aim_ < 1)) {
      best_aim_ = 1;
      best_.assign(w.begin(), w.end());
      best_loss_ = found.loss;
    }
    if (randomises()) keep_for_draw(w, found.cells);
  } catch (const std::domain_error&) {  // far out; the step begins again if it stays there
  }
  (void)allowance.spend(rows());
  ++looks_;
}

void Certified::keep_for_draw(std::span<const double> w, const std::vector<double>& cells) {
  constexpr double next_to_zero = 1e-9;  // as LastLayer has it
  const std::vector<double> scores = full_.scores(problem_.train, w);
  std::int64_t wrong = 0;
  bool is_certain = true;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double label = problem_.labels[static_cast<std::size_t>(problem_.train.rows[i])];
    wrong += is_wrong(scores[i], label) ? 1 : 0;
    is_certain &= std::abs(scores[i]) > next_to_zero;
  }
  if (!is_certain) return;
  constexpr std::size_t latest = 64;
  if (looked_at_.size() == latest) looked_at_.erase(looked_at_.begin());
  looked_at_.push_back({.w = {w.begin(), w.end()},
                        .error = static_cast<double>(wrong) / static_cast<double>(rows()),
                        .cells = cells,
                        .is_certain = true});
}

void Certified::add_to_mean(std::span<const double> w, std::int64_t used) {
  constexpr double latest = 0.05;  // of the evaluations so far
  if (mean_.empty()) mean_.assign(w.begin(), w.end());
  const double share =
      std::min(1.0, static_cast<double>(options_.batch) / (latest * static_cast<double>(used)));
  for (std::size_t j = 0; j < w.size(); ++j) mean_[j] += share * (w[j] - mean_[j]);
}

std::int64_t Certified::cost_of_candidate() const {
  return cost_of_inputs() + share_of_network(problem_.model, of_candidate * rows()) +
         problem_.validation.size();
}

bool Certified::candidate_is_due(const Allowance& allowance) const {
  if (mean_.empty()) return false;
  const std::int64_t budget = allowance.used() + allowance.left();
  const std::int64_t kept = reserve(budget).all();
  const std::int64_t whole = budget - kept;
  const std::int64_t count = candidates_in(whole, cost_of_candidate());
  return looks_ < count && allowance.used() >= (looks_ + 1) * (whole / (count + 1)) &&
         allowance.left() >= kept + cost_of_candidate() + options_.batch;
}

void Certified::try_candidate(Allowance& allowance) {
  Ending candidate = ended(mean_, of_candidate);
  (void)allowance.spend(candidate.evaluations);
  keep_if_better(std::move(candidate));
  ++looks_;
}

void Certified::keep_if_better(Ending ending) {
  const bool is_better =
      ending.aim > best_aim_ || (ending.aim == best_aim_ && ending.loss < best_loss_);
  if (!is_better && !best_.empty()) return;
  best_aim_ = ending.aim;
  best_ = std::move(ending.w);
  best_loss_ = ending.loss;
}

void Certified::add_gradient(std::span<const double> w, std::span<const std::int64_t> positions) {
  const bool are_losses = !problem_.constraints.rate();
  for (auto* values : {&factors_, &of_cells_}) values->clear();
  for (const std::int64_t position : positions) {
    const std::int32_t cell = problem_.train.cell[static_cast<std::size_t>(position)];
    const double extra = cell < 0 ? 0 : multipliers_.pulled()[static_cast<std::size_t>(cell)];
    of_cells_.push_back(extra * strata_.cell_weight(position));
    factors_.push_back(strata_.weight(position) + (are_losses ? of_cells_.back() : 0));
    for (auto* values : {&factors_, &of_cells_}) {
      values->back() /= static_cast<double>(options_.batch);
    }
  }
  if (are_losses) return pass_.backward(w, factors_, gradient_);
  const auto of_loss = pass_.slopes(), of_value = pass_.cell_slopes(), scores = pass_.scores();
  double along = 0, squares = 0;  // see LastLayer::gradients()
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    along += of_cells_[i] * of_value[i] * scores[i];
    squares += factors_[i] * scores[i] * scores[i];
  }
  const double of_size = has_decisions(problem_) && squares > 0 ? along / squares : 0;
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    factors_[i] = factors_[i] * (of_loss[i] - of_size * scores[i]) + of_cells_[i] * of_value[i];
  }
  pass_.backward_scores(w, factors_, gradient_);
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
  multipliers_.reset();
  mean_.clear();
  adam_ = Adam(w.size());
}

Certified::Ending Certified::ended(std::span<const double> w, std::int64_t last_layer) {
  const LastLayerOptions options{
      .delta = options_.delta, .reserve = options_.reserve, .evaluations = of_single(last_layer)};
  Ending ending{.w = {w.begin(), w.end()}};
  std::optional<LastLayer> layer;
  for (const auto& other : {start_, std::vector<double>(w.size(), 0.0)}) {
    try {
      layer.emplace(problem_, ending.w);
      break;
    } catch (const std::domain_error&) {  // weights from which nothing can be made
      ending.w = other.empty() ? ending.w : other;
    }
  }
  if (!layer) layer.emplace(problem_, ending.w);
  const auto last = last_layer_of(problem_.model, ending.w);
  LastLayerResult found = led_within_bounds(*layer, last, options, ending.aim);
  if (randomises()) {
    // Tries to reach an offset, which may have spent more than their part, are on top.
    std::int64_t searched =
        std::max(last_layer - found.evaluations, last_layer - options.evaluations);
    ending.draw = drawn(*layer, ending.w, found.v, searched);
    found.evaluations += searched;
  }
  std::ranges::copy(found.v, last.begin());
  ending.loss = found.loss;
  if (found.excess > 0) ending.aim = -found.excess;
  ending.evaluations =
      cost_of_inputs() + share_of_network(problem_.model, found.evaluations * rows());
  if (chooses()) {
    try {
      ending.loss = full_.losses(problem_.validation, ending.w).loss;
    } catch (const std::domain_error&) {  // rows far from all that it was trained on
      ending.loss = std::numeric_limits<double>::infinity();
    }
    ending.evaluations += problem_.validation.size();
  }
  return ending;
}

LastLayerResult Certified::led_within_bounds(LastLayer& layer, std::span<const double> start,
                                             const LastLayerOptions& options, double& aim) const {
  if (offset_.empty()) return last_layer_step(layer, start, options);
  constexpr double least_aim = 1e-3;
  std::int64_t evaluations = 0;
  for (aim = 1; aim >= least_aim; aim *= 0.75) {
    std::vector<double> offset = offset_;
    for (double& value : offset) value *= aim;
    layer.set_offset(std::move(offset));
    LastLayerResult found = last_layer_step(layer, start, options);
    const double gap = layer.at(found.v).gap();
    found.evaluations = evaluations += found.evaluations + 1;
    if (gap <= options.delta) return found;
  }
  aim = 0;
  layer.set_offset({});
  LastLayerResult found = last_layer_step(layer, start, options);
  found.evaluations += evaluations;
  return found;
}

double Certified::aim_pool(ClassifierPool& pool) const {
  constexpr double least_aim = 1e-3;
  if (offset_.empty()) return 1;
  for (double aim = 1; aim >= least_aim; aim *= 0.75) {
    std::vector<double> offset = offset_;
    for (double& value : offset) value *= aim;
    pool.set_offset(offset);
    if (pool.best().excess == 0) return aim;
  }
  pool.set_offset({});
  return 0;
}

RandomisedClassifier Certified::drawn(LastLayer& layer, std::span<const double> w,
                                      const std::vector<double>& single,
                                      std::int64_t& evaluations) const {
  ClassifierPool pool(problem_, options_.delta);
  layer.set_offset({});
  layer.offer_to(&pool);
  const std::vector<double> last(w.end() - static_cast<std::ptrdiff_t>(layer.size()), w.end());
  std::int64_t looks = 0;
  if (!is_constant_score(single)) {  // both constants are there
    (void)layer.at(single);
    ++looks;
  }
  pool.keep_always();
  for (const CountedClassifier& one : looked_at_) {
    pool.offer(one.error, one.cells, one.is_certain, [&] { return one.w; });
  }
  if (looks < evaluations && last != single) {
    (void)layer.at(last);
    ++looks;
  }
  RandomisedClassifier found{.aim = aim_pool(pool)};
  evaluations = looks + search_mixture(layer, pool, evaluations - looks);
  const PoolMixture best = pool.best();
  for (std::size_t m = 0; m < best.shares.size(); ++m) {
    if (best.shares[m] == 0) continue;
    const std::vector<double>& of_member = pool.members()[m].w;
    std::vector<double> all(w.begin(), w.end());
    std::ranges::copy(of_member, all.end() - std::ssize(of_member));
    found.members.push_back(std::move(all));
    found.shares.push_back(best.shares[m]);
  }
  found.error = best.error;
  found.excess = best.excess;
  return found;
}

void Certified::end_within_bounds(std::span<double> w, Allowance& allowance) {
  const Reserve kept = reserve(allowance.used() + allowance.left());
  Ending last = ended(w, kept.last_layer);
  const std::int64_t paid = std::min(last.evaluations, allowance.left() - kept.confidence);
  if (!offset_.empty() || randomises()) beyond_budget_ = last.evaluations - paid;
  (void)allowance.spend(paid);
  draw_ = std::move(last.draw);
  keep_if_better(std::move(last));
  std::ranges::copy(best_, w.begin());
  stage_ = kept.confidence > 0 ? Stage::confidence : Stage::done;
}

void Certified::tighten_best(std::span<double> w, Allowance& allowance) {
  FullData full(problem_, unwatched_, any_mean_loss);
  ScaledOutput train(problem_, problem_.train, full.scores(problem_.train, best_));
  ScaledOutput validation(problem_, problem_.validation, full.scores(problem_.validation, best_));
  tightening_ =
      tighten(problem_.constraints, train, validation, options_.delta, options_.confidence);
  (void)allowance.spend(cost_of_confidence(problem_, options_));
  if (tightening_.scale > 0) {
    for (double& weight : last_layer_of(problem_.model, best_)) weight *= tightening_.scale;
  }
  std::ranges::copy(best_, w.begin());
  stage_ = Stage::done;
}

void Certified::finish(std::span<double> w) {
  if (stage_ == Stage::done) std::ranges::copy(best_, w.begin());
}

void Certified::pack(solvers::Packer& packer) const {
  strata_.pack(packer);
  table_.pack(packer);
  multipliers_.pack(packer);
  adam_.pack(packer);
  packer.number(stage_);
  packer.number(best_loss_);
  packer.number(best_aim_);
  packer.number(beyond_budget_);
  packer.number(shrink_);
  packer.number(looks_);
  packer.number(tightening_);
  solvers::pack_state(packer, draw_);
  solvers::pack_state(packer, looked_at_);
  for (const auto* values : {&start_, &best_, &mean_}) {
    packer.array(std::span<const double>(*values));
  }
}

void Certified::unpack(solvers::Unpacker& unpacker) {
  strata_.unpack(unpacker);
  table_.unpack(unpacker);
  multipliers_.unpack(unpacker);
  adam_.unpack(unpacker);
  stage_ = unpacker.number<Stage>();
  best_loss_ = unpacker.number<double>();
  best_aim_ = unpacker.number<double>();
  beyond_budget_ = unpacker.number<std::int64_t>();
  shrink_ = unpacker.number<double>();
  looks_ = unpacker.number<std::int64_t>();
  tightening_ = unpacker.number<Tightening>();
  solvers::unpack_state(unpacker, draw_);
  solvers::unpack_state(unpacker, looked_at_);
  for (auto* values : {&start_, &best_, &mean_}) {
    *values = unpacker.array<std::vector<double>>();
    if (!values->empty() && values->size() != gradient_.size()) {
      throw base::CheckpointError("a checkpoint is of another network");
    }
  }
}

}  // namespace fairfront::training
