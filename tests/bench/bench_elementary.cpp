// Elementary functions of ours, one value at a time and a whole array, against the C library's,
// which may use instructions that not every processor has. `per_value` is the time that one takes.
// Every benchmark checks its answers against the library's.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/elementary.hpp"
#include "base/random.hpp"

namespace {

using fairfront::base::Stream;
using fairfront::base::StreamKey;
namespace base = fairfront::base;

using Scalar = double (*)(double);
using Array = void (*)(std::span<const double>, std::span<double>);

struct Function {
  std::string name;
  double low;  ///< arguments are uniform between
  double high;
  Scalar library;
  Scalar scalar;
  Array array;
};

double library_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double library_softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"exp", -30, 10, std::exp, base::exp, base::exp},
      {"expm1", -5, 5, std::expm1, base::expm1, base::expm1},
      {"log", 1e-6, 100, std::log, base::log, base::log},
      {"log1p", -0.9, 10, std::log1p, base::log1p, base::log1p},
      {"sin", -10, 10, std::sin, base::sin, base::sin},
      {"cos", -10, 10, std::cos, base::cos, base::cos},
      {"tanh", -5, 5, std::tanh, base::tanh, base::tanh},
      {"sigmoid", -10, 10, library_sigmoid, base::sigmoid, base::sigmoid},
      {"softplus", -10, 10, library_softplus, base::softplus, base::softplus},
  };
  return all;
}

constexpr std::size_t count = 1024;  // in the first cache

std::vector<double> arguments(const Function& f) {
  Stream stream(StreamKey(1, f.name, "bench"), 0);
  std::vector<double> x(count);
  for (double& value : x) value = f.low + (f.high - f.low) * stream.uniform();
  return x;
}

/// Both are right to about a unit in the last place, the library's compositions to a few.
bool right(const Function& f, std::span<const double> x, std::span<const double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = f.library(x[i]);
    const double tolerance = 6 * std::numeric_limits<double>::epsilon() * std::abs(expected);
    if (!(std::abs(y[i] - expected) <= tolerance)) return false;
  }
  return true;
}

template <class Work>
void measure(benchmark::State& state, const Function& f, Work work) {
  const std::vector<double> x = arguments(f);
  std::vector<double> y(count);
  for (auto _ : state) {
    work(x, y);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  if (!right(f, x, y)) state.SkipWithError("wrong values");
  using benchmark::Counter;
  state.counters["per_value"] =
      Counter(count, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void one_by_one(benchmark::State& state, const Function& f, Scalar g) {
  measure(state, f, [g](const std::vector<double>& x, std::vector<double>& y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = g(x[i]);
  });
}

void power(benchmark::State& state, Scalar g) {
  one_by_one(state, {"pow", 0.1, 50, [](double x) { return std::pow(x, 1.7); }, g, nullptr}, g);
}

const bool registered = [] {
  for (const Function& f : functions()) {
    benchmark::RegisterBenchmark((f.name + "/library").c_str(), one_by_one, f, f.library);
    benchmark::RegisterBenchmark((f.name + "/scalar").c_str(), one_by_one, f, f.scalar);
    benchmark::RegisterBenchmark((f.name + "/array").c_str(), [f](benchmark::State& state) {
      measure(state, f,
              [&f](const std::vector<double>& x, std::vector<double>& y) { f.array(x, y); });
    });
  }
  benchmark::RegisterBenchmark("pow/library", power, [](double x) { return std::pow(x, 1.7); });
  benchmark::RegisterBenchmark("pow/scalar", power, [](double x) { return base::pow(x, 1.7); });
  return true;
}();

}  // namespace
