#include "data/catalogue/us_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace fairfront::data {
namespace {

struct State {
  std::string_view letters;
  int code;
};
constexpr std::array states{
    State{"AL", 1},  State{"AK", 2},  State{"AZ", 4},  State{"AR", 5},  State{"CA", 6},
    State{"CO", 8},  State{"CT", 9},  State{"DE", 10}, State{"DC", 11}, State{"FL", 12},
    State{"GA", 13}, State{"HI", 15}, State{"ID", 16}, State{"IL", 17}, State{"IN", 18},
    State{"IA", 19}, State{"KS", 20}, State{"KY", 21}, State{"LA", 22}, State{"ME", 23},
    State{"MD", 24}, State{"MA", 25}, State{"MI", 26}, State{"MN", 27}, State{"MS", 28},
    State{"MO", 29}, State{"MT", 30}, State{"NE", 31}, State{"NV", 32}, State{"NH", 33},
    State{"NJ", 34}, State{"NM", 35}, State{"NY", 36}, State{"NC", 37}, State{"ND", 38},
    State{"OH", 39}, State{"OK", 40}, State{"OR", 41}, State{"PA", 42}, State{"RI", 44},
    State{"SC", 45}, State{"SD", 46}, State{"TN", 47}, State{"TX", 48}, State{"UT", 49},
    State{"VT", 50}, State{"VA", 51}, State{"WA", 53}, State{"WV", 54}, State{"WI", 55},
    State{"WY", 56}, State{"PR", 72}};

}  // namespace

int fips_code(std::string_view state) {
  const auto found = std::ranges::find(states, state, &State::letters);
  if (found != states.end()) return found->code;
  throw base::InputError(fmt::format(
      "data.state = '{}', must be the two capital letters of a state of the USA, DC or PR", state));
}

}  // namespace fairfront::data
