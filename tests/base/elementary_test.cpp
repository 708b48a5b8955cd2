#include "base/elementary.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "base/elementary_table.hpp"
#include "base/random.hpp"
#include "base/simd.hpp"

namespace fairfront::base {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double greatest = std::numeric_limits<double>::max();

/// A number of 200 bits.
class Exact {
 public:
  explicit Exact(double value = 0) {
    mpfr_init2(value_, 200);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  [[nodiscard]] mpfr_ptr get() { return value_; }

  /// |computed - this| in units of the last place that a double of this size has; 0 if both are not
  /// finite and the same, infinity if they differ so.
  [[nodiscard]] double error_of(double computed) {
    const double nearest = mpfr_get_d(value_, MPFR_RNDN);
    if (std::isnan(nearest)) return std::isnan(computed) ? 0 : infinity;
    if (!std::isfinite(nearest) || !std::isfinite(computed)) {
      return nearest == computed ? 0 : infinity;
    }
    int exponent = 0;
    std::frexp(nearest, &exponent);
    Exact difference;
    mpfr_sub_d(difference.get(), value_, computed, MPFR_RNDN);
    mpfr_mul_2si(difference.get(), difference.get(), -std::max(exponent - 53, -1074), MPFR_RNDN);
    return std::abs(mpfr_get_d(difference.get(), MPFR_RNDN));
  }

 private:
  mpfr_t value_;
};

void exact_sigmoid(mpfr_ptr x) {
  mpfr_neg(x, x, MPFR_RNDN);
  mpfr_exp(x, x, MPFR_RNDN);
  mpfr_add_ui(x, x, 1, MPFR_RNDN);
  mpfr_ui_div(x, 1, x, MPFR_RNDN);
}
void exact_softplus(mpfr_ptr x) {
  if (mpfr_cmp_ui(x, 1000) > 0) return;  // x to 400 bits; the exponential may overflow
  mpfr_exp(x, x, MPFR_RNDN);
  mpfr_log1p(x, x, MPFR_RNDN);
}

template <int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void exact(mpfr_ptr x) {
  function(x, x, MPFR_RNDN);
}

struct ValueRange {
  double low;
  double high;
};
/// Sizes 2^low .. 2^high, of both signs where the function takes them.
struct Sizes {
  int low;
  int high;
};

struct Function {
  std::string name;
  double (*scalar)(double) noexcept;
  void (*array)(std::span<const double>, std::span<double>) noexcept;  ///< may be null
  void (*exact)(mpfr_ptr);
  double error;  ///< units in the last place that the header promises
  std::vector<ValueRange> ranges;
  Sizes sizes;
  bool signed_sizes;
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"exp",
       exp,
       exp,
       exact<mpfr_exp>,
       1.0,
       {{-1, 1}, {-746, 710}, {-750, -700}},
       {-1074, 9},
       true},
      {"expm1", expm1, expm1, exact<mpfr_expm1>, 1.0, {{-1, 1.5}, {-60, 710}}, {-1074, 9}, true},
      {"log", log, log, exact<mpfr_log>, 1.0, {{0.5, 2}, {0.99, 1.01}}, {-1074, 1023}, false},
      {"log1p", log1p, log1p, exact<mpfr_log1p>, 1.0, {{-1, 2}, {0, 100}}, {-1074, -1}, true},
      {"log1p", log1p, log1p, exact<mpfr_log1p>, 1.0, {}, {-60, 1023}, false},
      {"log2",
       log2,
       nullptr,
       exact<mpfr_log2>,
       0.52,
       {{0.5, 2}, {0.99, 1.01}},
       {-1074, 1023},
       false},
      {"log10",
       log10,
       nullptr,
       exact<mpfr_log10>,
       0.52,
       {{0.5, 2}, {0.9, 1.1}},
       {-1074, 1023},
       false},
      {"sin", sin, sin, exact<mpfr_sin>, 1.0, {{-1, 1}, {-10, 10}, {-1e6, 1e6}}, {-1074, 19}, true},
      {"cos", cos, cos, exact<mpfr_cos>, 1.0, {{-1, 1}, {-10, 10}, {-1e6, 1e6}}, {-1074, 19}, true},
      {"tanh", tanh, tanh, exact<mpfr_tanh>, 1.0, {{-1, 1}, {-25, 25}}, {-1074, 9}, true},
      {"sigmoid",
       sigmoid,
       sigmoid,
       exact_sigmoid,
       1.0,
       {{-1, 1}, {-50, 50}, {-750, -30}},
       {-1074, 9},
       true},
      {"softplus",
       softplus,
       softplus,
       exact_softplus,
       1.0,
       {{-1, 1}, {-50, 50}, {-750, -30}},
       {-1074, 9},
       true},
  };
  return all;
}

std::vector<double> sample(const Function& f) {
  constexpr int per_range = 5000;
  Stream stream(StreamKey(1, f.name, "sample"), 0);
  std::vector<double> values;
  for (const ValueRange& range : f.ranges) {
    for (int i = 0; i < per_range; ++i) {
      values.push_back(range.low + (range.high - range.low) * stream.uniform());
    }
  }
  const auto span = static_cast<std::uint32_t>(f.sizes.high - f.sizes.low + 1);
  for (int i = 0; i < per_range; ++i) {
    const int exponent = f.sizes.low + static_cast<int>(stream.below(span));
    const double size = std::ldexp(1 + stream.uniform(), exponent);
    values.push_back(f.signed_sizes && i % 2 == 0 ? -size : size);
  }
  return values;
}

/// Bits, so that -0 is not 0; every NaN is the same.
std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(std::isnan(value) ? nan : value);
}

const std::vector<double>& edges() {
  static const std::vector<double> all{0.0,
                                       -0.0,
                                       least,
                                       -least,
                                       0x1p-1022,
                                       -0x1p-1022,
                                       0x1p-54,
                                       -0x1p-54,
                                       0.5,
                                       -0.5,
                                       1.0,
                                       -1.0,
                                       2.0,
                                       -2.0,
                                       3.0,
                                       -3.0,
                                       40.0,
                                       -40.0,
                                       36.7,
                                       -36.7,
                                       709.78,
                                       -745.13,
                                       709.79,
                                       -745.14,
                                       710.0,
                                       -746.0,
                                       1e6,
                                       -1e6,
                                       1e15,
                                       -1e15,
                                       greatest,
                                       -greatest,
                                       infinity,
                                       -infinity,
                                       nan,
                                       0x1.6a09e667f3bcdp-1,
                                       0x1.6a09e667f3bccp-1};
  return all;
}

TEST(Elementary, IsWithinThePromisedErrorOverTheWholeRange) {
  for (const Function& f : functions()) {
    double worst = 0;
    double where = 0;
    for (const double x : sample(f)) {
      Exact value(x);
      f.exact(value.get());
      const double error = value.error_of(f.scalar(x));
      if (!(error <= worst)) worst = error, where = x;
    }
    EXPECT_LE(worst, f.error) << f.name << " at " << where;
  }
}

TEST(Elementary, IsRightAtTheEndsOfTheNumberRangeAndBeyond) {
  for (const Function& f : functions()) {
    for (const double x : edges()) {
      const bool angle = f.name == "sin" || f.name == "cos";
      if (angle && std::abs(x) > 1e6) continue;
      Exact value(x);
      f.exact(value.get());
      EXPECT_LE(value.error_of(f.scalar(x)), f.error) << f.name << " at " << x;
    }
  }
}

TEST(Elementary, SignedZerosAreAsInTheCStandard) {
  using Scalar = double (*)(double) noexcept;
  for (const Scalar f : std::array<Scalar, 4>{expm1, log1p, sin, tanh}) {
    EXPECT_EQ(bits(f(-0.0)), bits(-0.0));
    EXPECT_EQ(bits(f(0.0)), bits(0.0));
  }
  EXPECT_EQ(bits(log(1.0)), bits(0.0));
}

TEST(Elementary, AnAngleBeyondTheRangeIsRefused) {
  for (const double x : {1.01e6, -1.01e6, 1e300, infinity, nan}) {
    EXPECT_TRUE(std::isnan(sin(x)));
    EXPECT_TRUE(std::isnan(cos(x)));
  }
}

TEST(Elementary, SineAndCosineTogetherHaveTheBitsOfEach) {
  std::vector<double> angles = sample(functions()[7]);
  ASSERT_EQ(functions()[7].name, "sin");
  angles.insert(angles.end(), edges().begin(), edges().end());
  for (const double x : angles) {
    const auto [sine, cosine] = sin_cos(x);
    EXPECT_EQ(bits(sine), bits(sin(x))) << x;
    EXPECT_EQ(bits(cosine), bits(cos(x))) << x;
  }
}

TEST(Elementary, AnglesNextToMultiplesOfARightAngleKeepTheirBits) {
  double worst = 0;
  for (int k = 1; k < 636000; k += 37) {
    const double x = k * (std::numbers::pi / 2);
    Exact sine(x);
    Exact cosine(x);
    exact<mpfr_sin>(sine.get());
    exact<mpfr_cos>(cosine.get());
    worst = std::max({worst, sine.error_of(sin(x)), cosine.error_of(cos(x))});
  }
  EXPECT_LE(worst, 1.0);
}

TEST(Elementary, ArraysHaveTheBitsOfSingleValuesAtAnySizeAndPlace) {
  for (const Function& f : functions()) {
    if (f.array == nullptr) continue;
    std::vector<double> x = sample(f);
    x.insert(x.end(), edges().begin(), edges().end());
    std::vector<double> expected;
    for (const double value : x) expected.push_back(f.scalar(value));
    for (const std::size_t from : std::array<std::size_t, 4>{0, 1, 2, 3}) {
      for (const std::size_t skipped : std::array<std::size_t, 4>{0, 1, 2, 5}) {
        const std::span<const double> in(x.data() + from, x.size() - from - skipped);
        std::vector<double> y(in.size() + 3, 7.0);
        const std::span<double> out(y.data() + from % 2, in.size());
        f.array(in, out);
        for (std::size_t i = 0; i < in.size(); ++i) {
          ASSERT_EQ(bits(out[i]), bits(expected[from + i])) << f.name << " at " << in[i];
        }
      }
    }
    for (const std::size_t size : std::array<std::size_t, 4>{0, 1, 2, 3}) {
      std::vector<double> y(4, 7.0);
      f.array({x.data(), size}, {y.data(), size});
      for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_EQ(bits(y[i]), i < size ? bits(expected[i]) : bits(7.0)) << f.name;
      }
    }
    f.array(x, x);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(bits(x[i]), bits(expected[i])) << f.name;
  }
}

TEST(Elementary, ArraysHaveTheBitsOfSingleValuesWithTheVectorsOfEveryProcessor) {
  using Table = ElementaryTable;
  const std::array loops{&Table::exp, &Table::expm1, &Table::log,     &Table::log1p,   &Table::sin,
                         &Table::cos, &Table::tanh,  &Table::sigmoid, &Table::softplus};
  const std::array<std::string, loops.size()> names{"exp", "expm1", "log",     "log1p",   "sin",
                                                    "cos", "tanh",  "sigmoid", "softplus"};
  for (const Simd simd : available_simd()) {
    for (std::size_t l = 0; l < loops.size(); ++l) {
      const auto f = std::ranges::find(functions(), names[l], &Function::name);
      std::vector<double> x = sample(*f);
      x.insert(x.end(), edges().begin(), edges().end());
      std::vector<double> y(x.size());
      (elementary_table(simd).*loops[l])(x.data(), y.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(bits(y[i]), bits(f->scalar(x[i])))
            << names[l] << " at " << x[i] << " with " << name_of(simd);
      }
    }
  }
}

TEST(Elementary, SinesAndCosinesOfOneArrayHaveTheBitsOfSingleValuesOnEveryProcessor) {
  const auto f = std::ranges::find(functions(), "sin", &Function::name);
  std::vector<double> x = sample(*f);
  x.insert(x.end(), edges().begin(), edges().end());
  std::vector<double> sines(x.size());
  std::vector<double> cosines(x.size());
  const auto expect_bits = [&](const std::string& where) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(bits(sines[i]), bits(sin(x[i]))) << where << " at " << x[i];
      ASSERT_EQ(bits(cosines[i]), bits(cos(x[i]))) << where << " at " << x[i];
    }
  };
  sin_cos(x, sines, cosines);
  expect_bits("here");
  for (const Simd simd : available_simd()) {
    elementary_table(simd).sin_cos(x.data(), sines.data(), cosines.data(), x.size());
    expect_bits(std::string(name_of(simd)));
  }
}

TEST(Pow, IsWithinThePromisedErrorWhereverItIsFinite) {
  Stream stream(StreamKey(1, "pow", "sample"), 0);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto exponent_of_x = static_cast<int>(stream.below(2098)) - 1074;
    const double x =
        i % 2 == 0 ? 0.5 + 1.5 * stream.uniform() : std::ldexp(1 + stream.uniform(), exponent_of_x);
    const double y = (-746 + 1456 * stream.uniform()) / std::log(x);
    Exact value(x);
    Exact exponent(y);
    mpfr_pow(value.get(), value.get(), exponent.get(), MPFR_RNDN);
    worst = std::max(worst, value.error_of(pow(x, y)));
  }
  EXPECT_LE(worst, 1.0);
}

TEST(Pow, AtTheEdgesItIsWhatTheCStandardSays) {
  std::vector<double> exponents = edges();
  for (const double y : {1.5, 0x1p53, 0x1p53 + 2, 9007199254740991.0, 1e-300, 4.0, 5.0, -5.0}) {
    exponents.push_back(y);
  }
  for (const double x : edges()) {
    for (const double y : exponents) {
      Exact value(x);
      Exact exponent(y);
      mpfr_pow(value.get(), value.get(), exponent.get(), MPFR_RNDN);
      const double expected = mpfr_get_d(value.get(), MPFR_RNDN);
      const double computed = pow(x, y);
      EXPECT_LE(value.error_of(computed), 1.0) << x << " ^ " << y;
      EXPECT_EQ(std::signbit(computed) && !std::isnan(computed),
                std::signbit(expected) && !std::isnan(expected))
          << x << " ^ " << y;
    }
  }
}

TEST(Pow, AndLogarithmsAreExactWhereTheAnswerIsADouble) {
  for (int k = -1074; k <= 1023; ++k) {
    EXPECT_EQ(pow(2, k), std::ldexp(1.0, k));
    EXPECT_EQ(log2(std::ldexp(1.0, k)), k);
  }
  double ten = 1;
  for (int k = 0; k <= 22; ++k, ten *= 10) {
    EXPECT_EQ(pow(10, k), ten);
    EXPECT_EQ(log10(ten), k);
  }
  for (int x = -30; x <= 30; ++x) {
    double product = 1;
    for (int k = 0; k <= 10; ++k, product *= x) EXPECT_EQ(pow(x, k), product) << x << " ^ " << k;
    EXPECT_EQ(pow(x * x, 0.5), std::abs(x));
  }
}

/// The values as they are: who changes a bit of them changes the results of every method.
TEST(Elementary, HasTheSameBitsEverywhere) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a over the words
  const auto add = [&](double value) { hash = (hash ^ bits(value)) * 0x100000001b3; };
  for (const Function& f : functions()) {
    for (const double x : sample(f)) add(f.scalar(x));
  }
  Stream stream(StreamKey(1, "pow", "bits"), 0);
  for (int i = 0; i < 1000; ++i) {
    const double x = 10 * stream.uniform();
    add(pow(x, 40 * stream.uniform() - 20));
  }
  for (int i = 0; i < 1000; ++i) add(stream.normal());
  EXPECT_EQ(hash, 17582028523958850173u);
}

}  // namespace
}  // namespace fairfront::base
