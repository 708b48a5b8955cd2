#include <array>

#include "archive/journal.hpp"
#include "archive/journal_cbor.hpp"
#include "archive/journal_file.hpp"
#include "base/error.hpp"

namespace fairfront::archive {
namespace {

constexpr const char* heartbeat_kind = "heartbeat";

std::string heartbeat_path(const std::string& journal) {
  return journal_file(journal, "heartbeat");
}

Json json_of(const Heartbeat& heartbeat) {
  return {{"unix_seconds", heartbeat.unix_seconds},
          {"host", heartbeat.host},
          {"process", heartbeat.process},
          {"ranks", heartbeat.ranks},
          {"slurm_job", heartbeat.slurm_job},
          {"done", heartbeat.done},
          {"failed", heartbeat.failed},
          {"total", heartbeat.total},
          {"running", heartbeat.running},
          {"state", heartbeat.state}};
}

Heartbeat heartbeat_of(const Json& json) {
  Heartbeat heartbeat;
  json.at("unix_seconds").get_to(heartbeat.unix_seconds);
  json.at("host").get_to(heartbeat.host);
  json.at("process").get_to(heartbeat.process);
  json.at("ranks").get_to(heartbeat.ranks);
  json.at("slurm_job").get_to(heartbeat.slurm_job);
  json.at("done").get_to(heartbeat.done);
  json.at("failed").get_to(heartbeat.failed);
  json.at("total").get_to(heartbeat.total);
  json.at("running").get_to(heartbeat.running);
  json.at("state").get_to(heartbeat.state);
  return heartbeat;
}

}  // namespace

void write_heartbeat(const std::string& journal, const Heartbeat& heartbeat) {
  Bytes payload;
  to_cbor(json_of(heartbeat), payload);
  const Bytes frames = sealing_frames(heartbeat_kind, payload);
  const std::array<ByteView, 2> pieces{frames, payload};
  // Not synced: it is about a living process, and a busy disk must not hold up rank 0.
  replace_file(heartbeat_path(journal), pieces, Durability::survives_process);
}

std::optional<Heartbeat> read_heartbeat(const std::string& journal) try {
  const std::string payload = read_sealed(heartbeat_path(journal), heartbeat_kind);
  return heartbeat_of(from_cbor(view_of(payload)));
} catch (const base::InputError&) {
  return std::nullopt;
} catch (const Json::exception&) {
  return std::nullopt;
}

}  // namespace fairfront::archive
