#include "journal/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "journal/file.hpp"
#include "journal/frame.hpp"
#include "journal/window.hpp"

namespace fairfront::journal {
namespace {

using Visit = std::function<void(ByteView)>;

class LogReader {
 public:
  LogReader(const base::Folder& journal, const std::string& name, const Visit& visit)
      : path_{journal.file(name)},
        visit_{visit},
        file_{journal, name},
        search_left_{most_search(file_.size())} {}

  LogReport read() {
    std::size_t position = 0;
    while (position < file_.size() && !foreign_) {
      if (const auto payload = sound_payload(position)) {
        const std::size_t end = position + frame_header_bytes + payload->size();
        take(position, *payload);
        position = end;
      } else {
        position = pass_over(position);
      }
    }
    return report();
  }

 private:
  // Looking for the next sound record computes checksums of what only seems to be one. Once over
  // the file is far more than damage by accident needs, and keeps the time linear.
  static std::size_t most_search(std::size_t size) { return 4 * size + (std::size_t{1} << 20); }

  std::optional<FrameInfo> header_at(std::size_t position) {
    return read_frame_header(file_.at(position, frame_header_bytes));
  }
  bool fits(std::size_t position, std::size_t length) const {
    const std::size_t rest = file_.size() - position;
    return rest >= frame_header_bytes && length <= rest - frame_header_bytes;
  }

  // Nothing when header or payload are damaged or incomplete. A length that the file cannot hold
  // is never allocated.
  std::optional<ByteView> sound_payload(std::size_t position) {
    const auto header = header_at(position);
    if (!header || !fits(position, header->length)) return std::nullopt;
    const ByteView payload = file_.at(position + frame_header_bytes, header->length);
    if (payload.size() != header->length || crc32c(payload) != header->payload_crc) {
      return std::nullopt;
    }
    return payload;
  }

  void take(std::size_t position, ByteView payload) {
    if (position == 0 && take_kind(payload)) return;
    if (is_header_copy(payload)) return;
    try {
      visit_(payload);
      ++records_;
    } catch (const base::DamagedError& error) {
      note_damage(position, frame_header_bytes + payload.size(), error.what());
    }
  }

  // False when the payload does not say what kind of file this is.
  bool take_kind(ByteView payload) {
    const auto found = read_kind(payload);
    if (!found) return false;
    const std::string reason = why_unreadable(*found, "log");
    if (is_newer(*found, "log")) {
      throw base::InputError(fmt::format("cannot read '{}': {}", path_, reason));
    }
    foreign_ = !reason.empty();
    known_ = true;
    return true;
  }

  // From a damaged frame to the next one that can be sound, or to the end of the file.
  std::size_t pass_over(std::size_t position) {
    std::size_t next = end_by_header(position);
    if (next == 0) next = search(position + 1);
    if (next == 0) {
      torn_bytes_ = file_.size() - std::min(position, file_.size());
      return file_.size();
    }
    note_damage(position, next - position, "its checksum is wrong");
    return next;
  }

  // Where the frame ends if its header is sound and the file goes on soundly there; else 0. A
  // length that leads to nothing is not followed: bytes may be missing in between.
  std::size_t end_by_header(std::size_t position) {
    const auto header = header_at(position);
    if (!header || !fits(position, header->length)) return 0;
    const std::size_t end = position + frame_header_bytes + header->length;
    return end == file_.size() || header_at(end) ? end : 0;
  }

  // The first place from `position` on where a frame is sound in both parts, or 0.
  std::size_t search(std::size_t position) {
    for (; position + frame_header_bytes <= file_.size(); ++position) {
      const auto header = header_at(position);
      if (!header || !fits(position, header->length)) continue;
      if (header->length > search_left_) return 0;
      search_left_ -= header->length;
      if (sound_payload(position)) return position;
    }
    return 0;
  }

  void note_damage(std::size_t position, std::size_t bytes, std::string_view reason) {
    if (damaged_places_++ == 0) {
      first_damage_ = fmt::format("at byte {} ({})", position, reason);
    }
    damaged_bytes_ += bytes;
  }

  LogReport report() const {
    LogReport report{static_cast<std::int64_t>(file_.size()), {}};
    if (foreign_ || looks_foreign()) {
      report.warnings.push_back("it is not a log of a fairfront journal and was left out");
      return report;
    }
    if (damaged_places_ > 0) {
      report.warnings.push_back(fmt::format(
          "{} damaged {} ({} bytes) left out, the first {}", damaged_places_,
          damaged_places_ == 1 ? "record was" : "places were", damaged_bytes_, first_damage_));
    }
    if (torn_bytes_ > 0) {
      report.warnings.push_back(
          fmt::format("its last {} bytes are no whole record and were left out (the writer was "
                      "stopped, or is at it)",
                      torn_bytes_));
    }
    return report;
  }

  // Nothing in it is ours, and it is not the beginning of a log whose writer was stopped at once.
  bool looks_foreign() const {
    return !known_ && records_ == 0 && file_.size() >= kind_frame("log").size();
  }

  const std::string path_;
  const Visit& visit_;
  FileWindow file_;
  std::size_t search_left_;
  bool known_ = false;    ///< the first frame says what this is,
  bool foreign_ = false;  ///< and it is not a log that we read
  std::int64_t records_ = 0;
  std::size_t torn_bytes_ = 0;
  std::int64_t damaged_places_ = 0;
  std::size_t damaged_bytes_ = 0;
  std::string first_damage_;
};

}  // namespace

LogReport read_log(const base::Folder& journal, const std::string& name, const Visit& visit) {
  return LogReader{journal, name, visit}.read();
}

}  // namespace fairfront::journal
