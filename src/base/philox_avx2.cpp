// Compiled for processors with AVX2: see CMakeLists.txt.
#include "base/philox_loops.hpp"

namespace fairfront::base {

constinit const Philox philox_avx2 = blocks_of_philox;

}  // namespace fairfront::base
