#include "models/perceptron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "base/elementary.hpp"
#include "models/kernels.hpp"
#include "models/score_model.hpp"

namespace fairfront::models {

static_assert(ScoreModel<Perceptron>);

namespace {

void activate(Activation kind, std::span<double> values) {
  switch (kind) {
    case Activation::sigmoid:
      return base::sigmoid(values, values);
    case Activation::tanh:
      return base::tanh(values, values);
    case Activation::relu:
      for (double& value : values) value = value < 0 ? 0.0 : value;  // keeps NaN
  }
}

/// deltas *= derivative of the activation, told by its values.
void chain(Activation kind, std::span<const double> values, std::span<double> deltas) {
  const auto each = [&](auto derivative) {
    for (std::size_t i = 0; i < deltas.size(); ++i) deltas[i] *= derivative(values[i]);
  };
  switch (kind) {
    case Activation::sigmoid:
      return each([](double a) { return a * (1 - a); });
    case Activation::tanh:
      return each([](double a) { return 1 - a * a; });
    case Activation::relu:
      return each([](double a) { return a > 0 ? 1.0 : 0.0; });
  }
}

/// The elements of a matrix (rows, units) in `memory`.
std::span<double> block(double* memory, std::int64_t rows, std::int64_t units) {
  return {memory, static_cast<std::size_t>(rows * units)};
}

Rows all_rows(const double* matrix, std::int64_t rows, std::int64_t units) {
  return {std::span(matrix, static_cast<std::size_t>(rows * units)), units};
}

void gather(const Rows& rows, double* out) {
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    out = std::copy_n(rows.row(i), rows.columns(), out);
  }
}

/// out[i, o] = slopes[i] w[o], shape (rows, units).
void outer(std::int64_t rows, std::int64_t units, const double* slopes, const double* w,
           double* out) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t o = 0; o < units; ++o) out[i * units + o] = slopes[i] * w[o];
  }
}

/// out += the sums of the columns of delta (rows, units).
void add_column_sums(const double* delta, std::int64_t rows, std::int64_t units, double* out) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t o = 0; o < units; ++o) out[o] += delta[i * units + o];
  }
}

}  // namespace

Perceptron::Perceptron(std::int64_t inputs, const std::vector<std::int64_t>& hidden,
                       Activation activation)
    : activation_{activation}, units_{inputs}, widest_{1} {
  if (inputs < 1) {
    throw std::invalid_argument(fmt::format("Perceptron: inputs = {}, must be >= 1", inputs));
  }
  std::int64_t place = 0;
  const auto add_layer = [&](std::int64_t in, std::int64_t out) {
    layers_.push_back({in, out, place, place + in * out});
    place += in * out + out;
  };
  for (const std::int64_t units : hidden) {
    if (units < 1) {
      throw std::invalid_argument(fmt::format("Perceptron: hidden = {}, must be >= 1", units));
    }
    add_layer(layers_.empty() ? inputs : layers_.back().outputs, units);
    units_ += units;
    widest_ = std::max(widest_, units);
  }
  add_layer(layers_.empty() ? inputs : layers_.back().outputs, 1);
}

void Perceptron::grow(Scratch& scratch, std::int64_t rows) const {
  const auto fit = [&](std::vector<double>& memory, std::int64_t units) {
    const auto size = static_cast<std::size_t>(rows * units);
    if (memory.size() < size) memory.resize(size);
  };
  fit(scratch.activations_, units_);
  fit(scratch.deltas_, 2 * widest_);
  scratch.rows_ = rows;
}

void Perceptron::scores(std::span<const double> w, const Rows& rows, Scratch& scratch,
                        std::span<double> out) const {
  assert(std::ssize(w) == parameters() && rows.columns() == inputs());
  assert(std::ssize(out) == rows.size());
  const std::int64_t m = rows.size();
  grow(scratch, m);
  if (m == 0) return;
  double* in = scratch.activations_.data();
  gather(rows, in);
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    double* const next = in + m * layer.inputs;
    affine(m, layer.inputs, layer.outputs, in, w.data() + layer.weights, w.data() + layer.biases,
           next);
    activate(activation_, block(next, m, layer.outputs));
    in = next;
  }
  const Layer& last = layers_.back();
  dots(all_rows(in, m, last.inputs), w.data() + last.weights, w.back(), out);
}

void Perceptron::pull_back(std::span<const double> w, const Rows& rows, Scratch& scratch,
                           std::span<const double> slopes, std::span<double> gradient) const {
  assert(std::ssize(w) == parameters() && gradient.size() == w.size());
  assert(scratch.rows_ == rows.size() && std::ssize(slopes) == rows.size());
  const std::int64_t m = rows.size();
  if (m == 0) return;
  const Layer& last = layers_.back();
  const double* in = scratch.activations_.data() + m * (units_ - last.inputs);
  add_weighted_rows(all_rows(in, m, last.inputs), slopes, gradient.data() + last.weights);
  add_column_sums(slopes.data(), m, 1, gradient.data() + last.biases);

  double* delta = scratch.deltas_.data();
  double* previous = delta + m * widest_;
  for (std::size_t l = layers_.size() - 1; l > 0; --l) {
    const Layer& behind = layers_[l];  // its inputs are the outputs of layer l - 1
    if (l + 1 == layers_.size()) {
      outer(m, behind.inputs, slopes.data(), w.data() + behind.weights, delta);
    } else {
      std::swap(delta, previous);
      multiply_transposed(m, behind.inputs, behind.outputs, previous, w.data() + behind.weights,
                          delta);
    }
    chain(activation_, {in, static_cast<std::size_t>(m * behind.inputs)},
          block(delta, m, behind.inputs));
    const Layer& layer = layers_[l - 1];
    in -= m * layer.inputs;
    add_outer_products(m, layer.inputs, layer.outputs, in, delta, gradient.data() + layer.weights);
    add_column_sums(delta, m, layer.outputs, gradient.data() + layer.biases);
  }
}

std::span<const double> Perceptron::last_inputs(const Scratch& scratch) const {
  const std::int64_t units = layers_.back().inputs;
  const std::int64_t first = scratch.rows_ * (units_ - units);
  return {scratch.activations_.data() + first, static_cast<std::size_t>(scratch.rows_ * units)};
}

std::vector<double> Perceptron::initial_weights(Initialisation kind, base::Stream& stream) const {
  std::vector<double> w(static_cast<std::size_t>(parameters()));
  for (const Layer& layer : layers_) {
    const auto at = [](std::int64_t place) { return static_cast<std::size_t>(place); };
    draw_layer(kind, layer.inputs, layer.outputs, stream,
               std::span(w).subspan(at(layer.weights), at(layer.inputs * layer.outputs)),
               std::span(w).subspan(at(layer.biases), at(layer.outputs)));
  }
  return w;
}

}  // namespace fairfront::models
