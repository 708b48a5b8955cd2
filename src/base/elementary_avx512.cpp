// Compiled for processors with AVX-512: see CMakeLists.txt.
#include "base/elementary_loops.hpp"

namespace fairfront::base {

constinit const ElementaryTable elementary_avx512 = elementary_loops;

}  // namespace fairfront::base
