// Compiled for processors with AVX-512: see CMakeLists.txt.
#include "solvers/clustering/member_search_loops.hpp"

namespace fairfront::clustering {

constinit const MemberSearch member_search_avx512{member_loops<std::uint8_t>,
                                                  member_loops<std::uint16_t>, measure_rows};

}  // namespace fairfront::clustering
