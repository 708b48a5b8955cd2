// Compiled for every processor of the architecture: see CMakeLists.txt.
#include "models/kernel_loops.hpp"

namespace fairfront::models {

constinit const KernelTable kernels_baseline = kernel_loops;

}  // namespace fairfront::models
