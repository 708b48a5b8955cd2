#include "solvers/common/stages.hpp"

namespace fairfront::solvers {

Stages::Stages(const Control& control, std::string_view name) : wish_{control}, name_{name} {
  if (control.resume) unpack_whole_state(name_, *control.resume, kept_);
  within_.report = control.report;
  within_.request = wish_.control().request;
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
  const Request now = within_.wanted();
  if (now == Request::go_on) return;
  save();
  if (now == Request::stop) throw Interrupted();
}

void Stages::save() {
  is_new_ = false;
  if (wish_.control().save) wish_.control().save(packed_state(name_, kept_));
}

}  // namespace fairfront::solvers
