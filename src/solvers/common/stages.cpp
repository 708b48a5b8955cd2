#include "solvers/common/stages.hpp"

namespace fairfront::solvers {

Stages::Stages(const Control& control, std::string_view name) : control_{control}, name_{name} {
  if (control.resume) unpack_whole_state(name_, *control.resume, kept_);
  within_.report = control.report;
  within_.request = [this] { return wanted(); };
  within_.resume = kept_.of_stage;
  if (!control.save) return;
  within_.save = [this](const std::string& state) {
    kept_.of_stage = state;
    save();
  };
}

void Stages::keep(std::string answer) {
  kept_.answers.push_back(std::move(answer));
  ++asked_;
  kept_.of_stage.reset();
  within_.resume.reset();
  is_new_ = true;
  const Request now = wanted();
  if (now == Request::go_on) return;
  save();
  if (now == Request::stop) throw Interrupted();
}

Request Stages::wanted() {
  const Request now = control_.wanted();
  if (now == Request::checkpoint) is_due_ = true;
  return now == Request::go_on && is_due_ ? Request::checkpoint : now;
}

void Stages::save() {
  is_due_ = is_new_ = false;
  if (control_.save) control_.save(packed_state(name_, kept_));
}

}  // namespace fairfront::solvers
