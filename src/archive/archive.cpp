#include "archive/archive.hpp"

#include <fmt/format.h>

#include "archive/check.hpp"
#include "archive/image.hpp"
#include "archive/publish.hpp"
#include "archive/reader.hpp"

namespace fairfront::archive {
namespace {

void require_none(const std::vector<std::string>& problems, const std::string& path) {
  if (problems.empty()) return;
  const std::string more =
      problems.size() > 1 ? fmt::format(" (and {} more)", problems.size() - 1) : "";
  throw DamagedError(fmt::format("archive '{}' is damaged: {}{}", path, problems.front(), more));
}

}  // namespace

void write(const std::string& path, const Content& content, bool overwrite) {
  check_writable(path, overwrite);  // before the work of building it
  try {
    const Image image{content};
    publish(path, image.bytes(), overwrite);
  } catch (const Hdf5Error& error) {
    throw base::InputError(fmt::format("cannot write '{}': {}", path, error.what()));
  }
}

Stored read(const std::string& path) {
  std::vector<std::string> problems;
  Stored stored = read_parts(path, problems);
  require_none(problems, path);
  require_none(broken_rules(stored.content), path);
  return stored;
}

}  // namespace fairfront::archive
