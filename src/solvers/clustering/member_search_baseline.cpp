// Compiled for every processor of the architecture: see CMakeLists.txt.
#include "solvers/clustering/member_search_loops.hpp"

namespace fairfront::clustering {

constinit const MemberSearch member_search_baseline{member_loops<std::uint8_t>,
                                                    member_loops<std::uint16_t>, measure_rows};

}  // namespace fairfront::clustering
