// Compiled for every processor of the architecture: see CMakeLists.txt.
#include "base/philox_loops.hpp"

namespace fairfront::base {

constinit const Philox philox_baseline = blocks_of_philox;

}  // namespace fairfront::base
