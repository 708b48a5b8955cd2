#include "journal/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "journal/frame.hpp"
#include "journal/window.hpp"

namespace fairfront::journal {
namespace {

constexpr std::size_t longest_kind = 4096;

std::optional<std::int64_t> parse_digits(std::string_view text) {
  const bool digits_only = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  constexpr std::size_t most_digits = 9;  // of an int
  if (!digits_only || text.empty() || text.size() > most_digits) return std::nullopt;
  return base::parse_int64(text);
}

[[noreturn]] void throw_damaged(const std::string& path) {
  throw base::InputError(fmt::format("cannot read '{}': it is damaged or cut off", path));
}

// The payload of the frame at `position`, which is moved behind it; nothing when it is damaged or
// longer than `most_bytes`. Valid until the next call.
std::optional<ByteView> next_frame(FileWindow& file, std::size_t& position,
                                   std::size_t most_bytes) {
  const auto info = read_frame_header(file.at(position, frame_header_bytes));
  if (!info || info->length > most_bytes) return std::nullopt;
  const ByteView payload = file.at(position + frame_header_bytes, info->length);
  if (payload.size() != info->length || crc32c(payload) != info->payload_crc) return std::nullopt;
  position += frame_header_bytes + info->length;
  return payload;
}

void require_kind(const std::string& path, const std::string& kind, std::optional<ByteView> frame) {
  const auto found = frame ? read_kind(*frame) : std::nullopt;
  if (!found) {
    throw base::InputError(fmt::format(
        "cannot read '{}': it is damaged, or not a 'fairfront journal {}'", path, kind));
  }
  if (const std::string reason = why_unreadable(*found, kind); !reason.empty()) {
    if (is_newer(*found, kind)) throw NewerError(fmt::format("cannot read '{}': {}", path, reason));
    throw base::InputError(fmt::format("cannot read '{}': {}", path, reason));
  }
}

}  // namespace

void throw_link(std::string_view action, const std::string& path) {
  throw base::InputError(
      fmt::format("cannot {} '{}': it is a link, which no run makes; remove it", action, path));
}

namespace {

// A server that gives root's files to nobody (NFS with root_squash) does so with every new file.
bool new_files_belong_to(uid_t owner, const base::Folder& journal) {
  const std::string name = fmt::format("owner.{}.part", ::getpid());
  const base::Descriptor file = journal.open(name, O_WRONLY | O_CREAT | O_EXCL);
  struct stat status {};
  const bool belongs = file.valid() && ::fstat(file.get(), &status) == 0 && status.st_uid == owner;
  if (file.valid()) journal.remove(name);
  return belongs;
}

}  // namespace

void require_own_folder(const base::Folder& journal) {
  const uid_t owner = journal.owner();
  if (owner == ::geteuid() || new_files_belong_to(owner, journal)) return;
  throw base::InputError(fmt::format(
      "the journal '{}' belongs to another user (number {}): choose another name for the archive",
      journal.path(), owner));
}

std::string journal_file(const std::string& journal, std::string_view name) {
  return (std::filesystem::path{journal} / name).string();
}

std::string log_name(int launch, int rank) { return fmt::format("{:04}-{:06}.log", launch, rank); }

std::optional<LogName> parse_log_name(const std::string& name) {
  constexpr std::string_view suffix = ".log";
  std::string_view stem = name;
  const std::size_t dash = stem.find('-');
  if (!stem.ends_with(suffix) || dash == std::string_view::npos) return std::nullopt;
  stem.remove_suffix(suffix.size());
  const auto launch = parse_digits(stem.substr(0, dash));
  const auto rank = parse_digits(stem.substr(std::min(dash + 1, stem.size())));
  if (!launch || !rank) return std::nullopt;
  return LogName{*launch, *rank, name};
}

std::vector<LogName> list_logs(const base::Folder& journal) {
  std::vector<LogName> logs;
  for (const std::string& name : journal.names()) {
    if (auto log = parse_log_name(name)) logs.push_back(*log);
  }
  std::ranges::sort(logs, {},
                    [](const LogName& log) { return std::tie(log.launch, log.rank, log.name); });
  return logs;
}

Bytes sealing_frames(const std::string& kind, ByteView payload) {
  Bytes frames = kind_frame(kind);
  const FrameHeader header = frame_header_of(payload);
  frames.insert(frames.end(), header.begin(), header.end());
  return frames;
}

void replace_sealed(const base::Folder& journal, const std::string& name, const std::string& kind,
                    ByteView payload, base::Durability durability) {
  const Bytes frames = sealing_frames(kind, payload);
  const std::array pieces{std::as_bytes(std::span{frames}), std::as_bytes(payload)};
  base::replace_file(journal, name, pieces, durability);
}

std::string read_sealed(const base::Folder& journal, const std::string& name,
                        const std::string& kind, std::size_t most_bytes) {
  const std::string path = journal.file(name);
  FileWindow file{journal, name};
  std::size_t position = 0;
  require_kind(path, kind, next_frame(file, position, longest_kind));
  const auto payload = next_frame(file, position, most_bytes);
  if (!payload || position != file.size()) throw_damaged(path);
  return {payload->begin(), payload->end()};
}

// Beside lock and header. Other files may have such endings too: only whole names are safe.
bool is_ours(std::string_view name) {
  const bool part = name.ends_with(".part");
  if (part && name.starts_with("header.")) return true;
  if (part) name.remove_suffix(std::string_view{".part"}.size());
  return name == "heartbeat" || name.ends_with(".checkpoint") ||
         (!part && parse_log_name(std::string{name}));
}

bool has_header_copy(int rank) {
  return rank == 0 || std::has_single_bit(static_cast<unsigned>(rank));
}

bool is_header_copy(ByteView payload) {
  constexpr std::uint8_t cbor_map = 5;  // a record begins with a number
  return !payload.empty() && payload[0] >> 5 == cbor_map && !read_kind(payload);
}

std::optional<std::string> header_in_log(const base::Folder& journal, const std::string& log) {
  FileWindow file{journal, log};
  std::size_t position = 0;
  const auto kind = next_frame(file, position, longest_kind);
  const auto found = kind ? read_kind(*kind) : std::nullopt;
  if (!found || !why_unreadable(*found, "log").empty()) return std::nullopt;
  const auto payload = next_frame(file, position, longest_header);
  if (!payload || !is_header_copy(*payload)) return std::nullopt;
  return std::string{payload->begin(), payload->end()};
}

}  // namespace fairfront::journal
