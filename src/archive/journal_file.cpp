#include "archive/journal_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <utility>

#include "archive/descriptor.hpp"
#include "archive/journal_crc.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace fairfront::archive {
namespace {

std::optional<std::int64_t> parse_digits(std::string_view text) {
  const bool digits_only = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  constexpr std::size_t most_digits = 9;  // of an int
  if (!digits_only || text.empty() || text.size() > most_digits) return std::nullopt;
  return base::parse_int64(text);
}

int write_and_close(const std::string& path, std::span<const ByteView> pieces,
                    Durability durability) {
  Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (!file.valid()) return errno;
  for (const ByteView piece : pieces) {
    if (const int error = write_all(file.get(), piece)) return error;
  }
  if (durability == Durability::survives_machine && ::fsync(file.get()) != 0) return errno;
  return file.close() ? 0 : errno;
}

[[noreturn]] void throw_damaged(const std::string& path) {
  throw base::InputError(fmt::format("cannot read '{}': it is damaged or cut off", path));
}

// The payload of the frame at `position`, which is moved behind it; nothing when it is damaged.
std::optional<ByteView> next_frame(ByteView bytes, std::size_t& position) {
  const auto info = read_frame_header(bytes.subspan(position));
  if (!info || info->length > bytes.size() - position - frame_header_bytes) return std::nullopt;
  const ByteView payload = bytes.subspan(position + frame_header_bytes, info->length);
  if (crc32c(payload) != info->payload_crc) return std::nullopt;
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
    throw base::InputError(fmt::format("cannot read '{}': {}", path, reason));
  }
}

}  // namespace

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

std::vector<LogName> list_logs(const std::string& journal) try {
  std::vector<LogName> logs;
  for (const auto& entry : std::filesystem::directory_iterator{journal}) {
    if (auto log = parse_log_name(entry.path().filename().string())) logs.push_back(*log);
  }
  std::ranges::sort(logs, {},
                    [](const LogName& log) { return std::tie(log.launch, log.rank, log.name); });
  return logs;
} catch (const std::filesystem::filesystem_error& error) {
  throw base::InputError(fmt::format("cannot read '{}': {}", journal, error.code().message()));
}

void throw_system_error(std::string_view action, const std::string& path, int error) {
  throw base::InputError(fmt::format("cannot {} '{}': {}", action, path, std::strerror(error)));
}

int write_all(int descriptor, ByteView bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return EIO;  // no file system of ours does this; waiting for it would hang
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

void sync_folder(const std::string& folder) {
  const Descriptor open{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!open.valid()) throw_system_error("open", folder, errno);
  // EINVAL: a file system that has nothing to sync for a folder.
  if (::fsync(open.get()) != 0 && errno != EINVAL) throw_system_error("sync", folder, errno);
}

void replace_file(const std::string& path, std::span<const ByteView> pieces,
                  Durability durability) {
  const std::string part = path + ".part";
  int error = write_and_close(part, pieces, durability);
  if (error == 0 && std::rename(part.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(part.c_str());
    throw_system_error("write", path, error);
  }
  if (durability == Durability::survives_machine) {
    sync_folder(std::filesystem::path{path}.parent_path().string());
  }
}

Bytes sealing_frames(const std::string& kind, ByteView payload) {
  Bytes frames = kind_frame(kind);
  const FrameHeader header = frame_header_of(payload);
  frames.insert(frames.end(), header.begin(), header.end());
  return frames;
}

std::string read_sealed(const std::string& path, const std::string& kind) {
  std::string text = base::read_file(path);
  const ByteView bytes = view_of(text);
  std::size_t position = 0;
  require_kind(path, kind, next_frame(bytes, position));
  const auto payload = next_frame(bytes, position);
  if (!payload || position != bytes.size()) throw_damaged(path);
  text.erase(0, text.size() - payload->size());  // in place: a checkpoint may be large
  return text;
}

}  // namespace fairfront::archive
