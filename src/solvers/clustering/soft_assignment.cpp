#include "solvers/clustering/soft_assignment.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "solvers/clustering/implicit_slopes.hpp"

namespace fairfront::clustering {
namespace {

constexpr double least_membership = SoftBlock::least_membership;
constexpr double least_mass = 1e-15;
constexpr double widest_span = 600;  // exp(-600) / K is a normal number

using base::at;

/// Two numbers side by side, which every processor we build for multiplies at once.
using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;
using PairBits [[gnu::vector_size(2 * sizeof(double))]] = std::uint64_t;

/// Products of many numbers in (0, 1], without underflow: mantissas and exponents apart.
class PairProducts {
 public:
  /// @param factors  positive normal numbers.
  void multiply(Pair factors) {
    const auto bits = reinterpret_cast<PairBits>(mantissas_ * factors);
    exponents_ += bits >> 52;
    mantissas_ = reinterpret_cast<Pair>((bits & mantissa_bits) | bits_of_one);
    ++factors_;
  }
  /// The product of all factors of a lane is mantissa 2^exponent.
  [[nodiscard]] double mantissa(int lane) const { return mantissas_[lane]; }
  [[nodiscard]] double exponent(int lane) const {
    return static_cast<double>(static_cast<std::int64_t>(exponents_[lane] - bias * factors_));
  }

 private:
  static constexpr std::uint64_t bias = 1023;
  static constexpr std::uint64_t mantissa_bits = (std::uint64_t{1} << 52) - 1;
  static constexpr std::uint64_t bits_of_one = bias << 52;
  Pair mantissas_ = {1, 1};
  PairBits exponents_{};
  std::uint64_t factors_ = 0;
};

}  // namespace

/// What the blocks of one group add up.
struct SoftAssignment::GroupPass {
  std::span<double> masses;  ///< (K, lanes)
  double attraction[lanes] = {};
  PairProducts norms = {};
  double log_norms = 0;  ///< of the rows updated through logarithms
};

namespace {

/// To `count` zeros, piece by piece: gigabytes of memory take seconds.
void grow(std::vector<double>& values, std::size_t count, const std::function<void()>& between) {
  constexpr std::size_t piece = std::size_t{1} << 22;
  values.reserve(count);
  while (values.size() < count) {
    if (between) between();
    values.resize(std::min(count, values.size() + piece));
  }
}

}  // namespace

SoftUpdate soft_update([[maybe_unused]] base::Simd simd) noexcept {
#if defined(__x86_64__)
  if (simd == base::Simd::avx512) return soft_update_avx512;
  if (simd == base::Simd::avx2) return soft_update_avx2;
#endif
  return soft_update_baseline;
}

SoftAssignment::SoftAssignment(const Problem& problem, double lipschitz,
                               std::function<void()> between)
    : problem_{problem},
      between_{std::move(between)},
      clusters_{problem.clusters()},
      first_lipschitz_{lipschitz},
      lipschitz_{lipschitz},
      update_block_{soft_update(base::simd())} {
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    first_block_.push_back(blocks_.size());
    const std::int64_t end = problem.group_begin(j + 1);
    for (std::int64_t p = problem.group_begin(j); p < end; p += lanes) {
      blocks_.push_back({p, std::min(lanes, end - p), 0.0});
    }
    shares_.push_back(static_cast<double>(end - problem.group_begin(j)) /
                      static_cast<double>(problem.points()));
  }
  first_block_.push_back(blocks_.size());
  const std::size_t entries = entry(blocks_.size());
  for (auto* values : {&memberships_, &previous_, &distances_, &factors_}) {
    grow(*values, entries, between_);
  }
  masses_.assign(at(problem.groups() * clusters_), 0.0);
  previous_masses_ = masses_;
  sizes_.assign(at(clusters_), 0.0);
  slopes_ = previous_slopes_ = exponents_ = slope_factors_ = masses_;
  growths_.assign(masses_.size(), 1.0);
  cluster_masses_.assign(at(problem.groups()), 0.0);
  cluster_slopes_ = cluster_masses_;
  distances_to_.assign(Centres(problem).padded(), 0.0);
  norm_mantissas_.assign(at(2 * problem.groups()), 1.0);
  sums_.resize(at(problem.groups()));
  lane_masses_.assign(at(clusters_ * lanes), 0.0);
}

void SoftAssignment::start(const Centres& centres) {
  least_distances_ = 0;
  attraction_ = 0;
  lipschitz_ = first_lipschitz_;
  is_implicit_ = false;
  std::ranges::fill(masses_, 0.0);
  std::ranges::fill(slopes_, 0.0);
  std::ranges::fill(growths_, 1.0);
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (between_) between_();
    place(block, centres);
  }
  fill_factors();
}

void SoftAssignment::take_back() {
  memberships_.swap(previous_);
  masses_.swap(previous_masses_);
  slopes_.swap(previous_slopes_);
  std::ranges::fill(growths_, 1.0);
  attraction_ = previous_attraction_;
}

void SoftAssignment::set_lipschitz(double lipschitz) {
  const double before = std::exchange(lipschitz_, lipschitz);
  if (lipschitz == before / 2) {
    square_factors();
  } else if (lipschitz != before) {
    fill_factors();
  }
}

/// exp(-(a - min_k a) / L), in the used lanes.
void SoftAssignment::fill_factors() {
  double least[lanes];
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (between_) between_();
    const std::span factors = entries_of(factors_, block);
    const double* const distances = distances_.data() + entry(block);
    find_least_distances(block, least);
    for (std::int64_t i = 0; i < clusters_ * lanes; i += lanes) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        factors[at(i + lane)] = -(distances[i + lane] - least[lane]) / lipschitz_;
      }
    }
    exponentiate(factors, blocks_[block].count);
  }
}

/// The factors of half of the L that they are for.
void SoftAssignment::square_factors() {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (between_) between_();
    for (double& factor : entries_of(factors_, block)) factor *= factor;
  }
}

/// e to the power of every entry of a block; 0 in unused lanes.
void SoftAssignment::exponentiate(std::span<double> entries, std::int64_t count) {
  for (std::size_t row = 0; row < entries.size(); row += at(lanes)) {
    for (std::int64_t lane = count; lane < lanes; ++lane) {
      entries[row + at(lane)] = -std::numeric_limits<double>::infinity();
    }
  }
  base::exp(entries, entries);
}

/// min_k a_pk of the rows of a block, shape (lanes,).
void SoftAssignment::find_least_distances(std::size_t block, std::span<double> least) const {
  const double* const distances = distances_.data() + entry(block);
  std::ranges::fill(least, std::numeric_limits<double>::infinity());
  for (std::int64_t i = 0; i < clusters_ * lanes; i += lanes) {
    for (std::size_t lane = 0; lane < at(lanes); ++lane) {
      const double distance = distances[at(i) + lane];
      least[lane] = distance < least[lane] ? distance : least[lane];
    }
  }
}

/// Distances and first memberships of one block.
void SoftAssignment::place(std::size_t block, const Centres& centres) {
  Block& here = blocks_[block];
  here.span = 0;
  const std::size_t group = at(problem_.group_of(here.point) * clusters_);
  for (std::int64_t lane = 0; lane < here.count; ++lane) {
    const std::size_t first = entry(block) + at(lane);
    centres.squared_distances(problem_.point(here.point + lane), distances_to_.data());
    const auto row = std::span(distances_to_).first(at(clusters_));
    const auto [lowest, highest] = std::ranges::minmax(row);
    here.span = std::max(here.span, highest - lowest);
    least_distances_ += lowest;
    for (std::int64_t k = 0; k < clusters_; ++k) {
      distances_[first + at(k * lanes)] = row[at(k)];
      memberships_[first + at(k * lanes)] = -(row[at(k)] - lowest);
    }
  }
  exponentiate(entries_of(memberships_, block), here.count);
  double norms[lanes] = {};
  for (std::int64_t i = 0; i < clusters_ * lanes; ++i) {
    norms[i % lanes] += memberships_[entry(block) + at(i)];
  }
  for (std::int64_t k = 0; k < clusters_; ++k) {
    for (std::int64_t lane = 0; lane < here.count; ++lane) {
      const std::size_t i = entry(block) + at(k * lanes + lane);
      memberships_[i] = std::max(memberships_[i] / norms[lane], least_membership);
      masses_[group + at(k)] += memberships_[i];
      attraction_ += memberships_[i] * distances_[i];
    }
  }
}

double SoftAssignment::update(double mu) {
  previous_.swap(memberships_);
  previous_masses_ = masses_;
  previous_slopes_.swap(slopes_);
  previous_attraction_ = attraction_;
  weigh_groups(mu);
  attraction_ = 0;
  for (std::int64_t j = 0; j < problem_.groups(); ++j) update_group(j);
  constexpr double most = 4;
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    growths_[i] = std::clamp(masses_[i] / previous_masses_[i], 1 / most, most);
  }
  return energy() + (1 - 1 / lipschitz_) * attraction_;
}

/// b_jk: the derivative of the penalty with respect to s_pk, for every p of group j.
void SoftAssignment::find_slopes(double mu) {
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    for (std::int64_t k = 0; k < clusters_; ++k) {
      of_group(slopes_, j)[at(k)] = mu * (1 / std::max(sizes_[at(k)], least_mass) -
                                          shares_[at(j)] / std::max(mass(k, j), least_mass));
    }
  }
}

/// The same where the update is expected to end.
void SoftAssignment::find_implicit_slopes(double mu) {
  for (std::int64_t k = 0; k < clusters_; ++k) {
    for (std::size_t j = 0; j < cluster_masses_.size(); ++j) {
      const std::size_t i = j * at(clusters_) + at(k);
      cluster_masses_[j] = masses_[i] * growths_[i];
      cluster_slopes_[j] = previous_slopes_[i];
    }
    make_implicit(shares_, cluster_masses_, mu, lipschitz_, cluster_slopes_);
    for (std::size_t j = 0; j < cluster_slopes_.size(); ++j) {
      slopes_[j * at(clusters_) + at(k)] = cluster_slopes_[j];
    }
  }
}

/// What the penalty does to the memberships of each group. All groups at once, as exponentials of
/// few numbers cost as much as those of eight.
void SoftAssignment::weigh_groups(double mu) {
  std::ranges::fill(sizes_, 0.0);
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    for (std::int64_t k = 0; k < clusters_; ++k) sizes_[at(k)] += mass(k, j);
  }
  if (is_implicit_) {
    find_implicit_slopes(mu);
  } else {
    find_slopes(mu);
  }
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    const std::span slopes = of_group(slopes_, j);
    const auto [least, greatest] = std::ranges::minmax(slopes);
    for (std::int64_t k = 0; k < clusters_; ++k) {
      of_group(exponents_, j)[at(k)] = -(slopes[at(k)] - least) / lipschitz_;
    }
    sums_[at(j)] = {.least_slope = least, .slope_range = greatest - least};
  }
  base::exp(exponents_, slope_factors_);
}

void SoftAssignment::update_group(std::int64_t group) {
  constexpr std::size_t blocks_between = 64;  // a look at the caller must not cost anything
  const double room = widest_span * lipschitz_ - sums_[at(group)].slope_range;
  std::ranges::fill(lane_masses_, 0.0);
  GroupPass pass{.masses = lane_masses_};
  for (std::size_t block = first_block_[at(group)]; block < first_block_[at(group) + 1]; ++block) {
    if (between_ && block % blocks_between == 0) between_();
    if (blocks_[block].span <= room) {
      update_fast(block, of_group(slope_factors_, group).data(), pass);
    } else {
      update_wide(block, of_group(exponents_, group).data(), pass);
    }
  }
  for (std::int64_t lane = 0; lane < lanes; lane += 2) {
    attraction_ += pass.attraction[lane] + pass.attraction[lane + 1];
  }
  for (std::int64_t k = 0; k < clusters_; ++k) {
    double sum = 0;
    for (std::int64_t lane = 0; lane < lanes; ++lane) sum += pass.masses[at(k * lanes + lane)];
    masses_[at(group * clusters_ + k)] = sum;
  }
  sums_[at(group)].log_norms = pass.log_norms;
  for (const int lane : {0, 1}) {
    norm_mantissas_[at(2 * group + lane)] = pass.norms.mantissa(lane);
    sums_[at(group)].norm_exponents[lane] = pass.norms.exponent(lane);
  }
}

/// What the groups have in the energy, but for their parts of the attraction.
double SoftAssignment::energy() {
  base::log(norm_mantissas_, norm_mantissas_);
  double energy = least_distances_ / lipschitz_;  // minus the shift of a in sum_p log Z_p
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    for (std::int64_t k = 0; k < clusters_; ++k) {
      energy += (1 - 1 / lipschitz_) * of_group(slopes_, j)[at(k)] * mass(k, j);
    }
    const GroupSums& sums = sums_[at(j)];
    double norms = 0;
    for (const int lane : {0, 1}) {
      norms += norm_mantissas_[at(2 * j + lane)] + sums.norm_exponents[lane] * std::numbers::ln2;
    }
    const std::int64_t members = problem_.group_begin(j + 1) - problem_.group_begin(j);
    energy -= norms + sums.log_norms - static_cast<double>(members) * sums.least_slope / lipschitz_;
  }
  return energy;
}

/// @param factor  exp(-b_jk / L) up to a common factor, shape (K,).
void SoftAssignment::update_fast(std::size_t block, const double* factor, GroupPass& pass) {
  double norms[lanes];
  update_block_({.clusters = clusters_,
                 .count = blocks_[block].count,
                 .previous = previous_.data() + entry(block),
                 .factors = factors_.data() + entry(block),
                 .distances = distances_.data() + entry(block),
                 .of_group = factor,
                 .memberships = memberships_.data() + entry(block),
                 .masses = pass.masses.data(),
                 .norms = norms,
                 .attraction = pass.attraction});
  for (std::int64_t lane = 0; lane < lanes; lane += 2) {
    pass.norms.multiply(Pair{norms[lane], norms[lane + 1]});
  }
}

/// The same through logarithms.
/// @param exponent  -b_jk / L up to a common summand, shape (K,).
void SoftAssignment::update_wide(std::size_t block, const double* exponent, GroupPass& pass) {
  const std::int64_t count = blocks_[block].count;
  const std::span logs = entries_of(memberships_, block);
  base::log(entries_of(previous_, block), logs);
  double tops[lanes];
  double least[lanes];
  find_least_distances(block, least);
  for (std::int64_t lane = 0; lane < count; ++lane) {
    tops[lane] = -std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < clusters_; ++k) {
      const std::size_t i = at(k * lanes + lane);
      logs[i] += exponent[k] - (distances_[entry(block) + i] - least[lane]) / lipschitz_;
      tops[lane] = std::max(tops[lane], logs[i]);
    }
    for (std::int64_t k = 0; k < clusters_; ++k) logs[at(k * lanes + lane)] -= tops[lane];
  }
  exponentiate(logs, count);
  for (std::int64_t lane = 0; lane < count; ++lane) {
    double norm = 0;
    for (std::int64_t k = 0; k < clusters_; ++k) norm += logs[at(k * lanes + lane)];
    pass.log_norms += tops[lane] + base::log(norm);
    for (std::int64_t k = 0; k < clusters_; ++k) {
      const std::size_t i = at(k * lanes + lane);
      logs[i] = std::max(logs[i] / norm, least_membership);
      pass.masses[i] += logs[i];
      pass.attraction[lane] += logs[i] * distances_[entry(block) + i];
    }
  }
}

double SoftAssignment::objective(double mu) const {
  std::vector<double> logs(masses_.size());  // log(S_k / V_jk), (K, J)
  auto ratio = logs.begin();
  for (std::int64_t k = 0; k < clusters_; ++k) {
    double size = 0;
    for (std::int64_t j = 0; j < problem_.groups(); ++j) size += mass(k, j);
    for (std::int64_t j = 0; j < problem_.groups(); ++j) *ratio++ = size / mass(k, j);
  }
  base::log(logs, logs);
  double divergence = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) divergence += shares_[i % shares_.size()] * logs[i];
  return attraction_ + mu * divergence;
}

double SoftAssignment::mean_distance() const {
  return attraction_ / static_cast<double>(problem_.points());
}

template <class Label>
void SoftAssignment::hard_labels(std::span<Label> labels) const {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    for (std::int64_t lane = 0; lane < blocks_[block].count; ++lane) {
      const double* s = memberships_.data() + entry(block) + lane;
      std::int64_t best = 0;
      for (std::int64_t k = 1; k < clusters_; ++k) {
        if (s[k * lanes] > s[best * lanes]) best = k;
      }
      labels[at(blocks_[block].point + lane)] = static_cast<Label>(best);
    }
  }
}

std::size_t SoftAssignment::entry_of(std::int64_t point) const {
  const std::int64_t group = problem_.group_of(point);
  const std::int64_t place = point - problem_.group_begin(group);
  return entry(first_block_[at(group)] + at(place / lanes)) + at(place % lanes);
}

double SoftAssignment::membership(std::int64_t point, std::int64_t k) const {
  return memberships_[entry_of(point) + at(k * lanes)];
}

double SoftAssignment::mass(std::int64_t k, std::int64_t group) const {
  return masses_[at(group * clusters_ + k)];
}

double SoftAssignment::bytes(const Problem& problem) {
  const auto rows = static_cast<double>(problem.points() + lanes * problem.groups());
  return 4 * rows * static_cast<double>(problem.clusters()) * sizeof(double);
}

template void SoftAssignment::hard_labels(std::span<std::uint8_t>) const;
template void SoftAssignment::hard_labels(std::span<std::uint16_t>) const;

}  // namespace fairfront::clustering
