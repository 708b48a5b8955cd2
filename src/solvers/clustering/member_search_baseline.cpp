// Compiled for every processor of the architecture: see CMakeLists.txt.
#include "solvers/clustering/member_search_loops.hpp"

namespace fairfront::clustering {

constinit const MemberSearch member_search_baseline{find_members<std::uint8_t>,
                                                    find_members<std::uint16_t>};

}  // namespace fairfront::clustering
