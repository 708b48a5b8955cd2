#include "journal/window.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "journal/file.hpp"

namespace fairfront::journal {

FileWindow::FileWindow(const base::Folder& folder, const std::string& name)
    : path_{folder.file(name)},
      // Without O_NONBLOCK, opening a named pipe would wait for a writer.
      file_{folder.open(name, O_RDONLY | O_NONBLOCK)} {
  struct stat status {};
  if (!file_.valid() && errno == ELOOP) throw_link("read", path_);
  if (!file_.valid() || ::fstat(file_.get(), &status) != 0) {
    base::throw_system_error("read", path_, errno);
  }
  if (S_ISDIR(status.st_mode)) base::throw_system_error("read", path_, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw base::InputError(fmt::format("cannot read '{}': not a regular file", path_));
  }
  size_ = static_cast<std::size_t>(status.st_size);
}

ByteView FileWindow::at(std::size_t position, std::size_t count) {
  if (position >= size_) return {};
  count = std::min(count, size_ - position);
  const bool inside = position >= begin_ && position + count <= begin_ + filled_;
  if (!inside) load(position, count);
  const ByteView found = ByteView{buffer_}.first(filled_).subspan(position - begin_);
  return found.first(std::min(count, found.size()));
}

void FileWindow::load(std::size_t position, std::size_t count) {
  constexpr std::size_t usual = std::size_t{1} << 20;
  const std::size_t wanted = std::min(std::max(count, usual), size_ - position);
  constexpr std::size_t most_kept = std::size_t{16} << 20;  // a large record is passed only once
  const bool too_large = buffer_.size() > most_kept && buffer_.size() / 2 > wanted;
  if (buffer_.size() < wanted || too_large) {
    buffer_ = Bytes{};  // first, or both would be in memory
    buffer_ = Bytes(wanted);
  }
  begin_ = position;
  filled_ = 0;
  while (filled_ < wanted) {
    const ssize_t got = ::pread(file_.get(), buffer_.data() + filled_, wanted - filled_,
                                static_cast<off_t>(position + filled_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) base::throw_system_error("read", path_, errno);
    if (got == 0) {  // somebody made it shorter
      size_ = begin_ + filled_;
      return;
    }
    filled_ += static_cast<std::size_t>(got);
  }
}

}  // namespace fairfront::journal
