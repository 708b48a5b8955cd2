/// @file
/// Work on an archive that is there: its sweep made again, its data found.
#pragma once

#include <string>

#include "commands.hpp"
#include "load_sweep.hpp"
#include "results/content.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::drivers {

/// What goes through the results of an archive needs.
struct ArchiveWork {
  Sweep sweep;
  sweep::RunContext context;  ///< it tells on the standard error how far long work has come
};

/// The sweep of an archive and its data files, also those that its machine had elsewhere, which is
/// said on the standard error. Local.
/// @param did  what is told of results, such as "tasks are measured".
/// @throws base::InputError  as context_of() and reopen_sweep().
[[nodiscard]] ArchiveWork work_on_archive(const Call& call, const results::Content& content,
                                          const std::string& path, const std::string& did);

}  // namespace fairfront::drivers
