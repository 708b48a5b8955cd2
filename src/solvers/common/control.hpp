/// @file
/// How a caller watches a run, keeps its state and ends it early.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/stop.hpp"

namespace fairfront::solvers {

/// What a caller wants of a run that goes on. Of several ranks the most demanding one decides.
enum class Request { go_on = 0, checkpoint = 1, stop = 2 };

/// What a run throws that its caller stops. A method with checkpoints goes on from the last one
/// that it saved; the others begin anew.
using base::Interrupted;

/// How far a run has come.
struct Progress {
  double fraction = 0;  ///< of the work, in [0, 1]
  std::string text;     ///< such as "iteration 120/2500"
  /// Of what would be its result now, where it has many labels: 0 where it has none.
  double label_bytes = 0;
  /// Of the wall clock, where the run reckons them itself: its steps become dearer, and how much
  /// is still to be done is a forecast that changes.
  std::optional<double> seconds_left{};
};

/// After `done` of `total` pieces of work: "iteration 120/2500, details".
/// @param piece  what one is called, such as "iteration".
[[nodiscard]] Progress progress(std::string_view piece, std::int64_t done, std::int64_t total,
                                std::string_view details = {});

/// Everything may be empty. Nothing of it changes a result.
struct Control {
  std::function<void(const Progress&)> report = nullptr;
  std::function<Request()> request = nullptr;
  std::function<void(const std::string& state)> save = nullptr;  ///< of methods with checkpoints
  std::optional<std::string> resume{};                           ///< a state to go on from

  [[nodiscard]] Request wanted() const { return request ? request() : Request::go_on; }
  void tell(const Progress& now) const {
    if (report) report(now);
  }
};

/// Keeps a state where the caller wants one, and ends where it wants that.
/// @param state  returns the bytes of the state between two steps.
/// @throws Interrupted
template <std::invocable State>
void obey(Request wanted, const Control& control, State&& state) {
  if (wanted == Request::go_on) return;
  if (control.save) control.save(state());
  if (wanted == Request::stop) throw Interrupted();
}

/// A long loop's contact with its caller. Most calls only count: one in so many, some twenty a
/// second, asks whether to stop, and reports. Between them it looks at the clock, every 128 calls
/// at the latest: a body that suddenly takes milliseconds does not keep the caller waiting. Still
/// dearer ones behind a fast loop have a heartbeat of their own, whose first call asks.
class Heartbeat {
 public:
  explicit Heartbeat(const Control& control) noexcept : control_{control} {}

  /// @param progress  returns a Progress; called when it is time to report.
  /// @throws Interrupted  the caller wants the run to stop.
  template <std::invocable Progress>
  void beat(Progress&& progress) {
    if (--left_ > 0 || !is_due()) return;
    if (control_.wanted() == Request::stop) throw Interrupted();
    if (control_.report) control_.report(progress());
  }
  /// Asks only.
  void beat() {
    if (ask() == Request::stop) throw Interrupted();
  }
  /// The same for a loop that is left in another way, or must not lose the wish for a checkpoint.
  [[nodiscard]] Request ask() {
    if (--left_ > 0 || !is_due()) return Request::go_on;
    return control_.wanted();
  }
  /// The same, which reports as well.
  template <std::invocable Progress>
  [[nodiscard]] Request ask(Progress&& progress) {
    if (--left_ > 0 || !is_due()) return Request::go_on;
    if (control_.report) control_.report(progress());
    return control_.wanted();
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// Looks at the clock, and sets the number of calls to the next look.
  /// @return it is time to ask.
  [[nodiscard]] bool is_due() noexcept;

  const Control& control_;
  std::int64_t left_ = 1;    ///< calls to the next look
  std::int64_t step_ = 1;    ///< calls between the last look and the next one
  std::int64_t stride_ = 1;  ///< calls that take as long as should lie between two looks
  std::int64_t calls_ = 0;   ///< up to the last look, since the caller was asked
  std::int64_t most_ = 1;    ///< calls after which the caller is asked whatever the clock says
  Clock::time_point looked_ = Clock::now();
  Clock::time_point asked_ = looked_;
};

}  // namespace fairfront::solvers
