// Any text as an attribute-relation file. The first byte says in what pieces it comes.
#include <string>
#include <string_view>
#include <vector>

#include "data/readers/arff.hpp"
#include "fuzz/table_outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairfront;
  if (size < 1) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  fuzz::compare_windows(text, 1 + data[0] % 40, [&](data::TextWindow window) {
    std::vector<std::string> names = data::arff_column_names({text, "fuzz"});
    names.resize(std::min<std::size_t>(names.size(), 2));
    std::vector<data::TableColumn> columns;
    for (const std::string& name : names) {
      const bool number = columns.empty();
      columns.push_back({name, number ? data::CellKind::number : data::CellKind::category,
                         data[0] % 2 == 0 ? data::MissingCell::keep : data::MissingCell::drop});
    }
    return fuzz::bits_of(data::read_arff(std::move(window), columns));
  });
  return 0;
}
