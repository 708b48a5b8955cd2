// Compiled for every processor of the architecture: see CMakeLists.txt.
#include "solvers/clustering/soft_update_loops.hpp"

namespace fairfront::clustering {

constinit const SoftUpdate soft_update_baseline = update_block;

}  // namespace fairfront::clustering
