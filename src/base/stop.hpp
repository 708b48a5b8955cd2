/// @file
/// How work without a caller's control in its hands, such as reading a table, is ended by a stop.
#pragma once

#include <functional>

#include "base/error.hpp"

namespace fairfront::base {

/// Work has ended before its end because its caller wanted it to: no failure.
class Interrupted : public Error {
 public:
  Interrupted() : Error("the run was interrupted") {}
  [[nodiscard]] ExitCode exit_code() const noexcept override { return ExitCode::interrupted; }
  [[nodiscard]] Fault fault() const noexcept override { return Fault::program; }
};

/// While it lives, every stop_point() of the calling thread asks `wanted`, if there is one, in the
/// place of what an outer scope asks. Only for work that may end on one rank alone: where the
/// others would wait inside it, its end must be agreed on behind it.
class StopScope {
 public:
  explicit StopScope(std::function<bool()> wanted);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  std::function<bool()> wanted_;
  const std::function<bool()>* outer_;
};

/// A place where the work around may be left. Cheap: for loops with bodies of a microsecond.
/// @throws Interrupted  the calling thread's scope wants a stop.
void stop_point();

}  // namespace fairfront::base
