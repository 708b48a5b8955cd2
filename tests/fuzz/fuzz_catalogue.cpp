// Any text as a catalogue of data sets: refused with a message, or sets that are complete.
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "data/catalogue/catalogue_file.hpp"
#include "fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairfront;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    for (const data::CatalogueEntry& set : data::read_catalogue(text, "fuzz.ini", {})) {
      fuzz::require(!set.name.empty() && !set.tasks.empty());
      for (const data::SupervisedTask& task : set.tasks) {
        fuzz::require(!task.sensitive.empty() && task.published_file.sha256.size() == 64);
      }
    }
  } catch (const base::InputError& error) {
    fuzz::require_message(error.what());
  }
  return 0;
}
