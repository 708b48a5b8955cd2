/// @file
/// Speed of score models on one core: the perceptron 9-64-32-1 forward and back, in GFLOP/s and as
/// a share of what this core can do, beside the same in Eigen; steps of stochastic gradient; linear
/// scores. Multiplications and additions of the matrix products are counted, nothing else.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "bench/peak.hpp"
#include "models/kernels.hpp"
#include "models/least_squares.hpp"
#include "models/linear_model.hpp"
#include "models/logistic.hpp"
#include "models/loss.hpp"
#include "models/perceptron.hpp"
#include "optimise/eigen.hpp"

namespace {

using namespace fairfront;
using namespace fairfront::models;
using Numbers = std::vector<double>;

constexpr std::int64_t data_rows = 14333;

base::Stream stream_of(std::string_view purpose) {
  return base::Stream(base::StreamKey(1, "bench_models", purpose), 0);
}

Numbers normal(std::int64_t size) {
  base::Stream stream = stream_of("features");
  Numbers values(static_cast<std::size_t>(size));
  for (double& value : values) value = stream.normal();
  return values;
}

std::vector<std::int64_t> draw(base::Stream& stream, std::int64_t count) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(count));
  for (std::int64_t& row : index) row = stream.below(data_rows);
  return index;
}

double weights_in(const Layer& layer) { return static_cast<double>(layer.inputs * layer.outputs); }

/// Of a forward pass and a pull-back of one row.
double operations(const Perceptron& network) {
  double sum = 0;
  for (const Layer& layer : network.layers()) sum += 6 * weights_in(layer);
  return sum - 2 * weights_in(network.layers().front());  // no slopes of the inputs are needed
}

Perceptron network_of(const std::vector<std::int64_t>& hidden = {64, 32}) {
  return Perceptron(9, hidden, Activation::relu);
}

Numbers weights_of(const Perceptron& network) {
  base::Stream stream = stream_of("weights");
  return network.initial_weights(Initialisation::fan_in, stream);
}

/// Forward and back by Eigen's matrix products, for comparison; same layout of the weights.
class EigenPerceptron {
 public:
  explicit EigenPerceptron(const Perceptron& network)
      : layers_(network.layers().begin(), network.layers().end()), values_(layers_.size()) {}

  void run(const Numbers& w, const Rows& rows, const Numbers& slopes, Numbers& gradient) {
    gather(rows);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      Matrix& out = l + 1 < layers_.size() ? values_[l + 1] : score_;
      out.noalias() = values_[l] * matrix(w, layers_[l]);
      out.rowwise() += ConstRow(w.data() + layers_[l].biases, layers_[l].outputs);
      if (l + 1 < layers_.size()) out = out.cwiseMax(0.0);
    }
    delta_ = Eigen::Map<const Eigen::VectorXd>(slopes.data(), std::ssize(slopes));
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const Layer& layer = layers_[l];
      Map(gradient.data() + layer.weights, layer.inputs, layer.outputs).noalias() +=
          values_[l].transpose() * delta_;
      Eigen::Map<Eigen::RowVectorXd>(gradient.data() + layer.biases, layer.outputs) +=
          delta_.colwise().sum();
      if (l == 0) break;
      next_.noalias() = delta_ * matrix(w, layer).transpose();
      delta_ = (values_[l].array() > 0).select(next_, 0.0);
    }
  }

 private:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Map = Eigen::Map<Matrix>;
  using ConstRow = Eigen::Map<const Eigen::RowVectorXd>;

  static Eigen::Map<const Matrix> matrix(const Numbers& w, const Layer& layer) {
    return {w.data() + layer.weights, layer.inputs, layer.outputs};
  }
  void gather(const Rows& rows) {
    values_[0].resize(rows.size(), rows.columns());
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      values_[0].row(i) = ConstRow(rows.row(i), rows.columns());
    }
  }

  std::vector<Layer> layers_;
  std::vector<Matrix> values_;
  Matrix score_, delta_, next_;
};

bool close(const Numbers& a, const Numbers& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest < 1e-11;
}

void report(benchmark::State& state, double operations) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(1e-9 * operations, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["of_peak"] = benchmark::Counter(1e-9 * operations / bench::peak(),
                                                 benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak"] = bench::peak();
}

/// args: batch, units of the hidden layers.
void perceptron(benchmark::State& state) {
  const std::int64_t batch = state.range(0);
  const Perceptron network = network_of({state.range(1), state.range(2)});
  const Numbers features = normal(data_rows * network.inputs());
  base::Stream stream = stream_of("rows");
  const auto index = draw(stream, batch);
  const Rows rows(features, network.inputs(), index);
  const Numbers w = weights_of(network);
  const Numbers slopes = normal(batch);
  Numbers gradient(w.size(), 0.0), expected(w.size(), 0.0), scores(slopes.size());
  Perceptron::Scratch scratch;
  network.scores(w, rows, scratch, scores);
  network.pull_back(w, rows, scratch, slopes, gradient);
  EigenPerceptron(network).run(w, rows, slopes, expected);
  if (!close(gradient, expected)) state.SkipWithError("another gradient than Eigen's");
  for (auto _ : state) {
    network.scores(w, rows, scratch, scores);
    network.pull_back(w, rows, scratch, slopes, gradient);
    benchmark::ClobberMemory();
  }
  report(state, static_cast<double>(batch) * operations(network));
}
BENCHMARK(perceptron)
    ->ArgsProduct({{8, 16, 64, 1024}, {64}, {32}})
    ->ArgsProduct({{8, 16, 128}, {256}, {256}})
    ->ArgsProduct({{8, 128}, {1024}, {512}})
    ->Unit(benchmark::kMicrosecond);

void perceptron_in_eigen(benchmark::State& state) {
  const std::int64_t batch = state.range(0);
  const Perceptron network = network_of();
  const Numbers features = normal(data_rows * network.inputs());
  base::Stream stream = stream_of("rows");
  const auto index = draw(stream, batch);
  const Rows rows(features, network.inputs(), index);
  const Numbers w = weights_of(network);
  const Numbers slopes = normal(batch);
  Numbers gradient(w.size(), 0.0);
  EigenPerceptron other(network);
  for (auto _ : state) {
    other.run(w, rows, slopes, gradient);
    benchmark::ClobberMemory();
  }
  if (!std::isfinite(gradient[0])) state.SkipWithError("no gradient");
  report(state, static_cast<double>(batch) * operations(network));
}
BENCHMARK(perceptron_in_eigen)->Arg(8)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);

enum class Product { affine, outer, transposed };

/// One of the products of a layer. args: rows, inputs, outputs.
void product(benchmark::State& state, Product kind) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Map = Eigen::Map<const Matrix>;
  const std::int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  const Numbers x = normal(m * k), delta = normal(m * n), w = normal(k * n);
  Numbers bias(static_cast<std::size_t>(n), 0.0);
  Numbers out(static_cast<std::size_t>(kind == Product::affine  ? m * n
                                       : kind == Product::outer ? k * n
                                                                : m * k));
  const auto run = [&] {
    if (kind == Product::affine) affine(m, k, n, x.data(), w.data(), bias.data(), out.data());
    if (kind == Product::outer) add_outer_products(m, k, n, x.data(), delta.data(), out.data());
    if (kind == Product::transposed) {
      multiply_transposed(m, k, n, delta.data(), w.data(), out.data());
    }
  };
  run();
  Matrix expected;
  if (kind == Product::affine) expected = Map(x.data(), m, k) * Map(w.data(), k, n);
  if (kind == Product::outer) expected = Map(x.data(), m, k).transpose() * Map(delta.data(), m, n);
  if (kind == Product::transposed) {
    expected = Map(delta.data(), m, n) * Map(w.data(), k, n).transpose();
  }
  if (!close(out, Numbers(expected.data(), expected.data() + expected.size()))) {
    state.SkipWithError("another product than Eigen's");
  }
  for (auto _ : state) {
    run();
    benchmark::ClobberMemory();
  }
  report(state, 2.0 * static_cast<double>(m * k * n));
}

void layers(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t rows : {8, 16, 128}) {
    benchmark->Args({rows, 9, 64})
        ->Args({rows, 64, 32})
        ->Args({rows, 256, 256})
        ->Args({rows, 1024, 512});
  }
  benchmark->Args({1, 1024, 512})->Args({100, 123, 64})->Args({1024, 64, 32});
  benchmark->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(product, affine, Product::affine)->Apply(layers);
BENCHMARK_CAPTURE(product, outer, Product::outer)->Apply(layers);
BENCHMARK_CAPTURE(product, transposed, Product::transposed)->Apply(layers);

/// Whole steps w -= 0.01 gradient of the logistic loss, of rows drawn with replacement.
void gradient_steps(benchmark::State& state) {
  const std::int64_t batch = state.range(0);
  const Perceptron network = network_of();
  const Numbers features = normal(data_rows * network.inputs());
  Numbers w = weights_of(network);
  Numbers gradient(w.size()), scores(static_cast<std::size_t>(batch)), labels(scores.size()),
      slopes(scores.size());
  std::vector<std::int64_t> index(scores.size());
  Perceptron::Scratch scratch;
  base::Stream stream = stream_of("steps");
  double wrong = 0, seen = 0;
  for (auto _ : state) {
    for (std::int64_t& row : index) row = stream.below(data_rows);
    const Rows rows(features, network.inputs(), index);
    network.scores(w, rows, scratch, scores);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      labels[i] = rows.row(static_cast<std::int64_t>(i))[0] > 0 ? 1.0 : -1.0;
      wrong += scores[i] * labels[i] > 0 ? 0.0 : 1.0;
    }
    seen += static_cast<double>(batch);
    loss_slopes(LossKind::logistic, scores, labels, slopes);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    network.pull_back(w, rows, scratch, slopes, gradient);
    for (std::size_t j = 0; j < w.size(); ++j)
      w[j] -= 0.01 / static_cast<double>(batch) * gradient[j];
  }
  if (seen > 1e5 && wrong > 0.25 * seen) state.SkipWithError("nothing was learnt");
  state.counters["steps"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
  report(state, static_cast<double>(batch) * operations(network));
}
BENCHMARK(gradient_steps)->Arg(8)->Arg(16)->Unit(benchmark::kMicrosecond);

void linear(benchmark::State& state) {
  const std::int64_t columns = state.range(0), batch = 100;
  const LinearModel model(columns);
  const Numbers features = normal(data_rows * columns);
  const Numbers w = normal(model.parameters());
  base::Stream stream = stream_of("rows");
  const auto index = draw(stream, batch);
  const Rows rows(features, columns, index);
  Numbers scores(batch), gradient(w.size(), 0.0);
  LinearModel::Scratch scratch;
  for (auto _ : state) {
    model.scores(w, rows, scratch, scores);
    model.pull_back(w, rows, scratch, scores, gradient);
    benchmark::ClobberMemory();
  }
  for (std::int64_t i = 0; i < batch; ++i) {
    const double score = std::inner_product(w.begin() + 1, w.end(), rows.row(i), w[0]);
    if (std::abs(scores[static_cast<std::size_t>(i)] - score) > 1e-11) {
      state.SkipWithError("another score than row by row");
    }
  }
  report(state, 4.0 * static_cast<double>(batch * columns));
}
BENCHMARK(linear)->Arg(9)->Arg(54)->Arg(123)->Unit(benchmark::kMicrosecond);

/// Rows and columns of the data set a9a, labels that a linear score tells in part.
struct FitSample {
  static constexpr std::int64_t count = 32561, columns = 123;
  Numbers features = normal(count * columns);
  Numbers labels = Numbers(count);
  std::vector<std::int32_t> classes = std::vector<std::int32_t>(count);

  FitSample() {
    base::Stream stream = stream_of("labels");
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double* row = rows().row(static_cast<std::int64_t>(i));
      const double noisy = std::accumulate(row, row + columns, 0.0) / 10 + stream.normal();
      labels[i] = noisy > 0 ? 1 : -1;
      classes[i] = noisy > 1 ? 2 : noisy > 0 ? 1 : 0;
    }
  }
  [[nodiscard]] Rows rows() const { return {features, columns}; }
};

const FitSample& fit_sample() {
  static const FitSample sample;
  return sample;
}

void least_squares(benchmark::State& state) {
  const FitSample& sample = fit_sample();
  for (auto _ : state) {
    const auto fit = fit_least_squares(sample.rows(), sample.labels);
    if (!(fit.gradient_norm < 1e-12)) state.SkipWithError("not at the minimum");
  }
}
BENCHMARK(least_squares)->Unit(benchmark::kMillisecond);

void logistic(benchmark::State& state, Minimiser minimiser, bool three_classes) {
  const FitSample& sample = fit_sample();
  const LogisticOptions options{.l2 = 1e-4, .minimiser = minimiser};
  std::int64_t iterations = 0;
  for (auto _ : state) {
    const auto fit = three_classes ? fit_multinomial(sample.rows(), sample.classes, 3, options)
                                   : fit_logistic(sample.rows(), sample.labels, options);
    if (!fit.converged()) state.SkipWithError("not converged");
    iterations = fit.iterations;
  }
  state.counters["iterations"] = static_cast<double>(iterations);
}
BENCHMARK_CAPTURE(logistic, newton, Minimiser::newton, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(logistic, lbfgs, Minimiser::lbfgs, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(logistic, newton_3_classes, Minimiser::newton, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(logistic, lbfgs_3_classes, Minimiser::lbfgs, true)->Unit(benchmark::kMillisecond);

}  // namespace
