// Any text as a config: refused with a message, or one that comes back from its own text.
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "config/fake_sections.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace fairfront;

config::Config read(const std::string& text) {
  return config::resolve(config::scan_config(text, "fuzz.ini"), "fake",
                         config::test::fake_sections());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  try {
    const config::Config first = read(text);
    const config::Config again = read(config::to_text(first));
    fuzz::require(config::config_entries(first) == config::config_entries(again));
  } catch (const base::InputError& error) {
    fuzz::require_message(error.what());
  }
  return 0;
}
