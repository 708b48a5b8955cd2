// Any bytes as the state of a method. The first byte says of which.
#include <string>

#include "base/error.hpp"
#include "fuzz/checkpoint_problem.hpp"
#include "fuzz/require.hpp"
#include "solvers/clustering/front_state.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairfront;
  if (size < 1) return 0;
  const std::string bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  try {
    if (data[0] % 2 == 0) {
      const auto options = fuzz::ladder_options();
      const auto result = clustering::balance_ladder(fuzz::checkpoint_problem(), options, 1, "fuzz",
                                                     {.resume = bytes});
      // Refinement ends early where a state says that no gap is left.
      const std::int64_t most = options.starts + options.relocations + options.refinements;
      fuzz::require(!result.trace.empty() && std::ssize(result.trace) <= most);
    } else {
      const clustering::FrontState state = clustering::unpack_state(bytes);
      fuzz::require(clustering::pack_state(state) == bytes);
      clustering::check_fits(state, fuzz::checkpoint_problem(), data[0] % 4 == 1);
    }
  } catch (const base::CheckpointError& error) {
    fuzz::require_message(error.what());
  }
  return 0;
}
