// Compiled for processors with AVX-512: see CMakeLists.txt.
#include "solvers/clustering/member_search_loops.hpp"

namespace fairfront::clustering {

constinit const MemberSearch member_search_avx512{find_members<std::uint8_t>,
                                                  find_members<std::uint16_t>};

}  // namespace fairfront::clustering
