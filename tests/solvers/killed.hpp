/// @file
/// Runs whose process ends at every checkpoint.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::solvers::test {

/// The machine fails.
struct MachineFails {};

/// A run with a checkpoint whenever it hears of the wish for one.
template <class Run>
class KilledRun {
 public:
  using Result = decltype(std::declval<Run&>()(Control{}));

  /// @param run  (const Control&) -> result.
  explicit KilledRun(Run run) : run_{std::move(run)} {}

  /// Goes on from what is kept, and is killed behind the next checkpoint that holds something new.
  std::optional<Result> to_next_checkpoint() {
    const Control control{.request = [] { return Request::checkpoint; },
                          .save =
                              [&](const std::string& state) {
                                if (state_ == state) return;
                                state_ = state;
                                throw MachineFails{};
                              },
                          .resume = state_};
    try {
      return run_(control);
    } catch (const MachineFails&) {
      ++kills_;
      return std::nullopt;
    }
  }

  /// Through all checkpoints.
  Result to_the_end(std::int64_t most_kills = 100'000) {
    while (kills_ < most_kills) {
      if (auto result = to_next_checkpoint()) return *std::move(result);
    }
    ADD_FAILURE() << "it never ends";
    return run_({});
  }

  /// Goes on from what is kept, and is asked to stop at the given wish.
  void stop_at(std::int64_t wish) {
    std::int64_t asked = 0;
    const Control control{
        .request = [&] { return asked++ == wish ? Request::stop : Request::go_on; },
        .save = [&](const std::string& state) { state_ = state; },
        .resume = state_};
    EXPECT_THROW((void)run_(control), Interrupted);
  }

  [[nodiscard]] std::int64_t kills() const { return kills_; }
  [[nodiscard]] const std::string& state() const { return *state_; }

 private:
  Run run_;
  std::optional<std::string> state_;
  std::int64_t kills_ = 0;
};

/// A wish for a checkpoint that is told once, at any of the first questions, is not lost.
template <class Run>
void expect_every_wish_is_heard(Run&& run, std::int64_t questions) {
  for (std::int64_t wish = 0; wish < questions; ++wish) {
    std::int64_t asked = 0, saved = 0;
    (void)run(
        Control{.request = [&] { return asked++ == wish ? Request::checkpoint : Request::go_on; },
                .save = [&](const std::string&) { ++saved; }});
    EXPECT_EQ(saved, 1) << "of question " << wish;
  }
}

/// States that were cut, prolonged, or are of something else.
template <class Run>
void expect_damage_is_refused(Run&& run, const std::string& state) {
  EXPECT_NO_THROW((void)run(Control{.resume = state}));
  for (const std::string& bad :
       {state.substr(0, state.size() - 1), state + "x", "X" + state.substr(1), std::string{}}) {
    EXPECT_THROW((void)run(Control{.resume = bad}), base::CheckpointError);
  }
}

}  // namespace fairfront::solvers::test
