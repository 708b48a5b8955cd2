/// @file
/// How fast the CSV reader is, on a wide numeric text and on a mixed one in Adult's form. Both are
/// made in memory, and every run checks what it read.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "data/readers/csv.hpp"

namespace fairfront::data {
namespace {

struct Text {
  std::string bytes;
  std::vector<TableColumn> columns;
  double sum = 0;  ///< of all numbers, in the order in which they are read
  std::int64_t rows = 0;
};

/// `columns` numbers a row, with as many digits as each needs to be read back exactly, or rounded
/// to 1/1000 as measured values are.
Text numeric_text(std::int64_t rows, int columns, bool all_digits) {
  base::Stream stream({1, "bench_csv", "numbers"}, 0);
  Text text;
  text.rows = rows;
  for (int c = 0; c < columns; ++c) {
    const std::string name = fmt::format("x{}", c);
    text.columns.push_back({name});
    text.bytes += (c == 0 ? "" : ",");
    text.bytes += name;
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (int c = 0; c < columns; ++c) {
      const double drawn = 100 * stream.normal();
      const double value = all_digits ? drawn : std::round(drawn * 1000) / 1000;
      text.bytes += c == 0 ? '\n' : ',';
      text.bytes += base::format_double(value);
      text.sum += value;
    }
  }
  return text;
}

/// Six numbers and nine names a row, ", " between cells.
Text mixed_text(std::int64_t rows) {
  base::Stream stream({1, "bench_csv", "mixed"}, 0);
  Text text;
  text.rows = rows;
  for (int c = 0; c < 15; ++c) {
    const bool is_number = c % 5 < 2;
    text.columns.push_back(
        {std::to_string(c + 1), is_number ? CellKind::number : CellKind::category});
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (int c = 0; c < 15; ++c) {
      const std::uint32_t value = stream.below(c % 5 == 0 ? 300'000 : 16);
      text.bytes += c == 0 ? "" : ", ";
      text.bytes += c % 5 < 2 ? "" : "Some-level-";
      text.bytes += std::to_string(value);
      text.sum += c % 5 < 2 ? value : 0;
    }
    text.bytes += '\n';
  }
  return text;
}

void read_all(benchmark::State& state, const Text& text, const CsvFormat& format) {
  for (auto step : state) {
    const Table table = read_csv({text.bytes, "generated"}, format, text.columns);
    double sum = 0;
    for (const double value : table.numbers) sum += value;
    if (sum != text.sum || table.rows != text.rows) {
      state.SkipWithError("the reader's sum or number of rows is wrong");
      return;
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.bytes.size()));
}

void numeric_all_digits(benchmark::State& state) {
  static const Text text = numeric_text(20'000, 100, true);
  read_all(state, text, {});
}
void numeric_three_decimals(benchmark::State& state) {
  static const Text text = numeric_text(40'000, 100, false);
  read_all(state, text, {});
}
void mixed_like_adult(benchmark::State& state) {
  static const Text text = mixed_text(200'000);
  read_all(state, text, {.header = false});
}

BENCHMARK(numeric_all_digits)->Unit(benchmark::kMillisecond);
BENCHMARK(numeric_three_decimals)->Unit(benchmark::kMillisecond);
BENCHMARK(mixed_like_adult)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fairfront::data

BENCHMARK_MAIN();
