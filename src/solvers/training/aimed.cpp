#include "solvers/training/aimed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "solvers/training/cell_values.hpp"

namespace fairfront::training {
namespace {

constexpr std::string_view magic = "fairfront aimed training 2\n";

/// The fold of every row of the training part, by position: the rows of a cell, and those of none,
/// are shuffled and dealt out.
std::vector<std::int64_t> folds_of(const Part& train, std::int64_t folds, const Address& address) {
  base::Stream stream(address.key("folds"), 0);
  std::vector<std::vector<std::size_t>> of_cell(train.of_cell.size() + 1);
  for (std::size_t i = 0; i < train.rows.size(); ++i) {
    const std::int32_t cell = train.cell[i];
    of_cell[cell < 0 ? train.of_cell.size() : static_cast<std::size_t>(cell)].push_back(i);
  }
  std::vector<std::int64_t> fold(train.rows.size());
  std::int64_t next = 0;
  for (auto& positions : of_cell) {
    stream.shuffle(std::span{positions});
    for (const std::size_t position : positions) fold[position] = next++ % folds;
  }
  return fold;
}

/// Losses of rows that were not learnt from, by cell.
struct HeldOutLosses {
  explicit HeldOutLosses(std::size_t cells)
      : sums(cells, 0.0), squares(cells, 0.0), counts(cells, 0.0) {}

  void add(std::int32_t cell, double loss) {
    const auto k = static_cast<std::size_t>(cell);
    sums[k] += loss;
    squares[k] += loss * loss;
    counts[k] += 1;
  }
  [[nodiscard]] std::vector<double> means() const {
    std::vector<double> of_cell(sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k) of_cell[k] = sums[k] / counts[k];
    return of_cell;
  }
  /// The squared differences of a cell's rows from their mean, summed.
  [[nodiscard]] double within(std::size_t k) const {
    return std::max(0.0, squares[k] - sums[k] * sums[k] / counts[k]);
  }
  void pack(solvers::Packer& packer) const {
    for (const auto* values : {&sums, &squares, &counts})
      packer.array(std::span<const double>(*values));
  }
  void unpack(solvers::Unpacker& unpacker) {
    for (auto* values : {&sums, &squares, &counts}) {
      auto read = unpacker.array<std::vector<double>>();
      if (read.size() != values->size()) {
        throw base::CheckpointError("a checkpoint is of another aimed training");
      }
      *values = std::move(read);
    }
  }

  std::vector<double> sums, squares, counts;
};

/// The variance of a row's loss, of the rows of some cells as if they were one.
double variance_of_all(const HeldOutLosses& losses, std::span<const std::size_t> some) {
  double sum = 0, squares = 0, rows = 0;
  for (const std::size_t k : some) {
    sum += losses.sums[k];
    squares += losses.squares[k];
    rows += losses.counts[k];
  }
  return rows > 1 ? std::max(0.0, squares - sum * sum / rows) / (rows - 1) : 0;
}

/// Squared standard errors of the means of some cells. The few decisions of a small cell may all
/// agree by chance, and have no variance then: to that of its rows is added that of the rows of all
/// cells, as if it came from a few rows more (G. K. Smyth, 2004, "moderated" variances).
std::vector<double> noise_of(const HeldOutLosses& losses, std::span<const std::size_t> some) {
  constexpr double rows_more = 4;
  const double of_all = variance_of_all(losses, some);
  std::vector<double> noise;
  for (const std::size_t k : some) {
    const double rows = losses.counts[k];
    const double variance = (losses.within(k) + rows_more * of_all) / (rows - 1 + rows_more);
    noise.push_back(variance / rows);
  }
  return noise;
}

/// The variance of true means behind means with these squared standard errors, all above 0: by
/// moments with the means weighed by 1 over these (R. DerSimonian, N. Laird, 1986), so that the
/// noise of one small cell does not pass for a difference of all.
double spread_beyond(std::span<const double> noise, std::span<const double> means) {
  double weights = 0, squares = 0, centre = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    weights += 1 / noise[i];
    squares += 1 / (noise[i] * noise[i]);
    centre += means[i] / noise[i];
  }
  centre /= weights;
  double beyond = 1 - static_cast<double>(noise.size());
  for (std::size_t i = 0; i < noise.size(); ++i) {
    beyond += (means[i] - centre) * (means[i] - centre) / noise[i];
  }
  return std::max(0.0, beyond / (weights - squares / weights));
}

/// What is expected of true means less their centre where their deviation is known.
struct Expected {
  double log_likelihood = 0;  ///< of the means that were found, the centre being unknown
  std::vector<double> means;
};
Expected expected_means(std::span<const double> noise, std::span<const double> means,
                        double variance) {
  double weights = 0, centre = 0;
  Expected found;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double weight = 1 / (variance + noise[i]);
    weights += weight;
    centre += weight * means[i];
    found.log_likelihood += 0.5 * base::log(weight);
  }
  centre /= weights;
  found.log_likelihood -= 0.5 * base::log(weights);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double apart = means[i] - centre, sum = variance + noise[i];
    found.log_likelihood -= 0.5 * apart * apart / sum;
    found.means.push_back(apart * variance / sum);
  }
  return found;
}

/// The means of some cells less their centre, shrunk towards it where they may be noise. Two means
/// say little of how far the true ones lie apart, and where that is much by chance all of it would
/// be aimed at: so expected means are averaged over deviations t, of density s / (s + t)^2
/// beforehand (W. DuMouchel, 1994), whose median s is of the order of what large tables have.
/// Nothing is left where moments find no more than noise.
/// @returns the variance of their true means, by moments.
double shrink(const HeldOutLosses& losses, std::span<const std::size_t> some,
              std::vector<double>& of_cell) {
  constexpr double usual = 0.02;
  constexpr int points = 64;
  const std::vector<double> noise = noise_of(losses, some);
  const bool are_equal = noise.front() == 0;  // all rows, as each cell has a share of all variance
  std::vector<double> means;
  for (const std::size_t k : some) means.push_back(std::exchange(of_cell[k], 0.0));
  const double spread = are_equal ? 0 : spread_beyond(noise, means);
  if (!(spread > 0)) return 0;
  std::vector<Expected> all;
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int k = 0; k < points; ++k) {
    const double deviation = usual * (k + 0.5) / (points - k - 0.5);
    all.push_back(expected_means(noise, means, deviation * deviation));
    largest = std::max(largest, all.back().log_likelihood);
  }
  for (const Expected& one : all) sum += base::exp(one.log_likelihood - largest);
  for (const Expected& one : all) {
    const double share = base::exp(one.log_likelihood - largest) / sum;
    for (std::size_t i = 0; i < some.size(); ++i) of_cell[some[i]] += share * one.means[i];
  }
  return spread;
}

/// The cells that are compared with each other: those of each label, or all.
std::vector<std::vector<std::size_t>> compared_cells(const std::vector<Cell>& cells) {
  std::vector<std::vector<std::size_t>> compared;
  for (const auto& label : {std::optional<bool>{}, std::optional{true}, std::optional{false}}) {
    std::vector<std::size_t> some;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (cells[k].positive == label) some.push_back(k);
    }
    if (!some.empty()) compared.push_back(std::move(some));
  }
  return compared;
}

/// L.
std::vector<double> beyond_noise(const std::vector<Cell>& cells, const HeldOutLosses& losses) {
  std::vector<double> of_cell = losses.means();
  for (const auto& some : compared_cells(cells)) (void)shrink(losses, some, of_cell);
  return of_cell;
}

/// The variance of a row's loss within its cell, of the rows of some cells together.
double variance_within(const HeldOutLosses& losses, std::span<const std::size_t> some) {
  double squares = 0, rows = 0;
  for (const std::size_t k : some) {
    squares += losses.within(k);
    rows += losses.counts[k] - 1;
  }
  return rows > 0 ? squares / rows : 0;
}

std::vector<UnsureCell> unsure_cells(const std::vector<Cell>& cells, const HeldOutLosses& losses,
                                     double delta) {
  std::vector<UnsureCell> unsure;
  for (const auto& some : compared_cells(cells)) {
    std::vector<double> of_cell = losses.means();
    const double sure = std::max(delta, std::sqrt(shrink(losses, some, of_cell)));
    const double variance = variance_within(losses, some);
    for (const std::size_t k : some) {
      const double error = std::sqrt(variance / losses.counts[k]);
      if (error > sure) unsure.push_back({k, static_cast<std::int64_t>(losses.counts[k]), error});
    }
  }
  std::ranges::sort(unsure, {}, &UnsureCell::cell);
  return unsure;
}

constexpr double probing_factor = 3;

class AimedTraining {
 public:
  AimedTraining(const Problem& problem, const CertifiedOptions& options, const Address& address,
                const std::vector<double>& start, const RunOptions& run,
                const solvers::Control& control)
      : problem_{problem},
        options_{options},
        address_{address},
        start_{start},
        run_{run},
        control_{control},
        plain_(problem.constraints.cells().size()),
        probed_(plain_),
        changes_(plain_) {
    if (options.shift == Shift::folds) fold_ = folds_of(problem.train, options.folds, address);
  }

  AimedResult run() {
    if (control_.resume) restore(*control_.resume);
    for (; done_ + 1 < runs_of(options_); ++done_) {
      if (probes() && !is_anything_to_aim()) break;
      learn_what_lies_beside();
    }
    AimedResult found;
    if (options_.shift != Shift::none) {
      found.held_out = plain_.means();
      found.factor = factor();
      found.offset = aimed_by(found.factor);
      found.unsure = unsure_cells(problem_.constraints.cells(), plain_, options_.delta);
    }
    Certified certified(problem_, options_, address_, found.offset);
    found.result = train(problem_, certified, start_, run_, watched());
    found.result.evaluations += evaluations_ + certified.beyond_budget();
    found.tightening = certified.tightening();
    found.draw = certified.draw();
    const double aim = std::max(0.0, certified.aim());
    found.factor *= aim;
    for (double& value : found.offset) value *= aim;
    return found;
  }

 private:
  [[nodiscard]] std::int64_t runs_a_round() const {
    return options_.shift == Shift::folds ? options_.folds : 1;
  }
  [[nodiscard]] bool probes() const { return done_ >= runs_a_round(); }
  [[nodiscard]] std::int64_t fold() const { return done_ % runs_a_round(); }

  void learn_what_lies_beside() {
    const Problem part = without_held_out();
    // Both rounds draw the same batches: what differs between them is the aim alone.
    const Address address{address_.seed, fmt::format("{}/held out {}", address_.task_key, fold())};
    Certified certified(part, options_, address,
                        probes() ? aimed_by(probing_factor) : std::vector<double>{});
    RunOptions run = run_;
    run.trace_points = 0;
    const TrainingResult found = train(part, certified, start_, run, watched());
    resume_.clear();
    evaluations_ += found.evaluations + certified.beyond_budget();
    if (probes()) reached_ += std::max(0.0, certified.aim()) / static_cast<double>(runs_a_round());
    if (options_.classifier == Classifier::randomised) {
      add_losses(certified.draw().members, certified.draw().shares);
    } else {
      add_losses({found.w}, {1.0});
    }
  }

  /// Whether the held-out gaps are more than noise.
  [[nodiscard]] bool is_anything_to_aim() const { return largest_size(gaps_of(aimed_by(1))) > 0; }

  /// f L.
  [[nodiscard]] std::vector<double> aimed_by(double factor) const {
    std::vector<double> of_cell = beyond_noise(problem_.constraints.cells(), plain_);
    for (double& value : of_cell) value *= factor;
    return of_cell;
  }

  [[nodiscard]] double factor() const {
    if (!is_anything_to_aim()) return 0;
    if (options_.shift_factor > 0) return options_.shift_factor;
    const double probed = reached_ * probing_factor;
    if (!(probed > 0)) return 1;  // nothing was learnt of how gaps follow
    constexpr double most = probing_factor;
    const std::vector<double> wanted = gaps_of(beyond_noise(problem_.constraints.cells(), plain_));
    const std::vector<double> before = gaps_of(plain_.means()), after = gaps_of(probed_.means());
    const std::vector<double> noise = noise_of_changes();
    double along = 0, square = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double response = (after[i] - before[i]) / probed;
      along -= wanted[i] * response;
      square += response * response + noise[i] / (probed * probed);
    }
    return along > 0 ? std::min(most, along / square) : 0;
  }
  /// Squared standard errors of what the gaps of the same rows have changed by, shape (gaps,).
  [[nodiscard]] std::vector<double> noise_of_changes() const {
    const GapConstraints& constraints = problem_.constraints;
    std::vector<double> noise(static_cast<std::size_t>(constraints.gaps()), 0.0);
    for (std::size_t k = 0; k < changes_.counts.size(); ++k) {
      const double rows = changes_.counts[k];
      const double of_mean = changes_.within(k) / (rows * std::max(1.0, rows - 1));
      for (std::size_t i = 0; i < noise.size(); ++i) {
        const double factor =
            constraints.factor(static_cast<std::int64_t>(i), static_cast<std::int64_t>(k));
        noise[i] += factor * factor * of_mean;
      }
    }
    return noise;
  }
  [[nodiscard]] std::vector<double> gaps_of(const std::vector<double>& of_cell) const {
    std::vector<double> gaps(static_cast<std::size_t>(problem_.constraints.gaps()));
    problem_.constraints.gaps_of(of_cell, gaps);
    return gaps;
  }

  /// What this run learns from.
  [[nodiscard]] Problem without_held_out() const {
    Problem part = problem_;
    if (options_.shift == Shift::folds)
      part.train = rows_where([&](auto fold) { return fold != this->fold(); });
    return part;
  }
  [[nodiscard]] std::size_t rows_held_out(std::int64_t fold) const {
    if (options_.shift == Shift::hold_out) return problem_.validation.rows.size();
    return static_cast<std::size_t>(std::ranges::count(fold_, fold));
  }
  [[nodiscard]] Part held_out() const {
    if (options_.shift == Shift::hold_out) return problem_.validation;
    return rows_where([&](auto fold) { return fold == this->fold(); });
  }
  [[nodiscard]] Part rows_where(const std::function<bool(std::int64_t fold)>& wanted) const {
    Part part{{}, {}, std::vector<std::vector<std::int64_t>>(problem_.train.of_cell.size())};
    for (std::size_t i = 0; i < fold_.size(); ++i) {
      if (!wanted(fold_[i])) continue;
      const std::int64_t row = problem_.train.rows[i];
      const std::int32_t cell = problem_.train.cell[i];
      part.rows.push_back(row);
      part.cell.push_back(cell);
      if (cell >= 0) part.of_cell[static_cast<std::size_t>(cell)].push_back(row);
    }
    return part;
  }

  /// Of the rows held out, by what is drawn with these shares.
  void add_losses(const std::vector<std::vector<double>>& members,
                  const std::vector<double>& shares) {
    const Part part = held_out();
    FullData full(problem_, control_, any_mean_loss);
    std::vector<double> labels, of_rows(part.rows.size(), 0.0), of_member(part.rows.size());
    for (const std::int64_t row : part.rows) {
      labels.push_back(problem_.labels[static_cast<std::size_t>(row)]);
    }
    for (std::size_t m = 0; m < members.size(); ++m) {
      cell_values(problem_, full.scores(part, members[m]), labels, of_member);
      for (std::size_t i = 0; i < of_rows.size(); ++i) of_rows[i] += shares[m] * of_member[i];
    }
    for (std::size_t i = 0; i < of_rows.size(); ++i) {
      const std::int32_t cell = part.cell[i];
      if (!probes()) of_rows_.push_back(of_rows[i]);
      if (cell >= 0) (probes() ? probed_ : plain_).add(cell, of_rows[i]);
      if (cell >= 0 && probes()) changes_.add(cell, of_rows[i] - of_rows_[compared_]);
      if (probes()) ++compared_;
    }
  }

  /// The caller's control for the run that goes on.
  [[nodiscard]] solvers::Control watched() const {
    const auto runs = static_cast<double>(runs_of(options_));
    solvers::Control watch{.request = control_.request};
    watch.report = [this, runs](const solvers::Progress& now) {
      const std::string which =
          runs > 1 ? fmt::format("run {} of {}, ", done_ + 1, runs_of(options_)) : "";
      control_.tell({(static_cast<double>(done_) + now.fraction) / runs, which + now.text});
    };
    if (control_.save)
      watch.save = [this](const std::string& state) { control_.save(pack(state)); };
    if (!resume_.empty()) watch.resume = resume_;
    return watch;
  }

  [[nodiscard]] std::string pack(const std::string& state) const {
    if (options_.shift == Shift::none) return state;
    solvers::Packer packer;
    packer.raw(magic);
    packer.number(done_);
    packer.number(evaluations_);
    packer.number(reached_);
    plain_.pack(packer);
    probed_.pack(packer);
    changes_.pack(packer);
    packer.array(std::span<const double>(of_rows_));
    packer.number(static_cast<std::int64_t>(compared_));
    packer.raw(state);
    return packer.take();
  }

  void restore(const std::string& state) {
    if (options_.shift == Shift::none) {
      resume_ = state;
      return;
    }
    solvers::Unpacker unpacker(state);
    if (unpacker.raw(magic.size()) != magic) {
      throw base::CheckpointError("a checkpoint is not one of aimed training");
    }
    done_ = unpacker.number<std::int64_t>();
    evaluations_ = unpacker.number<std::int64_t>();
    reached_ = unpacker.number<double>();
    plain_.unpack(unpacker);
    probed_.unpack(unpacker);
    changes_.unpack(unpacker);
    of_rows_ = unpacker.array<std::vector<double>>();
    const auto compared = unpacker.number<std::int64_t>();
    compared_ = static_cast<std::size_t>(compared);
    std::size_t looked_at = 0, looked_at_again = 0;
    for (std::int64_t run = 0; run < std::min(done_, 2 * runs_a_round()); ++run) {
      (run < runs_a_round() ? looked_at : looked_at_again) += rows_held_out(run % runs_a_round());
    }
    if (done_ < 0 || done_ >= runs_of(options_) || evaluations_ < 0 ||
        of_rows_.size() != looked_at || compared_ != looked_at_again) {
      throw base::CheckpointError("a checkpoint is of another aimed training");
    }
    resume_ = unpacker.rest();
  }

  const Problem& problem_;
  const CertifiedOptions& options_;
  const Address& address_;
  const std::vector<double>& start_;
  const RunOptions& run_;
  const solvers::Control& control_;
  std::vector<std::int64_t> fold_;  ///< by position in the training part
  std::int64_t done_ = 0;           ///< runs
  std::int64_t evaluations_ = 0;    ///< of these
  double reached_ = 0;              ///< share of the probes' aim, on average
  HeldOutLosses plain_, probed_;    ///< of the runs aimed at zero, and of those aimed beside it
  HeldOutLosses changes_;           ///< of the same rows, from the former to the latter
  std::vector<double> of_rows_;     ///< losses by the former, as they were held out
  std::size_t compared_ = 0;        ///< of these rows, those that the latter have looked at
  std::string resume_;              ///< the state of the run that goes on
};

}  // namespace

std::int64_t runs_of(const CertifiedOptions& options) {
  if (options.shift == Shift::none) return 1;
  const std::int64_t rounds = options.shift_factor > 0 ? 1 : 2;
  return 1 + rounds * (options.shift == Shift::folds ? options.folds : 1);
}

AimedResult aimed_training(const Problem& problem, const CertifiedOptions& options,
                           const Address& address, const std::vector<double>& start,
                           const RunOptions& run, const solvers::Control& control) {
  return AimedTraining(problem, options, address, start, run, control).run();
}

}  // namespace fairfront::training
