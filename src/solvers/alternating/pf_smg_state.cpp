#include "solvers/alternating/pf_smg_state.hpp"

#include <cmath>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::alternating {
namespace {

constexpr std::string_view magic = "pf_smg state 1\n";

void require(bool holds, const char* what) {
  if (!holds) throw base::CheckpointError(what);
}

void require_whole_trace(const PfSmgState& state) {
  require(!state.trace.empty() && state.values >= 0 &&
              state.trace.back().list_length == static_cast<std::int64_t>(state.list.size()),
          "a checkpoint's trace is not that of its list");
  for (std::size_t t = 0; t < state.trace.size(); ++t) {
    const PfSmgIteration& step = state.trace[t];
    require(step.iteration == static_cast<std::int64_t>(t) && step.list_length > 0 &&
                step.gradients >= (t == 0 ? 0 : state.trace[t - 1].gradients) &&
                std::isfinite(step.hypervolume),
            "a checkpoint's trace has a gap");
  }
}

}  // namespace

std::string pack_state(const PfSmgState& state) {
  solvers::Packer packer;
  packer.raw(magic);
  packer.number(state.values);
  packer.array(std::span{state.trace});
  packer.number(static_cast<std::uint64_t>(state.list.objectives()));
  packer.array(state.list.values());
  packer.array(state.list.origins());
  for (const std::vector<double>& x : state.x) packer.array(std::span{x});
  return packer.take();
}

PfSmgState unpack_pf_smg_state(const std::string& bytes) {
  solvers::Unpacker unpacker(bytes);
  require(unpacker.raw(magic.size()) == magic,
          "a checkpoint is not one of pf_smg, or of another version");
  PfSmgState state;
  state.values = unpacker.number<std::int64_t>();
  state.trace = unpacker.array<std::vector<PfSmgIteration>>();
  const auto objectives = unpacker.number<std::uint64_t>();
  auto values = unpacker.array<std::vector<double>>();
  auto origins = unpacker.array<std::vector<std::uint64_t>>();
  require(objectives >= 1 && !origins.empty() && values.size() % objectives == 0 &&
              values.size() / objectives == origins.size(),
          "a checkpoint's list has points of different lengths");
  for (const double value : values) {
    require(std::isfinite(value), "a checkpoint's list is no list of points");
  }
  state.list = pareto::Points(objectives, std::move(values), std::move(origins));
  for (std::size_t k = 0; k < state.list.size(); ++k) {
    state.x.push_back(unpacker.array<std::vector<double>>());
  }
  require(unpacker.at_end(), "a checkpoint is longer than it says");
  require_whole_trace(state);
  return state;
}

}  // namespace fairfront::alternating
