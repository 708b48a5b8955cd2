#include "data/readers/reading_scope.hpp"

#include <utility>

namespace fairfront::data {
namespace {

thread_local const ReadingScope::Told* innermost_told = nullptr;
thread_local int readings = 0;

void tell_reading(const std::string& file) {
  if (innermost_told != nullptr && *innermost_told) (*innermost_told)(file);
}

}  // namespace

ReadingScope::ReadingScope(Told told)
    : told_{std::move(told)}, outer_{std::exchange(innermost_told, &told_)} {}

ReadingScope::~ReadingScope() { innermost_told = outer_; }

Reading::Reading(const std::string& file) {
  if (readings++ == 0) tell_reading(file);
}

Reading::~Reading() {
  if (--readings == 0) tell_reading("");
}

}  // namespace fairfront::data
