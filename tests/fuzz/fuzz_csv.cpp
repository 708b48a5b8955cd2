// Any text as a table of separated values. The first two bytes choose its form.
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/csv.hpp"
#include "fuzz/table_outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairfront;
  if (size < 2) return 0;
  constexpr std::string_view separators = ",;\t |";
  data::CsvFormat format;
  format.separator = separators[data[0] % separators.size()];
  format.header = data[0] % 2 == 0;
  if (data[0] % 3 == 0) format.comment = "#";
  const std::string_view text{reinterpret_cast<const char*>(data) + 2, size - 2};
  fuzz::compare_windows(text, 1 + data[1] % 40, [&](data::TextWindow window) {
    std::vector<std::string> names = data::csv_column_names({text, "fuzz"}, format);
    names.resize(std::min<std::size_t>(names.size(), 2));
    std::vector<data::TableColumn> columns;
    for (const std::string& name : names) {
      const bool number = columns.empty();
      columns.push_back({name, number ? data::CellKind::number : data::CellKind::category,
                         data[1] % 2 == 0 ? data::MissingCell::keep : data::MissingCell::drop});
    }
    return fuzz::bits_of(data::read_csv(std::move(window), format, columns));
  });
  return 0;
}
