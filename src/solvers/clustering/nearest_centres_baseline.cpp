// Compiled for every processor of the architecture: see CMakeLists.txt.
#include "solvers/clustering/nearest_centres_loops.hpp"

namespace fairfront::clustering {

constinit const NearestCentres nearest_centres_baseline = nearest_of_points;

}  // namespace fairfront::clustering
