// Any text as sparse rows. The first byte says in what pieces it comes and how many columns it has.
#include <string>
#include <string_view>

#include "data/readers/libsvm.hpp"
#include "fuzz/table_outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairfront;
  if (size < 1) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  fuzz::compare_windows(text, 1 + data[0] % 40, [&](data::TextWindow window) {
    const data::LibsvmRows rows = data::read_libsvm(std::move(window), data[0] % 3 == 0 ? 9 : 0);
    std::string bits{reinterpret_cast<const char*>(rows.label.data()),
                     rows.label.size() * sizeof(double)};
    return bits + std::to_string(rows.features.columns);
  });
  return 0;
}
