#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <span>
#include <string_view>

#include "archive/journal.hpp"
#include "archive/journal_cbor.hpp"
#include "archive/journal_file.hpp"
#include "archive/publish.hpp"
#include "base/error.hpp"

namespace fairfront::archive {
namespace {

constexpr const char* header_kind = "header";

std::string header_path(const std::string& journal) { return journal_file(journal, "header"); }

Json json_of(const data::Provenance& dataset) {
  return {{"name", dataset.name},     {"source", dataset.source},       {"files", dataset.files},
          {"sha256", dataset.sha256}, {"file_rows", dataset.file_rows}, {"recipe", dataset.recipe},
          {"digest", dataset.digest}};
}

Json json_of(const JournalHeader& header) {
  Json config = Json::array();
  for (const auto& entry : header.config) {
    config.push_back(Json::array({entry.section, entry.key, entry.value}));
  }
  Json axes = Json::array();
  for (const Axis& axis : header.axes) {
    axes.push_back({{"name", axis.name}, {"values", axis.values}});
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
  json.at("name").get_to(dataset.name);
  json.at("source").get_to(dataset.source);
  json.at("files").get_to(dataset.files);
  json.at("sha256").get_to(dataset.sha256);
  json.at("file_rows").get_to(dataset.file_rows);
  json.at("recipe").get_to(dataset.recipe);
  json.at("digest").get_to(dataset.digest);
  return dataset;
}

JournalHeader header_of(const Json& json) {
  JournalHeader header;
  json.at("sweep_digest").get_to(header.sweep_digest);
  json.at("experiment").get_to(header.experiment);
  for (const Json& entry : json.at("config")) {
    header.config.push_back({entry.at(0).get<std::string>(), entry.at(1).get<std::string>(),
                             entry.at(2).get<std::string>()});
  }
  for (const Json& axis : json.at("axes")) {
    header.axes.push_back(
        {axis.at("name").get<std::string>(), axis.at("values").get<std::vector<std::string>>()});
  }
  for (const Json& dataset : json.at("datasets")) header.datasets.push_back(dataset_of(dataset));
  json.at("revisions").get_to(header.revisions);
  json.at("tasks").get_to(header.tasks);
  json.at("program_version").get_to(header.program_version);
  return header;
}

// With a draft of its own name, so that two launches that start at once cannot mix their bytes.
void publish_header(const std::string& journal, const JournalHeader& header, bool overwrite) {
  Bytes payload;
  to_cbor(json_of(header), payload);
  Bytes file = sealing_frames(header_kind, payload);
  file.insert(file.end(), payload.begin(), payload.end());
  publish(header_path(journal), std::as_bytes(std::span{file}), overwrite);
}

// A launch that was killed right after making the folder leaves it empty; that one may be used.
void require_unused(const std::string& journal) {
  if (journal_exists(journal)) {
    throw base::InputError(fmt::format(
        "cannot make the journal '{}': it exists, from a run that was cut off; --resume "
        "continues it, or remove the folder",
        journal));
  }
  if (!list_logs(journal).empty()) {
    throw base::InputError(
        fmt::format("cannot make the journal '{}': it holds finished tasks but no header, so "
                    "nobody can say of which sweep; remove the folder or choose another name",
                    journal));
  }
}

// Beside lock and header. Other files may have such endings too: only whole names are safe.
bool is_ours(std::string_view name) {
  const bool part = name.ends_with(".part");
  if (part && name.starts_with("header.")) return true;
  if (part) name.remove_suffix(std::string_view{".part"}.size());
  return name == "heartbeat" || name.ends_with(".checkpoint") ||
         (!part && parse_log_name(std::string{name}));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path{path}.parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

std::string journal_path(const std::string& archive_path) { return archive_path + ".journal"; }

void create_journal(const std::string& journal, const JournalHeader& header) {
  if (::mkdir(journal.c_str(), 0777) != 0) {
    if (errno != EEXIST) throw_system_error("make the folder", journal, errno);
    require_unused(journal);
  }
  publish_header(journal, header, false);
  sync_folder(folder_of(journal));
}

bool journal_exists(const std::string& journal) {
  struct stat status {};
  if (::lstat(header_path(journal).c_str(), &status) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) throw_system_error("read", journal, errno);
  return false;
}

void rewrite_header(const std::string& journal, const JournalHeader& header) {
  publish_header(journal, header, true);
}

JournalHeader read_journal_header(const std::string& journal) {
  if (!journal_exists(journal)) {
    throw base::InputError(fmt::format("no journal at '{}'", journal));
  }
  const std::string payload = read_sealed(header_path(journal), header_kind);
  try {
    return header_of(from_cbor(view_of(payload)));
  } catch (const Json::exception& error) {
    throw base::InputError(
        fmt::format("cannot read '{}': it is damaged ({})", header_path(journal), error.what()));
  }
}

void remove_journal(const std::string& journal) noexcept try {
  std::error_code ignored;
  // The header last: what a kill leaves in between is a journal with fewer tasks, not a riddle.
  for (const auto& entry : std::filesystem::directory_iterator{journal, ignored}) {
    if (is_ours(entry.path().filename().string())) std::filesystem::remove(entry.path(), ignored);
  }
  std::filesystem::remove(journal_file(journal, "lock"), ignored);
  std::filesystem::remove(header_path(journal), ignored);
  std::filesystem::remove(journal, ignored);  // stays if somebody else put something there
} catch (...) {
  return;  // a journal that stays does no harm: its archive stands
}

}  // namespace fairfront::archive
