// Compiled for processors with AVX-512: see CMakeLists.txt.
#include "solvers/clustering/soft_update_loops.hpp"

namespace fairfront::clustering {

constinit const SoftUpdate soft_update_avx512 = update_block;

}  // namespace fairfront::clustering
