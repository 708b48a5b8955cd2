#include <fmt/format.h>

#include <algorithm>

#include "archive/archive.hpp"
#include "archive/check.hpp"
#include "archive/front_check.hpp"
#include "archive/reader.hpp"

namespace fairfront::archive {
namespace {

void compare(std::string_view name, const std::string& stored, const std::string& computed,
             std::vector<std::string>& problems) {
  if (stored == computed) return;
  problems.push_back(
      fmt::format("/@{}: is {}, but what the archive holds gives {}", name, stored, computed));
}

}  // namespace

std::vector<std::string> verify(const std::string& path) {
  std::vector<std::string> problems;
  const Stored stored = read_parts(path, problems);
  // What was not read is empty and would break rules that the file itself keeps.
  if (!problems.empty()) return problems;
  problems = broken_rules(stored.content);
  if (problems.empty()) problems = wrong_fronts(stored.content);
  const bool partial = std::ranges::find(stored.content.tasks.status, TaskStatus::missing) !=
                       stored.content.tasks.status.end();
  compare("status", stored.status, partial ? "partial" : "complete", problems);
  compare("digest", stored.digest, results_digest(stored.content), problems);
  compare("content_digest", stored.content_digest, content_digest(stored.content), problems);
  return problems;
}

}  // namespace fairfront::archive
