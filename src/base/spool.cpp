#include "base/spool.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>
#include <vector>

namespace fairfront::base {
namespace {

constexpr const char* what = "write a temporary file in";

std::string temporary_folder() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  if (!failed) return folder.string();
  const char* wanted = std::getenv("TMPDIR");
  throw_system_error(what, wanted == nullptr ? "/tmp" : wanted, failed.value());
}

Descriptor nameless_file(const std::string& folder) {
  std::string name = folder + "/fairfront-XXXXXX";
  Descriptor file(::mkstemp(name.data()));
  if (!file.valid() || ::unlink(name.c_str()) != 0) throw_system_error(what, folder, errno);
  return file;
}

}  // namespace

Spool::Spool() : folder_{temporary_folder()}, file_{nameless_file(folder_)} {}

void Spool::add(std::string_view text) {
  const int error = write_all(file_.get(), std::as_bytes(std::span{text}));
  if (error != 0) throw_system_error(what, folder_, error);
}

void Spool::read(const std::function<void(std::string_view)>& take) const {
  std::vector<char> block(std::size_t{1} << 16);
  off_t at = 0;
  while (true) {
    const ssize_t count = ::pread(file_.get(), block.data(), block.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("read back the temporary file in", folder_, errno);
    if (count == 0) return;
    take({block.data(), static_cast<std::size_t>(count)});
    at += count;
  }
}

}  // namespace fairfront::base
