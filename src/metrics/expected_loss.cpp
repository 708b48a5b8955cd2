#include "metrics/expected_loss.hpp"

#include <algorithm>

namespace fairfront::metrics {
namespace {

/// A loss that cannot come adds nothing, though it were infinite.
double times_loss(double probability, double loss) {
  return probability > 0 ? probability * loss : 0;
}

/// The mean of `rows` numbers that are `seen` and rows_of_expectation that are `expected`, where
/// that is more than what was seen.
double raised(double rows, double seen, double expected) {
  const double all = rows + rows_of_expectation;
  return std::max(seen, (rows * seen + rows_of_expectation * expected) / all);
}

}  // namespace

void ExpectedLoss::add(double probability, double if_positive, double if_negative) noexcept {
  means_.add(times_loss(probability, if_positive) + times_loss(1 - probability, if_negative));
  const double either = probability * (1 - probability);
  const double apart = either > 0 ? if_positive - if_negative : 0;
  within_ += either * apart * apart;
}

double ExpectedLoss::squared_error() const noexcept {
  const double among = means_.standard_error();
  return within_ / (means_.rows * means_.rows) + among * among;
}

double raised_squared_error(const Moments& seen, const ExpectedLoss& expected) {
  const double error = seen.standard_error();
  return raised(seen.rows - 1, error * error, expected.squared_error());
}

double raised_mean(const Moments& seen, const ExpectedLoss& expected) {
  return raised(seen.rows, seen.mean, expected.mean());
}

}  // namespace fairfront::metrics
