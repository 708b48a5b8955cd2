#include "base/stop.hpp"

#include "base/beside.hpp"

#include <utility>

namespace fairfront::base {
namespace {

thread_local const std::function<bool()>* innermost = nullptr;

}  // namespace

StopScope::StopScope(std::function<bool()> wanted)
    : wanted_{std::move(wanted)}, outer_{std::exchange(innermost, &wanted_)} {}

StopScope::~StopScope() { innermost = outer_; }

void stop_point() {
  if (has_stop_points() && (*innermost)()) throw Interrupted();
}

bool has_stop_points() noexcept { return innermost != nullptr && *innermost; }

}  // namespace fairfront::base
