#include "csv_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace fairfront::drivers {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char letter : text) {
    cell += letter;
    if (letter == '"') cell += letter;
  }
  cell += '"';
  return cell;
}

}  // namespace

CsvFile::CsvFile(std::string path) : path_{std::move(path)} {
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail();
  stream_.reset(::fdopen(file, "w"));
  if (!stream_) fail();
}

void CsvFile::row(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += quoted(cells[i]);
  }
  line += '\n';
  if (std::fwrite(line.data(), 1, line.size(), stream_.get()) != line.size()) fail();
}

const std::string& CsvFile::close() {
  if (std::fclose(stream_.release()) != 0) fail();
  return path_;
}

void CsvFile::fail() const {
  const std::string reason = std::strerror(errno);
  throw base::InputError(fmt::format("cannot write '{}': {}", path_, reason));
}

}  // namespace fairfront::drivers
