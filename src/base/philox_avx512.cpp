// Compiled for processors with AVX-512: see CMakeLists.txt.
#include "base/philox_loops.hpp"

namespace fairfront::base {

constinit const Philox philox_avx512 = blocks_of_philox;

}  // namespace fairfront::base
