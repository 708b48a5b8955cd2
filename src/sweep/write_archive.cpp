#include "sweep/write_archive.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/archive.hpp"
#include "archive/making.hpp"
#include "journal/journal.hpp"
#include "parallel/agree.hpp"
#include "parallel/pieces.hpp"
#include "sweep/far_hash.hpp"

namespace fairfront::sweep {
namespace {

/// What can be packed by any rank. Collective.
void write_chunks(const parallel::Comm& world, archive::ArchiveInMaking* archive) {
  std::vector<parallel::Piece> pieces;
  if (archive != nullptr) {
    for (archive::UnpackedChunk& chunk : archive->chunks()) {
      pieces.push_back({std::move(chunk.form), chunk.rows});
    }
  }
  parallel::work_on_pieces(
      world, pieces, archive::pack,
      [&](std::size_t place, std::string_view packed) { archive->write_chunk(place, packed); });
}

}  // namespace

std::string write_archive(const parallel::Comm& world, const std::string& path,
                          const results::Content& content, bool overwrite) {
  std::optional<FarHash> results;
  std::optional<FarHash> measures;
  parallel::agree(world, "", [&] {
    if (world.is_root()) archive::check_output(path, overwrite);
    results.emplace(world, 0, [&](results::DigestInput& input) { tell_results(content, input); });
    measures.emplace(world, 1, [&](results::DigestInput& input) { tell_measures(content, input); });
  });
  results->begin();
  measures->begin();
  std::optional<archive::ArchiveInMaking> archive;
  parallel::agree(world, "", [&] {
    if (world.is_root()) archive.emplace(path, content, overwrite);
  });
  write_chunks(world, archive ? &*archive : nullptr);
  results::Digests digests;
  std::span<const std::byte> file;
  std::optional<FarHash> seal;
  parallel::agree(world, "", [&] {
    digests.results = results->finish();
    digests.measures = measures->finish();
    if (archive) {
      digests = digests_of(content, std::move(digests.results), std::move(digests.measures));
      file = archive->close(digests);
    }
    seal.emplace(world, 2, [&](results::DigestInput& input) { input.bytes(file); });
  });
  seal->begin();
  parallel::agree(world, "", [&] {
    if (archive) archive->write_draft();
    const std::string sha256 = seal->finish();
    if (archive) archive->publish(sha256);
  });
  return digests.results;
}

void remove_journal(const parallel::Comm& world, const RunOutcome& outcome) {
  if (outcome.log) journal::remove_log(*outcome.log);
  (void)parallel::all_reduce_sum(world, 0);  // what is left is what nobody else removes
  if (outcome.lock) journal::remove_journal(outcome.lock->folder());
}

}  // namespace fairfront::sweep
