// Reads a CSV file of numbers as a stream, all columns, and prints rows and sum: what
// predict_speed.py compares predicting with.
//
//     read_rows FILE
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "data/readers/csv.hpp"
#include "data/readers/data_file.hpp"

namespace {

int read_rows(const std::string& path) {
  using namespace fairfront::data;
  std::vector<TableColumn> columns;
  {
    DataFile file(path);
    for (const std::string& name : csv_column_names(file.text(), {})) columns.push_back({name});
  }
  DataFile file(path);
  CsvStream stream(file.text(), {}, columns);
  constexpr std::int64_t window_rows = 1024;
  double sum = 0;
  std::int64_t rows = 0;
  for (const Table* table = &stream.next(window_rows); table->rows > 0;
       table = &stream.next(window_rows)) {
    for (const double value : table->numbers) sum += value;
    rows += table->rows;
  }
  fmt::print("{} rows, sum {}\n", rows, sum);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return EXIT_FAILURE;
  return read_rows(argv[1]);
} catch (const std::exception& error) {
  fmt::print(stderr, "read_rows: {}\n", error.what());
  return EXIT_FAILURE;
}
