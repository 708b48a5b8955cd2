#include "reading_notice.hpp"

#include "base/printable.hpp"
#include "base/system.hpp"
#include "output.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::chrono::seconds first_notice{2};
constexpr std::chrono::seconds between_notices{30};

}  // namespace

ReadingNotice::ReadingNotice(bool active) {
  if (active) scope_.emplace([this](const std::string& file) { note(file); });
}

ReadingNotice::~ReadingNotice() = default;

void ReadingNotice::note(const std::string& file) {
  const std::lock_guard lock(mutex_);
  file_ = file;
  due_ = Clock::now() + first_notice;
  if (!thread_.joinable() && !file.empty()) {
    const base::SignalsBlocked blocked;  // the thread shall have none
    thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }
  changed_.notify_all();
}

void ReadingNotice::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const char* again = "";
  while (!stop.stop_requested()) {
    if (file_.empty()) {
      again = "";
      changed_.wait(lock, stop, [&] { return !file_.empty(); });
      continue;
    }
    const auto due = due_;
    const bool changed =
        changed_.wait_until(lock, stop, due, [&] { return file_.empty() || due_ != due; });
    if (changed || stop.stop_requested()) continue;
    log("fairfront: {}reading {}\n", again, base::printable(file_));
    again = "still ";
    due_ += between_notices;
  }
}

}  // namespace fairfront::drivers
