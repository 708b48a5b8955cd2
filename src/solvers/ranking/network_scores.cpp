#include "solvers/ranking/network_scores.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "models/fitted_scores.hpp"
#include "models/indicator_rows.hpp"
#include "models/kernels.hpp"
#include "solvers/ranking/score_rows.hpp"

namespace fairfront::ranking {
namespace {

using base::at;

constexpr std::int64_t block = 128;  ///< rows that are scored at a time where there are many

constexpr std::size_t ahead = 8;  ///< rows of a batch, drawn at random, that are on their way

/// Asks for a row's memory before it is needed.
void fetch(std::span<const double> row) {
  constexpr std::size_t line = 8;  // doubles
  for (std::size_t j = 0; j < row.size(); j += line) __builtin_prefetch(row.data() + j);
}

/// Memory for `rows` rows of padded(n) numbers that begins where a line of the cache does.
double* whole_rows(std::vector<double>& memory, std::size_t rows, std::size_t n) {
  constexpr std::size_t line = 8;
  const std::size_t size = rows * at(models::padded(static_cast<std::int64_t>(n)));
  if (memory.size() < size + line) memory.resize(size + line);
  void* begin = memory.data();
  std::size_t room = memory.size() * sizeof(double);
  return static_cast<double*>(
      std::align(line * sizeof(double), size * sizeof(double), begin, room));
}

/// A copy of the matrix (rows, n) in such memory.
double* copy_whole_rows(const double* matrix, std::size_t rows, std::size_t n,
                        std::vector<double>& memory) {
  double* const copy = whole_rows(memory, rows, n);
  const auto stride = at(models::padded(static_cast<std::int64_t>(n)));
  for (std::size_t j = 0; j < rows; ++j) {  // too short for a call each
    for (std::size_t u = 0; u < n; ++u) copy[j * stride + u] = matrix[j * n + u];
  }
  return copy;
}

}  // namespace

NetworkScores::NetworkScores(const LinearScores& rows, std::int64_t units)
    : rows_{rows}, network_(rows.columns(), {units}, models::Activation::sigmoid) {}

void NetworkScores::shifts(std::span<const double> w, std::vector<double>& shift) const {
  const auto units = at(network_.layers()[0].outputs);
  shift.assign(units, 0.0);
  const auto mean = rows_.mean();
  for (std::size_t j = 0; j < mean.size(); ++j) {
    for (std::size_t u = 0; u < units; ++u) shift[u] += mean[j] * w[j * units + u];
  }
}

void NetworkScores::scores(std::span<const double> w, std::span<const std::int64_t> batch,
                           Scratch& scratch, std::span<double> out) const {
  assert(std::ssize(w) == parameters() && batch.size() == out.size());
  const models::Layer& first = network_.layers()[0];
  const models::Layer& last = network_.layers()[1];
  const auto units = at(first.outputs);
  const auto columns = at(first.inputs);
  const double* biases = w.data() + first.biases;
  scratch.hidden_.resize(batch.size() * units);
  if (rows_.is_indexed()) {
    shifts(w, scratch.totals_);
    for (std::size_t u = 0; u < units; ++u) scratch.totals_[u] = biases[u] - scratch.totals_[u];
    const double* matrix = copy_whole_rows(w.data(), columns, units, scratch.padded_);
    rows_.indicators().multiply(batch, matrix, first.outputs, scratch.totals_.data(),
                                scratch.hidden_.data());
  } else {
    scratch.inputs_.resize(batch.size() * columns);
    double* input = scratch.inputs_.data();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i + ahead < batch.size()) fetch(rows_.centred(batch[i + ahead]));
      input = std::ranges::copy(rows_.centred(batch[i]), input).out;
    }
    models::affine(std::ssize(batch), first.inputs, first.outputs, scratch.inputs_.data(), w.data(),
                   biases, scratch.hidden_.data());
  }
  base::sigmoid(scratch.hidden_, scratch.hidden_);
  models::dots(models::Rows(scratch.hidden_, first.outputs), w.data() + last.weights, w.back(),
               out);
}

void NetworkScores::add_gradient(std::span<const double> w, std::span<const std::int64_t> batch,
                                 Scratch& scratch, std::span<const double> slopes,
                                 std::span<double> gradient) const {
  assert(gradient.size() == w.size() && batch.size() == slopes.size());
  const models::Layer& first = network_.layers()[0];
  const models::Layer& last = network_.layers()[1];
  const auto units = at(first.outputs);
  assert(scratch.hidden_.size() == batch.size() * units);
  models::add_weighted_rows(models::Rows(scratch.hidden_, first.outputs), slopes,
                            gradient.data() + last.weights);
  for (const double slope : slopes) gradient.back() += slope;
  scratch.deltas_.resize(batch.size() * units);
  scratch.totals_.assign(units, 0.0);
  models::pull_through_sigmoid(slopes, w.subspan(at(last.weights), units), scratch.hidden_.data(),
                               scratch.deltas_.data(), scratch.totals_.data());
  for (std::size_t u = 0; u < units; ++u) gradient[at(first.biases) + u] += scratch.totals_[u];
  if (!rows_.is_indexed()) {
    models::add_outer_products(std::ssize(batch), first.inputs, first.outputs,
                               scratch.inputs_.data(), scratch.deltas_.data(), gradient.data());
    return;
  }
  const auto mean = rows_.mean();
  double* matrix = copy_whole_rows(gradient.data(), mean.size(), units, scratch.padded_);
  rows_.indicators().add_outer_products(batch, scratch.deltas_.data(), first.outputs, matrix);
  const auto stride = at(models::padded(first.outputs));
  for (std::size_t j = 0; j < mean.size(); ++j) {
    for (std::size_t u = 0; u < units; ++u) {
      gradient[j * units + u] = matrix[j * stride + u] - mean[j] * scratch.totals_[u];
    }
  }
}

CellSums NetworkScores::sums(std::span<const double> w) const {
  Scratch scratch;
  CellSums sums;
  std::vector<std::int64_t> batch;
  std::vector<double> score;
  for (std::int64_t begin = 0; begin < rows(); begin += block) {
    batch.resize(at(std::min(block, rows() - begin)));
    std::iota(batch.begin(), batch.end(), begin);
    score.resize(batch.size());
    scores(w, batch, scratch, score);
    for (std::size_t i = 0; i < batch.size(); ++i) sums.add(cells()[at(batch[i])], score[i]);
  }
  return sums;
}

void NetworkScores::multiply_scores(std::span<double> w, double factor) const {
  for (double& value : w.subspan(at(network_.layers()[1].weights))) value *= factor;
}

double NetworkScores::most_factor(std::span<const double> w, double radius) const {
  const std::size_t hidden = at(network_.layers()[1].weights);
  const double left = radius * radius - squared_norm(w.first(hidden));
  return std::sqrt(std::max(left, 0.0) / squared_norm(w.subspan(hidden)));
}

std::vector<double> NetworkScores::scores_of(const models::Rows& rows,
                                             std::span<const double> w) const {
  std::vector<double> moved(w.begin(), w.end());
  models::fold_means(network_, rows_.mean(), moved);
  models::Perceptron::Scratch scratch;
  std::vector<double> score(at(rows.size()));
  for (std::int64_t begin = 0; begin < rows.size(); begin += block) {
    const models::Rows part = rows.part(begin, std::min(block, rows.size() - begin));
    network_.scores(moved, part, scratch, std::span(score).subspan(at(begin), at(part.size())));
  }
  return score;
}

std::vector<double> NetworkScores::initial_weights(base::Stream& stream) const {
  std::vector<double> w = network_.initial_weights(models::Initialisation::glorot, stream);
  const models::Layer& last = network_.layers()[1];
  std::fill(w.begin() + last.weights, w.end(), 0.0);
  return w;
}

double NetworkScores::score_bound(double radius) const {
  const auto weights = static_cast<double>(network_.layers()[1].inputs + 1);  // v and c
  return radius * std::sqrt(weights);
}

}  // namespace fairfront::ranking
