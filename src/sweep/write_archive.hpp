/// @file
/// From the columns of a run to its archive, and the end of its journal.
#pragma once

#include <string>

#include "parallel/comm.hpp"
#include "results/content.hpp"
#include "sweep/run.hpp"

namespace fairfront::sweep {

/// What archive::write() does, and the same file; what takes long to pack is packed by all ranks.
/// Collective.
/// @param content  of rank 0, which writes; elsewhere not looked at.
/// @return  on rank 0, the digest of what was found, see results::results_digest().
/// @throws parallel::CollectiveError  on every rank: as archive::write() has thrown.
std::string write_archive(const parallel::Comm& world, const std::string& path,
                          const results::Content& content, bool overwrite);

/// When the archive of a complete run stands; each rank removes its own log. Does not fail.
/// Collective.
void remove_journal(const parallel::Comm& world, const RunOutcome& outcome);

}  // namespace fairfront::sweep
