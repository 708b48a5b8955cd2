// Compiled for processors with AVX2: see CMakeLists.txt.
#include "models/kernel_loops.hpp"

namespace fairfront::models {

constinit const KernelTable kernels_avx2 = kernel_loops;

}  // namespace fairfront::models
