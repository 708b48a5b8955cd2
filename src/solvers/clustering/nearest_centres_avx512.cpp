// Compiled for processors with AVX-512: see CMakeLists.txt.
#include "solvers/clustering/nearest_centres_loops.hpp"

namespace fairfront::clustering {

constinit const NearestCentres nearest_centres_avx512 = nearest_of_points;

}  // namespace fairfront::clustering
