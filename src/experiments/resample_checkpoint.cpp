#include "experiments/resample_checkpoint.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::experiments {
namespace {

constexpr std::string_view magic_of_stages = "solver and resamples 1\n";

void pack_state(solvers::Packer& packer, const std::optional<std::string>& state) {
  packer.number(static_cast<std::uint8_t>(state ? 1 : 0));
  if (state) packer.array(std::span<const char>(*state));
}

std::optional<std::string> unpack_state(solvers::Unpacker& unpacker) {
  if (unpacker.number<std::uint8_t>() == 0) return std::nullopt;
  return unpacker.array<std::string>();
}

}  // namespace

ResampleCheckpoint::ResampleCheckpoint(const solvers::Control& control)
    : of_solver_{control}, of_resamples_{control} {
  if (control.resume) unpack(*control.resume);
  of_solver_.resume = solver_state_;
  of_resamples_.resume = resample_state_;
  if (control.save) {
    of_solver_.save = [this, &control](const std::string& state) {
      solver_state_ = state;
      control.save(pack());
    };
    of_resamples_.save = [this, &control](const std::string& state) {
      resample_state_ = state;
      control.save(pack());
    };
  }
  resamples_.emplace(of_resamples_);
}

metrics::BootstrapOptions ResampleCheckpoint::next(metrics::BootstrapOptions options) {
  const std::size_t number = asked_++;
  options.earlier = resamples_->earlier(number);
  options.after = [this, number, total = options.resamples](const metrics::Resamples& now) {
    resamples_->look(number, now, now.done == total);
  };
  return options;
}

std::string ResampleCheckpoint::pack() const {
  solvers::Packer packer;
  packer.raw(magic_of_stages);
  pack_state(packer, solver_state_);
  pack_state(packer, resample_state_);
  return packer.take();
}

void ResampleCheckpoint::unpack(const std::string& bytes) {
  solvers::Unpacker unpacker(bytes);
  if (unpacker.raw(magic_of_stages.size()) != magic_of_stages) {
    throw base::CheckpointError("a checkpoint is not of a solver and its resamples");
  }
  solver_state_ = unpack_state(unpacker);
  resample_state_ = unpack_state(unpacker);
  if (!unpacker.at_end()) throw base::CheckpointError("a checkpoint goes on after its end");
}

}  // namespace fairfront::experiments
