// Compiled for processors with AVX2: see CMakeLists.txt.
#include "solvers/clustering/nearest_centres_loops.hpp"

namespace fairfront::clustering {

constinit const NearestCentres nearest_centres_avx2 = nearest_of_points;

}  // namespace fairfront::clustering
