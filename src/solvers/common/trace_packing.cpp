#include "solvers/common/trace_packing.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

namespace fairfront::solvers {

void pack(Packer& packer, const Trace& trace) {
  packer.array(std::span<const std::int64_t>(trace.steps));
  for (const auto& values : trace.values) packer.array(std::span<const double>(values));
  packer.array(std::span<const double>(trace.seconds));
}

void unpack(Unpacker& unpacker, Recorder& recorder) {
  Trace trace{recorder.trace().names, unpacker.array<std::vector<std::int64_t>>(), {}, {}};
  for (std::size_t i = 0; i < trace.names.size(); ++i) {
    trace.values.push_back(unpacker.array<std::vector<double>>());
  }
  trace.seconds = unpacker.array<std::vector<double>>();
  try {
    recorder.go_on(std::move(trace));
  } catch (const std::invalid_argument&) {
    throw base::CheckpointError("a checkpoint has another trajectory");
  }
}

}  // namespace fairfront::solvers
