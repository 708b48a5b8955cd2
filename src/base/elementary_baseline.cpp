// Compiled for every processor of the architecture: see CMakeLists.txt.
#include "base/elementary_loops.hpp"

namespace fairfront::base {

constinit const ElementaryTable elementary_baseline = elementary_loops;

}  // namespace fairfront::base
