/// @file
/// What a run of dear stages keeps over the end of a process.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/lasting_wish.hpp"
#include "solvers/common/state.hpp"

namespace fairfront::solvers {

/// What fits: vectors of that size, or whatever was kept.
[[nodiscard]] inline auto of_size(std::size_t size) {
  return [size](const auto& kept) { return kept.size() == size; };
}
inline constexpr auto any_answer = [](const auto&) { return true; };

/// A dear step of a long run: before it the caller's wishes are heard, and where it is interrupted
/// in its midst, what it began from is kept.
/// @param state  returns the bytes of the state before the step, also while it goes on.
/// @throws Interrupted
template <std::invocable State, std::invocable Step>
auto make_step(const Control& control, State&& state, Step&& step) {
  obey(control.wanted(), control, state);
  try {
    return step();
  } catch (const Interrupted&) {
    if (control.save) control.save(state());
    throw;
  }
}

/// A run as a chain of stages, each a function of the answers before it. The answers of those that
/// are done are the state; a run that goes on asks for the same stages, gets these answers at once,
/// and comes out at the same bits. What lies between stages is done again and has to be cheap.
///
/// A stage may have checkpoints itself, such as a chain of its own: they are kept while it lasts.
class Stages {
 public:
  /// Goes on from control.resume, if there is one.
  /// @param control  must outlive this.
  /// @param name  of the method and the version of its state, such as "exact_training 1\n".
  /// @throws base::CheckpointError  it is damaged, or of another method.
  Stages(const Control& control, std::string_view name);
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  /// What stages, and what else of the run hears the caller's wishes, look at in the place of the
  /// caller's control: whoever asks that one for the wish to stop may take a checkpoint's with it.
  [[nodiscard]] const Control& control() const noexcept { return within_; }

  /// The answer of the next stage. Behind every stage the caller's wishes are heard.
  /// @param stage  (const Control&) -> Answer, or () -> Answer.
  /// @param fits   whether a kept answer, of whatever sizes, can be that of this stage.
  /// @throws Interrupted  the control wants a stop.
  /// @throws base::CheckpointError  a kept answer does not fit.
  template <class Stage, class Fits>
  [[nodiscard]] auto next(Stage&& stage, Fits&& fits) {
    using Answer = decltype(answer_of(stage));
    if (asked_ < kept_.answers.size()) {
      Answer known;
      unpack_whole_state({}, kept_.answers[asked_++], known);
      if (!fits(std::as_const(known))) {
        throw base::CheckpointError("a checkpoint is of another problem or other options");
      }
      return known;
    }
    Answer found = make<Answer>(stage);
    keep(packed_state({}, found));
    return found;
  }

 private:
  template <class Stage>
  [[nodiscard]] auto answer_of(Stage& stage) {
    if constexpr (std::invocable<Stage&, const Control&>) {
      return stage(std::as_const(within_));
    } else {
      return stage();
    }
  }
  template <class Answer, class Stage>
  [[nodiscard]] Answer make(Stage& stage) try {
    return answer_of(stage);
  } catch (const Interrupted&) {
    if (is_new_) save();
    throw;
  }

  /// An answer that was found, and then the caller's wishes.
  void keep(std::string answer);
  void save();

  struct Kept {
    std::vector<std::string> answers;     ///< of the stages that are done
    std::optional<std::string> of_stage;  ///< what the stage under way has kept
  };
  template <MaybeConst<Kept> Self, class Visit>
  friend void each_part(Self& self, Visit&& visit) {
    visit(self.answers, self.of_stage);
  }

  LastingWish wish_;
  std::string name_;
  Control within_;  ///< of the stage under way
  Kept kept_;
  std::size_t asked_ = 0;  ///< answers that were asked for
  bool is_new_ = false;    ///< an answer was found since the last checkpoint
};

}  // namespace fairfront::solvers
