/// @file
/// What a Recorder has taken down, as part of a method's state.
#pragma once

#include "solvers/common/packing.hpp"
#include "solvers/common/recorder.hpp"

namespace fairfront::solvers {

void pack(Packer& packer, const Trace& trace);

/// Lets a new recorder go on after a packed trace.
/// @throws base::CheckpointError  it is of other series, or not whole.
void unpack(Unpacker& unpacker, Recorder& recorder);

}  // namespace fairfront::solvers
