// Compiled for processors with AVX2: see CMakeLists.txt.
#include "base/elementary_loops.hpp"

namespace fairfront::base {

constinit const ElementaryTable elementary_avx2 = elementary_loops;

}  // namespace fairfront::base
