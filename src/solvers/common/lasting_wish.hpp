/// @file
/// A caller's control for a run whose parts all ask it whether to stop.
#pragma once

#include <string>

#include "solvers/common/control.hpp"

namespace fairfront::solvers {

/// Whoever asks a control for the wish to stop may take a checkpoint's with it. Here it lasts until
/// a state was saved, whichever part heard of it.
class LastingWish {
 public:
  /// @param control  must outlive this.
  explicit LastingWish(const Control& control) : caller_{control}, lasting_{control} {
    lasting_.request = [this] { return wanted(); };
    if (!control.save) return;
    lasting_.save = [this](const std::string& state) {
      is_due_ = false;
      caller_.save(state);
    };
  }
  LastingWish(const LastingWish&) = delete;
  LastingWish& operator=(const LastingWish&) = delete;

  /// In the place of the caller's.
  [[nodiscard]] const Control& control() const noexcept { return lasting_; }

 private:
  [[nodiscard]] Request wanted() {
    const Request now = caller_.wanted();
    if (now == Request::checkpoint) is_due_ = true;
    return now == Request::go_on && is_due_ ? Request::checkpoint : now;
  }

  const Control& caller_;
  Control lasting_;
  bool is_due_ = false;  ///< a checkpoint was wished for
};

}  // namespace fairfront::solvers
