#include "base/stop.hpp"

#include <utility>

namespace fairfront::base {
namespace {

thread_local const std::function<bool()>* innermost = nullptr;

}  // namespace

StopScope::StopScope(std::function<bool()> wanted)
    : wanted_{std::move(wanted)}, outer_{std::exchange(innermost, &wanted_)} {}

StopScope::~StopScope() { innermost = outer_; }

void stop_point() {
  if (innermost != nullptr && *innermost && (*innermost)()) throw Interrupted();
}

}  // namespace fairfront::base
