// Compiled for processors with AVX-512: see CMakeLists.txt.
#include "models/kernel_loops.hpp"

namespace fairfront::models {

constinit const KernelTable kernels_avx512 = kernel_loops;

}  // namespace fairfront::models
