/// @file
/// Fully connected networks with one real output.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "models/initialisation.hpp"
#include "models/rows.hpp"

namespace fairfront::models {

enum class Activation { sigmoid, tanh, relu };

/// Where a layer of a perceptron has its weights in the flat vector.
struct Layer {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t weights = 0;  ///< the weight from input k to output o is w[weights + k outputs + o]
  std::int64_t biases = 0;   ///< the bias of output o is w[biases + o]
};

/// A ScoreModel: x -> a(W_1^T x + b_1) -> ... -> W_L^T h + b_L, with the activation `a` behind
/// every layer but the last, whose one output is the score.
///
/// Weights, layer by layer from the input on: the matrix (inputs, outputs), row-major, then the
/// biases; see Layer. The derivative of ReLU at 0 is taken as 0. NaN passes through every layer.
class Perceptron {
 public:
  class Scratch {
    friend class Perceptron;
    std::int64_t rows_ = 0;            ///< of the last forward pass
    std::vector<double> activations_;  ///< inputs, then every hidden layer: (rows, units) each
    std::vector<double> deltas_;       ///< two blocks (rows, widest layer)
  };

  /// @param hidden  units of the hidden layers, from the input on; none: a linear score.
  /// @throws std::invalid_argument  a number of inputs or units below 1.
  Perceptron(std::int64_t inputs, const std::vector<std::int64_t>& hidden, Activation activation);

  [[nodiscard]] std::int64_t inputs() const { return layers_.front().inputs; }
  [[nodiscard]] std::int64_t parameters() const { return layers_.back().biases + 1; }
  [[nodiscard]] std::span<const Layer> layers() const { return layers_; }
  [[nodiscard]] Activation activation() const { return activation_; }

  void scores(std::span<const double> w, const Rows& rows, Scratch& scratch,
              std::span<double> out) const;
  void pull_back(std::span<const double> w, const Rows& rows, Scratch& scratch,
                 std::span<const double> slopes, std::span<double> gradient) const;
  /// The inputs of the last layer in the last scores(): row-major, shape (rows, inputs). Valid
  /// until `scratch` is used again.
  [[nodiscard]] std::span<const double> last_inputs(const Scratch& scratch) const;

  /// Shape (parameters(),), drawn in the order of the weights.
  [[nodiscard]] std::vector<double> initial_weights(Initialisation kind,
                                                    base::Stream& stream) const;

 private:
  void grow(Scratch& scratch, std::int64_t rows) const;

  std::vector<Layer> layers_;
  Activation activation_;
  std::int64_t units_ = 0;  ///< inputs and all hidden units
  std::int64_t widest_ = 0;
};

}  // namespace fairfront::models
