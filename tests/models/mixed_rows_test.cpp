#include "models/mixed_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace fairfront::models {
namespace {

using Numbers = std::vector<double>;

/// How the columns of a table are made.
struct Table {
  const char* name;
  std::int64_t numbers, rare, even, constant;

  [[nodiscard]] std::int64_t columns() const { return numbers + rare + even + constant; }
};

/// Kinds take turns; two values are of any size, and the rare one may be below the usual one.
Numbers features_of(const Table& table, std::int64_t rows, base::Stream& stream) {
  Numbers features;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < table.numbers; ++j) features.push_back(stream.normal());
    for (std::int64_t j = 0; j < table.rare; ++j) {
      const double sign = j % 2 == 0 ? 1 : -1;
      features.push_back(stream.uniform() < 0.1 ? 3.7 * sign : -0.2 * sign);
    }
    for (std::int64_t j = 0; j < table.even; ++j) {
      features.push_back(stream.uniform() < 0.5 ? 1.25 : -1);
    }
    for (std::int64_t j = 0; j < table.constant; ++j) features.push_back(0.5);
  }
  return features;
}

Numbers draws(std::size_t count, base::Stream& stream) {
  Numbers found(count);
  for (double& value : found) value = stream.uniform();
  return found;
}

class MixedRowsOf : public testing::TestWithParam<Table> {};

/// Against sums over the rows as they are, of rows in any order and several times.
TEST_P(MixedRowsOf, HasScoresGradientsAndSquaresOfTheRowsThemselves) {
  const Table& table = GetParam();
  base::Stream stream(base::StreamKey(5, "test", "mixed rows"), 0);
  constexpr std::int64_t all = 300;
  const Numbers features = features_of(table, all, stream);
  std::vector<std::int64_t> index;
  for (std::int64_t i = 0; i < 200; ++i) {
    index.push_back(static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(all))));
  }
  const Rows rows(features, table.columns(), index);
  const MixedRows mixed(rows);
  const auto n = static_cast<std::size_t>(mixed.parameters());
  const Numbers w = draws(n, stream);
  const Numbers factors = draws(150, stream);
  constexpr std::int64_t first = 50;

  Numbers scores(150), gradient(n, 0.0), square(n * n, 0.0);
  mixed.scores(mixed.weights_of_coded(w), first, scores);
  Numbers sums(n, 0.0), sums_of_squares(n * n, 0.0);
  mixed.add_rows(first, factors, sums);
  mixed.add_from_coded(sums, gradient);
  mixed.add_squares(first, factors, sums_of_squares);
  mixed.square_from_coded(sums_of_squares, square);

  Numbers right_gradient(n, 0.0), right_square(n * n, 0.0);
  for (std::size_t i = 0; i < 150; ++i) {
    const double* row = rows.row(first + static_cast<std::int64_t>(i));
    EXPECT_EQ(mixed.number(first + static_cast<std::int64_t>(i)), index[first + i]);
    Numbers x(row, row + n - 1);
    x.insert(x.begin(), 1.0);
    double score = 0;
    for (std::size_t j = 0; j < n; ++j) {
      score += x[j] * w[j];
      right_gradient[j] += factors[i] * x[j];
      for (std::size_t k = 0; k < n; ++k) right_square[j * n + k] += factors[i] * x[j] * x[k];
    }
    EXPECT_NEAR(scores[i], score, 1e-12 * (1 + std::abs(score)));
  }
  for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(gradient[j], right_gradient[j], 1e-11);
  for (std::size_t j = 0; j < n * n; ++j) EXPECT_NEAR(square[j], right_square[j], 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Tables, MixedRowsOf,
                         testing::Values(Table{"numbers", 4, 0, 0, 0}, Table{"rare", 0, 9, 0, 0},
                                         Table{"mixed", 3, 7, 2, 1}, Table{"even", 0, 0, 3, 0},
                                         Table{"constant", 0, 0, 0, 2},
                                         Table{"even_and_rare", 0, 5, 2, 0}),
                         [](const auto& now) { return std::string(now.param.name); });

}  // namespace
}  // namespace fairfront::models
