/// @file
/// What the options and checkpoints of several training algorithms have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/common/packing.hpp"
#include "solvers/training/samples.hpp"

namespace fairfront::training {

/// The bound of the constraints, along which a front is traced.
void add_delta(base::OptionTable& table, double& delta);
void add_batches(base::OptionTable& table, std::int64_t& batch, std::int64_t& group_batch);
void add_sampling(base::OptionTable& table, Sampling& sampling);
/// @param of_groups  of the rows of each group (or group and label) in an estimate of constraints.
void add_sampling(base::OptionTable& table, Sampling& sampling, Sampling& of_groups);

/// Whose rules where the paper's text and its public program differ.
enum class Rules { paper, authors };
/// @param meaning  of `authors`.
void add_rules(base::OptionTable& table, Rules& rules, std::string meaning);

/// @throws base::CheckpointError  the array has another size.
[[nodiscard]] std::vector<double> unpack_values(solvers::Unpacker& unpacker, std::size_t size);

}  // namespace fairfront::training
