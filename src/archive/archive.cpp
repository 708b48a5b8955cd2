#include "archive/archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "archive/chunk.hpp"
#include "archive/hdf5_image.hpp"
#include "archive/making.hpp"
#include "archive/reader.hpp"
#include "archive/seal.hpp"
#include "base/printable.hpp"
#include "base/publish.hpp"
#include "base/sha256.hpp"
#include "results/content.hpp"
#include "results/digest.hpp"
#include "results/front_check.hpp"
#include "results/rules.hpp"

namespace fairfront::archive {
namespace {

void require_none(const std::vector<std::string>& problems, const std::string& path) {
  if (problems.empty()) return;
  const std::string more =
      problems.size() > 1 ? fmt::format(" (and {} more)", problems.size() - 1) : "";
  throw base::DamagedError(
      fmt::format("archive '{}' is damaged: {}{}", path, base::printable(problems.front()), more));
}

void compare(std::string_view name, const std::string& stored, const std::string& computed,
             std::vector<std::string>& problems) {
  if (stored == computed) return;
  problems.push_back(
      fmt::format("/@{}: is {}, but what the archive holds gives {}", name, stored, computed));
}

// What is stored beside the content, but follows from it.
void compare_digests(const Stored& stored, std::vector<std::string>& problems) {
  const results::Content& content = stored.content;
  const auto& status = content.tasks.status;
  const bool partial = std::ranges::find(status, results::TaskStatus::missing) != status.end();
  compare("status", stored.status, partial ? "partial" : "complete", problems);
  const results::Digests digests = results::digests_of(content);
  compare("digest", stored.digest, digests.results, problems);
  compare("measures_digest", stored.measures_digest, digests.measures, problems);
  compare("content_digest", stored.content_digest, digests.content, problems);
}

}  // namespace

void check_output(const std::string& path, bool overwrite) {
  base::check_writable(path, true);
  require_replaceable(path);
  base::check_writable(path, overwrite);
}

namespace {

/// @throws base::InputError  for what HDF5 cannot do.
template <class Step>
auto step_of_writing(const std::string& path, Step&& step) {
  try {
    return std::forward<Step>(step)();
  } catch (const Hdf5Error& error) {
    throw base::InputError(fmt::format("cannot write '{}': {}", path, error.what()));
  }
}

}  // namespace

std::string pack(std::string_view form, std::string_view rows) {
  return pack_chunk(form_of(form), rows);
}

ArchiveInMaking::ArchiveInMaking(std::string path, const results::Content& content, bool overwrite)
    : path_{std::move(path)}, overwrite_{overwrite} {
  check_output(path_, overwrite_);  // before the work of building it
  step_of_writing(path_, [&] { image_ = std::make_unique<Image>(content); });
}

ArchiveInMaking::~ArchiveInMaking() = default;

std::vector<UnpackedChunk> ArchiveInMaking::chunks() const { return image_->chunks(); }

void ArchiveInMaking::write_chunk(std::size_t place, std::string_view packed) {
  step_of_writing(path_, [&] { image_->write_chunk(place, packed); });
}

std::span<const std::byte> ArchiveInMaking::close(const results::Digests& digests) {
  return step_of_writing(path_, [&] { return image_->close(digests).subspan(seal_bytes); });
}

void ArchiveInMaking::write_draft() {
  base::check_writable(path_, overwrite_);
  draft_.emplace(path_);
  draft_->write(image_->file());
}

void ArchiveInMaking::publish(const std::string& sha256) {
  draft_->write_first(seal_of(image_->file().size(), sha256));
  draft_->publish(overwrite_);
}

void write(const std::string& path, const results::Content& content, bool overwrite) {
  ArchiveInMaking archive(path, content, overwrite);
  const std::vector<UnpackedChunk> chunks = archive.chunks();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    archive.write_chunk(i, pack(chunks[i].form, chunks[i].rows));
  }
  const std::string sha256 = base::sha256_of(archive.close(results::digests_of(content)));
  archive.write_draft();
  archive.publish(sha256);
}

Stored read_whole(std::span<const std::byte> hdf5, const std::string& path) {
  std::vector<std::string> problems;
  Stored stored = read_parts(hdf5, problems);
  if (problems.empty()) problems = results::broken_rules(stored.content);
  if (problems.empty()) compare_digests(stored, problems);
  require_none(problems, path);
  return stored;
}

Stored read(const std::string& path) {
  std::vector<std::byte> hdf5;
  try {
    hdf5 = read_sealed(path);
  } catch (const NoArchiveError& error) {
    throw NoArchiveError(base::printable(error.what()));
  } catch (const base::DamagedError& error) {
    require_none({error.what()}, path);
  }
  return read_whole(hdf5, path);
}

namespace {

// What is wrong with an archive, in words that may hold names of somebody else.
std::vector<std::string> problems_of(const std::string& path) {
  std::vector<std::string> problems;
  Stored stored;
  try {
    stored = read_parts(read_sealed(path), problems);
  } catch (const base::DamagedError& error) {
    problems.emplace_back(error.what());
  }
  // What was not read is empty and would break rules that the file itself keeps.
  if (!problems.empty()) return problems;
  problems = results::broken_rules(stored.content);
  if (problems.empty()) problems = results::wrong_fronts(stored.content);
  compare_digests(stored, problems);
  return problems;
}

}  // namespace

std::vector<std::string> verify(const std::string& path) {
  std::vector<std::string> problems = problems_of(path);
  for (std::string& problem : problems) problem = base::printable(problem);
  return problems;
}

}  // namespace fairfront::archive
