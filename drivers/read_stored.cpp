#include "read_stored.hpp"

#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <filesystem>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "journal/journal.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "sweep/partial.hpp"
#include "sweep/stored_config.hpp"

namespace fairfront::drivers {
namespace {

archive::Stored read_journal(const std::string& journal) {
  const results::SweepIdentity header = journal::read_journal_header(journal);
  const sweep::StoredConfig config = sweep::stored_config(header.config, header.axes);
  const Sweep sweep = load_sweep(config.text, journal, config.assignments);
  sweep::PartialContent partial =
      sweep::read_partial(journal, sweep.plan, sweep.experiment.schema());
  for (const std::string& warning : partial.warnings) {
    log("fairfront: warning: {}\n", base::printable(warning));
  }
  archive::Stored stored;
  stored.content = std::move(partial.content);
  stored.format_version = results::format_version;
  stored.status = "partial";
  return stored;
}

}  // namespace

void add_partial_option(boost::program_options::options_description& options) {
  options.add_options()(
      "partial", "Of a run that goes on or was cut off, what its journal holds so far is taken.");
}

archive::Stored read_stored(const std::string& path, bool partial) {
  const std::string journal = journal::journal_path(path);
  const bool has_archive = std::filesystem::exists(path);
  if (partial && journal::journal_exists(journal)) return read_journal(journal);
  if (!partial && !has_archive && journal::journal_exists(journal)) {
    throw base::InputError(
        fmt::format("there is no archive '{}' yet, only the journal of a run that has not ended: "
                    "--partial reads that",
                    path));
  }
  return archive::read(path);
}

}  // namespace fairfront::drivers
