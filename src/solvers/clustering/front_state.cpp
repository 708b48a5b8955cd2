#include "solvers/clustering/front_state.hpp"

#include <span>
#include <string_view>

#include "base/error.hpp"
#include "solvers/clustering/packing.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::string_view magic = "safairkm_front state 2\n";

}  // namespace

std::string pack_state(const FrontState& state) {
  Packer packer;
  packer.raw(magic);
  packer.number(state.iteration);
  packer.number(state.candidates);
  packer.number(state.hypervolume_lost);
  packer.array(std::span{state.trace});
  packer.number(static_cast<std::uint64_t>(state.list.objectives()));
  packer.array(state.list.values());
  packer.array(state.list.origins());
  packer.number(static_cast<std::uint64_t>(state.labels.size()));
  for (const std::string& labels : state.labels) packer.array(std::span<const char>{labels});
  packer.number(static_cast<std::uint64_t>(state.centres.size()));
  for (const auto& centres : state.centres) packer.array(std::span{centres});
  return packer.take();
}

FrontState unpack_state(const std::string& bytes) {
  Unpacker unpacker(bytes);
  if (unpacker.raw(magic.size()) != magic) {
    throw base::InputError("a checkpoint is not one of safairkm_front");
  }
  FrontState state;
  state.iteration = unpacker.number<std::int64_t>();
  state.candidates = unpacker.number<std::int64_t>();
  state.hypervolume_lost = unpacker.number<double>();
  state.trace = unpacker.array<std::vector<FrontIteration>>();
  const auto objectives = unpacker.number<std::uint64_t>();
  const auto values = unpacker.array<std::vector<double>>();
  const auto origins = unpacker.array<std::vector<std::uint64_t>>();
  if (objectives < 1 || values.size() != objectives * origins.size()) {
    throw base::InputError("a checkpoint is inconsistent");
  }
  state.list = pareto::Points(objectives);
  for (std::size_t i = 0; i < origins.size(); ++i) {
    state.list.add(std::span{values}.subspan(objectives * i, objectives), origins[i]);
  }
  const auto entries = unpacker.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < entries; ++i) {
    state.labels.push_back(unpacker.array<std::string>());
  }
  const auto centres = unpacker.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < centres; ++i) {
    state.centres.push_back(unpacker.array<std::vector<double>>());
  }
  const bool fits = state.labels.size() == origins.size() &&
                    (state.centres.empty() || state.centres.size() == origins.size());
  if (!fits || !unpacker.at_end()) throw base::InputError("a checkpoint is inconsistent");
  return state;
}

}  // namespace fairfront::clustering
