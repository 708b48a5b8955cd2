// Compiled for processors with AVX2: see CMakeLists.txt.
#include "solvers/clustering/soft_update_loops.hpp"

namespace fairfront::clustering {

constinit const SoftUpdate soft_update_avx2 = update_block;

}  // namespace fairfront::clustering
