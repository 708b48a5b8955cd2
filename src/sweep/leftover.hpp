/// @file
/// A journal beside an archive that needs no more tasks: may it go?
#pragma once

#include <string>

#include "results/content.hpp"

namespace fairfront::sweep {

enum class Leftover {
  none,      ///< there is no journal
  stored,    ///< every record is in the archive: what a kill right after publishing leaves
  unstored,  ///< of the same sweep, with results that the archive lacks
  foreign,   ///< of another sweep, such as a wider one
};

/// Compares a journal with the archive beside it. A task that failed in the archive and is done in
/// the journal is lacking, too. Hold the journal's lock. Local.
/// @throws base::InputError  the journal cannot be read.
[[nodiscard]] Leftover judge_leftover(const std::string& journal, const results::Content& archive);

}  // namespace fairfront::sweep
