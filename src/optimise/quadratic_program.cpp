#include "optimise/quadratic_program.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "optimise/decomposition.hpp"

namespace fairfront::optimise {
namespace {

/// Slacks > 0 with their multipliers > 0, and a direction of both.
struct SlackPairs {
  Eigen::ArrayXd slack, multiplier;
  Eigen::ArrayXd d_slack = Eigen::ArrayXd::Zero(slack.size());
  Eigen::ArrayXd d_multiplier = Eigen::ArrayXd::Zero(slack.size());

  /// What the multipliers change by where the slacks stay, to products of `product`; `corrected` by
  /// the last direction's second-order terms.
  [[nodiscard]] Eigen::ArrayXd pull(double product, bool corrected) const {
    Eigen::ArrayXd target = Eigen::ArrayXd::Constant(slack.size(), product);
    if (corrected) target -= d_slack * d_multiplier;
    return target / slack - multiplier;
  }
  [[nodiscard]] Eigen::ArrayXd weight() const { return multiplier / slack; }
  /// The longest step that leaves everything at least 0.
  [[nodiscard]] double reach() const {
    double longest = 1;
    for (Eigen::Index i = 0; i < slack.size(); ++i) {
      if (d_slack[i] < 0) longest = std::min(longest, -slack[i] / d_slack[i]);
      if (d_multiplier[i] < 0) longest = std::min(longest, -multiplier[i] / d_multiplier[i]);
    }
    return longest;
  }
  [[nodiscard]] double products_after(double step) const {
    return ((slack + step * d_slack) * (multiplier + step * d_multiplier)).sum();
  }
  void move(double step) {
    slack += step * d_slack;
    multiplier += step * d_multiplier;
  }
};

/// The finite ones among bounds of variables.
class FiniteBounds {
 public:
  explicit FiniteBounds(const Eigen::VectorXd& bounds) {
    for (Eigen::Index j = 0; j < bounds.size(); ++j) {
      if (std::isfinite(bounds[j])) places_.push_back(j);
    }
  }
  [[nodiscard]] Eigen::ArrayXd of(const Eigen::VectorXd& values) const {
    Eigen::ArrayXd picked(std::ssize(places_));
    for (std::size_t k = 0; k < places_.size(); ++k) {
      picked[static_cast<Eigen::Index>(k)] = values[places_[k]];
    }
    return picked;
  }
  void add_to(Eigen::VectorXd& sums, const Eigen::ArrayXd& values) const {
    for (std::size_t k = 0; k < places_.size(); ++k) {
      sums[places_[k]] += values[static_cast<Eigen::Index>(k)];
    }
  }

 private:
  std::vector<Eigen::Index> places_;
};

class ProgramPath {
 public:
  explicit ProgramPath(const QuadraticProgram& program)
      : p_{program},
        lower_{program.low},
        upper_{program.high},
        x_{program.start},
        slopes_{program.matrix},
        rows_{slacks_at(x_).array(), program.multipliers.array()} {
    find_slopes();
    const Eigen::VectorXd slope = cost_slope() + slopes_.transpose() * program.multipliers;
    low_ = {lower_.of(x_ - p_.low), lower_.of(slope.cwiseMax(0.0)) + 1};
    high_ = {upper_.of(p_.high - x_), upper_.of((-slope).cwiseMax(0.0)) + 1};
  }

  QuadraticProgramResult follow() {
    constexpr int most_steps = 60;
    constexpr double precision = 1e-9;
    for (int k = 0; k < most_steps; ++k) {
      const double product = products_after(0) / pairs();
      const Eigen::VectorXd missed = rows_.slack.matrix() - slacks_at(x_);
      if (product <= precision && missed.lpNorm<Eigen::Infinity>() <= precision) break;
      find_slopes();
      factorise();
      if (!factors_.is_definite()) break;
      direct(0, false, missed);
      const double share = std::min(1.0, products_after(reach()) / pairs() / product);
      direct(share * share * share * product, true, missed);
      const double step = std::min(1.0, 0.995 * reach());
      if (!(step > 1e-12) || !d_x_.allFinite()) break;
      x_ += step * d_x_;
      for (SlackPairs* each : {&rows_, &low_, &high_}) each->move(step);
    }
    return {x_, rows_.multiplier.matrix()};
  }

 private:
  [[nodiscard]] Eigen::VectorXd slacks_at(const Eigen::VectorXd& x) const {
    const double quadratic = 0.5 * p_.metric.dot(x.cwiseAbs2());
    return p_.right - p_.matrix * x - quadratic * p_.row_bend;
  }
  [[nodiscard]] Eigen::VectorXd cost_slope() const {
    return p_.cost + p_.bend * p_.metric.cwiseProduct(x_);
  }
  void find_slopes() {
    const Eigen::VectorXd slope = p_.metric.cwiseProduct(x_);
    for (Eigen::Index i = 0; i < slopes_.rows(); ++i) {
      if (p_.row_bend[i] > 0) {
        slopes_.row(i) = p_.matrix.row(i) + p_.row_bend[i] * slope.transpose();
      }
    }
  }
  [[nodiscard]] double pairs() const {
    return static_cast<double>(rows_.slack.size() + low_.slack.size() + high_.slack.size());
  }
  [[nodiscard]] double products_after(double step) const {
    return rows_.products_after(step) + low_.products_after(step) + high_.products_after(step);
  }
  [[nodiscard]] double reach() const {
    return std::min({rows_.reach(), low_.reach(), high_.reach()});
  }

  void factorise() {
    weighted_.noalias() = rows_.weight().sqrt().matrix().asDiagonal() * slopes_;
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(slopes_.cols(), slopes_.cols());
    system.selfadjointView<Eigen::Lower>().rankUpdate(weighted_.transpose());
    Eigen::VectorXd diagonal = (p_.bend + p_.row_bend.dot(rows_.multiplier.matrix())) * p_.metric;
    lower_.add_to(diagonal, low_.weight());
    upper_.add_to(diagonal, high_.weight());
    system.diagonal() += diagonal;
    factors_ = Cholesky(std::move(system));
  }

  /// Newton's direction to slacks times multipliers of `product`.
  /// @param missed  of the rows, by their slacks.
  void direct(double product, bool corrected, const Eigen::VectorXd& missed) {
    const Eigen::ArrayXd weight = rows_.weight();
    const Eigen::ArrayXd row_pull = rows_.pull(product, corrected) + weight * missed.array();
    const Eigen::ArrayXd low_pull = low_.pull(product, corrected);
    const Eigen::ArrayXd high_pull = high_.pull(product, corrected);
    Eigen::VectorXd right =
        -cost_slope() - slopes_.transpose() * (rows_.multiplier + row_pull).matrix();
    lower_.add_to(right, low_.multiplier + low_pull);
    upper_.add_to(right, -(high_.multiplier + high_pull));
    d_x_ = factors_.solve(right);
    const Eigen::VectorXd d_rows = slopes_ * d_x_;
    rows_.d_slack = -(missed + d_rows).array();
    rows_.d_multiplier = row_pull + weight * d_rows.array();
    low_.d_slack = lower_.of(d_x_);
    low_.d_multiplier = low_pull - low_.weight() * low_.d_slack;
    high_.d_slack = -upper_.of(d_x_);
    high_.d_multiplier = high_pull - high_.weight() * high_.d_slack;
  }

  const QuadraticProgram& p_;
  FiniteBounds lower_, upper_;
  Eigen::VectorXd x_;
  Eigen::MatrixXd slopes_;    // of the rows at x
  Eigen::MatrixXd weighted_;  // kept, as its memory costs more than what it is for
  SlackPairs rows_, low_, high_;
  Eigen::VectorXd d_x_;
  Cholesky factors_;
};

}  // namespace

QuadraticProgramResult solve_quadratic_program(const QuadraticProgram& program) {
  return ProgramPath(program).follow();
}

}  // namespace fairfront::optimise
