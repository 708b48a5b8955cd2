#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/publish.hpp"
#include "journal/cbor.hpp"
#include "journal/fields_json.hpp"
#include "journal/file.hpp"
#include "journal/journal.hpp"
#include "results/content.hpp"
#include "results/sweep_identity.hpp"

namespace fairfront::journal {
namespace {

constexpr const char* header_kind = "header";

constexpr const char* header_name = "header";

// The files are ragged and not among the fields.
Json json_of(const data::Provenance& dataset) {
  Json json = fields_to_json(dataset);
  json["files"] = dataset.files;
  json["sha256"] = dataset.sha256;
  return json;
}

Json json_of(const results::SweepIdentity& header) {
  Json config = Json::array();
  for (const auto& entry : header.config) {
    config.push_back(Json::array({entry.section, entry.key, entry.value}));
  }
  Json axes = Json::array();
  for (const results::Axis& axis : header.axes) {
    axes.push_back(fields_to_json(axis));
  }
  Json datasets = Json::array();
  for (const auto& dataset : header.datasets) datasets.push_back(json_of(dataset));
  return {{"sweep_digest", header.sweep_digest},
          {"experiment", header.experiment},
          {"config", std::move(config)},
          {"axes", std::move(axes)},
          {"datasets", std::move(datasets)},
          {"revisions", header.revisions},
          {"tasks", header.tasks},
          {"program_version", header.program_version}};
}

data::Provenance dataset_of(const Json& json) {
  data::Provenance dataset;
  fields_from_json(json, dataset);
  json.at("files").get_to(dataset.files);
  json.at("sha256").get_to(dataset.sha256);
  return dataset;
}

results::SweepIdentity header_of(const Json& json) {
  results::SweepIdentity header;
  json.at("sweep_digest").get_to(header.sweep_digest);
  json.at("experiment").get_to(header.experiment);
  for (const Json& entry : json.at("config")) {
    header.config.push_back({entry.at(0).get<std::string>(), entry.at(1).get<std::string>(),
                             entry.at(2).get<std::string>()});
  }
  for (const Json& axis : json.at("axes")) {
    fields_from_json(axis, header.axes.emplace_back());
  }
  for (const Json& dataset : json.at("datasets")) header.datasets.push_back(dataset_of(dataset));
  json.at("revisions").get_to(header.revisions);
  json.at("tasks").get_to(header.tasks);
  json.at("program_version").get_to(header.program_version);
  return header;
}

// The folder alone, if nobody has put something there, and it is still what its path leads to.
void remove_folder(const base::Folder& journal) noexcept {
  if (journal.place() == base::Folder::Place::same) ::rmdir(journal.path().c_str());
}

// With a draft of its own name, so that two launches that start at once cannot mix their bytes.
void publish_header(const base::Folder& journal, const results::SweepIdentity& header,
                    bool overwrite) {
  Bytes payload;
  to_cbor(json_of(header), payload);
  Bytes file = sealing_frames(header_kind, payload);
  file.insert(file.end(), payload.begin(), payload.end());
  base::publish(journal, header_name, std::as_bytes(std::span{file}), overwrite);
}

// A launch that was killed right after making the folder leaves it empty; that one may be used.
void require_unused(const base::Folder& journal) {
  if (holds_journal(journal)) {
    throw base::InputError(fmt::format(
        "cannot make the journal '{}': it exists, from a run that was cut off; --resume "
        "continues it, or remove the folder",
        journal.path()));
  }
  if (!list_logs(journal).empty()) {
    throw base::InputError(
        fmt::format("cannot make the journal '{}': it holds finished tasks but no header, so "
                    "nobody can say of which sweep; remove the folder or choose another name",
                    journal.path()));
  }
}

}  // namespace

std::string journal_path(const std::string& archive_path) { return archive_path + ".journal"; }

void create_journal(const std::string& journal, const results::SweepIdentity& header) {
  begin_journal(make_journal_folder(journal), header);
}

void begin_journal(const base::Folder& journal, const results::SweepIdentity& header) {
  require_unused(journal);
  publish_header(journal, header, false);
  base::sync_folder(base::folder_of(journal.path()));
}

base::Folder make_journal_folder(const std::string& journal) {
  if (::mkdir(journal.c_str(), 0777) != 0 && errno != EEXIST) {
    base::throw_system_error("make the folder", journal, errno);
  }
  base::Folder made(journal);
  require_own_folder(made);
  return made;
}

void remove_empty_journal(const base::Folder& journal) noexcept try {
  if (holds_journal(journal) || !list_logs(journal).empty()) return;
  journal.remove(lock_name);
  remove_folder(journal);
} catch (...) {
  return;  // an empty folder does no harm: the next run uses it
}

base::Folder set_journal_aside(const base::Folder& journal) {
  constexpr int most_left_behind = 1000;  // by runs that were killed just here
  for (int attempt = 0; attempt < most_left_behind; ++attempt) {
    const std::string aside =
        fmt::format("{}.discarded-{}-{}", journal.path(), ::getpid(), attempt);
    struct stat status {};
    if (::lstat(aside.c_str(), &status) == 0) continue;
    if (::rename(journal.path().c_str(), aside.c_str()) == 0) return journal.renamed(aside);
    if (errno != EEXIST && errno != ENOTEMPTY) break;
  }
  base::throw_system_error("rename", journal.path(), errno);
}

bool put_journal_back(const base::Folder& aside, const std::string& journal) noexcept {
  return ::rename(aside.path().c_str(), journal.c_str()) == 0;
}

bool journal_exists(const std::string& journal) {
  struct stat status {};
  if (::lstat(journal.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    base::throw_system_error("read", journal, errno);
  }
  if (!S_ISDIR(status.st_mode) && !S_ISLNK(status.st_mode)) return false;
  return holds_journal(base::Folder(journal));
}

bool holds_journal(const base::Folder& journal) {
  if (journal.has(header_name)) return true;
  if (errno != ENOENT) base::throw_system_error("read", journal.path(), errno);
  return std::ranges::any_of(list_logs(journal), [&](const LogName& log) {
    return header_in_log(journal, log.name).has_value();
  });
}

void rewrite_header(const base::Folder& journal, const results::SweepIdentity& header) {
  publish_header(journal, header, true);
}

namespace {

/// @throws base::InputError  it is none.
results::SweepIdentity sweep_in(const std::string& payload, const std::string& path) {
  const auto damaged = [&](const char* reason) {
    return base::InputError(fmt::format("cannot read '{}': it is damaged ({})", path, reason));
  };
  try {
    return header_of(from_cbor(view_of(payload)));
  } catch (const Json::exception& error) {
    throw damaged(error.what());
  } catch (const base::DamagedError& error) {
    throw damaged(error.what());
  }
}

/// The newest log knows the axes as they were last extended.
std::optional<FoundHeader> find_copy(const base::Folder& journal) {
  std::vector<LogName> logs = list_logs(journal);
  std::ranges::reverse(logs);
  for (const LogName& log : logs) {
    const std::string path = journal.file(log.name);
    try {
      if (const auto payload = header_in_log(journal, log.name)) {
        return FoundHeader{sweep_in(*payload, path),
                           fmt::format("'{}' is lost or damaged; what it said stands in '{}', too",
                                       journal.file(header_name), path)};
      }
    } catch (const base::InputError&) {
      continue;  // another log may be sound
    }
  }
  return std::nullopt;
}

}  // namespace

FoundHeader find_header(const base::Folder& journal) {
  const std::string path = journal.file(header_name);
  if (!holds_journal(journal)) {
    throw base::InputError(fmt::format("there is no journal at '{}'", journal.path()));
  }
  try {
    return {sweep_in(read_sealed(journal, header_name, header_kind, longest_header), path), ""};
  } catch (const NewerError&) {
    throw;
  } catch (const base::InputError& error) {
    // What may not be read is not lost.
    const bool readable = ::faccessat(journal.get(), header_name, R_OK, 0) == 0;
    if (!readable && errno != ENOENT) throw;
    if (auto copy = find_copy(journal)) return *copy;
    throw base::InputError(fmt::format(
        "{}; no log has a copy of it: remove the folder, or take another name for the archive",
        error.what()));
  }
}

results::SweepIdentity read_journal_header(const base::Folder& journal) {
  return find_header(journal).sweep;
}

std::optional<std::string> header_payload(const base::Folder& journal) noexcept try {
  return read_sealed(journal, header_name, header_kind, longest_header);
} catch (...) {
  return std::nullopt;
}

void remove_log(const OwnLog& log) noexcept try {
  log.journal.remove(log_name(log.launch, log.rank));
} catch (...) {
  return;  // remove_journal() finds it
}

void remove_journal(const base::Folder& journal) noexcept try {
  // The header last: what a kill leaves in between is a journal with fewer tasks, not a riddle.
  for (const std::string& name : journal.names()) {
    if (is_ours(name)) journal.remove(name);
  }
  journal.remove(lock_name);
  journal.remove(header_name);
  remove_folder(journal);
} catch (...) {
  return;  // a journal that stays does no harm: its archive stands
}

void remove_journal(const std::string& journal) noexcept try {
  remove_journal(base::Folder(journal));
} catch (...) {
  return;  // a journal that stays does no harm: its archive stands
}

}  // namespace fairfront::journal
