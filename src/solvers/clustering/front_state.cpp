#include "solvers/clustering/front_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::string_view magic = "safairkm_front state 3\n";

void require(bool holds, const char* what) {
  if (!holds) throw base::CheckpointError(what);
}

bool are_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

pareto::Points unpack_list(solvers::Unpacker& unpacker) {
  const auto objectives = unpacker.number<std::uint64_t>();
  const auto values = unpacker.array<std::vector<double>>();
  const auto origins = unpacker.array<std::vector<std::uint64_t>>();
  require(objectives >= 1 && values.size() / objectives == origins.size() &&
              values.size() % objectives == 0,
          "a checkpoint's list has points of different lengths");
  require(!origins.empty() && are_finite(values), "a checkpoint's list is no list of points");
  const std::set<std::uint64_t> distinct(origins.begin(), origins.end());
  require(distinct.size() == origins.size(), "a checkpoint's list has a point twice");
  pareto::Points list(objectives);
  for (std::size_t i = 0; i < origins.size(); ++i) {
    list.add(std::span{values}.subspan(objectives * i, objectives), origins[i]);
  }
  return list;
}

/// The trace has every iteration up to now, and the list that it ends with.
void require_whole_trace(const FrontState& state) {
  const auto& trace = state.trace;
  require(!trace.empty() && state.iteration == std::ssize(trace) - 1 &&
              trace.back().list_length == static_cast<std::int64_t>(state.list.size()),
          "a checkpoint's trace is not that of its list");
  for (std::size_t t = 0; t < trace.size(); ++t) {
    require(trace[t].iteration == static_cast<std::int64_t>(t) && trace[t].list_length > 0 &&
                std::isfinite(trace[t].hypervolume) && trace[t].hypervolume >= 0,
            "a checkpoint's trace has a gap");
  }
  require(state.candidates >= 0 && may_be_comparisons(state.comparisons) &&
              std::isfinite(state.hypervolume_lost) && state.hypervolume_lost >= 0,
          "a checkpoint counts below zero");
}

template <class Label>
bool are_labels(const std::string& bytes, const Problem& problem) {
  if (bytes.size() != static_cast<std::size_t>(problem.points()) * sizeof(Label)) return false;
  std::vector<Label> labels(static_cast<std::size_t>(problem.points()));
  std::memcpy(labels.data(), bytes.data(), bytes.size());
  return std::ranges::all_of(
      labels, [&](Label label) { return static_cast<std::int64_t>(label) < problem.clusters(); });
}

}  // namespace

std::string pack_state(const FrontState& state) {
  solvers::Packer packer;
  packer.raw(magic);
  packer.number(state.iteration);
  packer.number(state.candidates);
  packer.number(state.comparisons);
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
  solvers::Unpacker unpacker(bytes);
  require(unpacker.raw(magic.size()) == magic,
          "a checkpoint is not one of safairkm_front, or of another version");
  FrontState state;
  state.iteration = unpacker.number<std::int64_t>();
  state.candidates = unpacker.number<std::int64_t>();
  state.comparisons = unpacker.number<std::int64_t>();
  state.hypervolume_lost = unpacker.number<double>();
  state.trace = unpacker.array<std::vector<FrontIteration>>();
  state.list = unpack_list(unpacker);
  const auto entries = unpacker.number<std::uint64_t>();
  require(entries == state.list.size(), "a checkpoint has points without labels");
  for (std::uint64_t i = 0; i < entries; ++i) {
    state.labels.push_back(unpacker.array<std::string>());
  }
  const auto centres = unpacker.number<std::uint64_t>();
  require(centres == 0 || centres == entries, "a checkpoint has points without centres");
  for (std::uint64_t i = 0; i < centres; ++i) {
    state.centres.push_back(unpacker.array<std::vector<double>>());
  }
  require(unpacker.at_end(), "a checkpoint is longer than it says");
  require_whole_trace(state);
  return state;
}

void check_fits(const FrontState& state, const Problem& problem, bool running) {
  constexpr const char* another = "a checkpoint is of another problem or other options";
  require(state.list.objectives() == static_cast<std::size_t>(problem.objectives()), another);
  with_label_type(problem, [&]<class Label>(Label) {
    for (const std::string& labels : state.labels) {
      require(are_labels<Label>(labels, problem), another);
    }
  });
  require(state.centres.empty() == !running, another);
  const std::size_t coordinates = Centres(problem).values().size();
  for (const std::vector<double>& centres : state.centres) {
    require(centres.size() == coordinates && are_finite(centres), another);
  }
}

}  // namespace fairfront::clustering
