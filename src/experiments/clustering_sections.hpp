/// @file
/// The sections of clustering methods that have options which others make void.
#pragma once

#include <vector>

#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/safairkm.hpp"
#include "solvers/clustering/safairkm_front.hpp"
#include "solvers/clustering/vfairkm.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

struct SafairSection : clustering::SafairOptions {};
[[nodiscard]] std::vector<sweep::IdleOption> idle_options(const SafairSection& options);

struct SafairFrontSection : clustering::SafairFrontOptions {};
[[nodiscard]] std::vector<sweep::IdleOption> idle_options(const SafairFrontSection& options);

struct VfairSection : clustering::VfairOptions {};
[[nodiscard]] std::vector<sweep::IdleOption> idle_options(const VfairSection& options);

struct BalanceLadderSection : clustering::BalanceLadderOptions {};
[[nodiscard]] std::vector<sweep::IdleOption> idle_options(const BalanceLadderSection& options);

}  // namespace fairfront::experiments
