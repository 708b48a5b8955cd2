#include "sweep/write_archive.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/making.hpp"
#include "journal/journal.hpp"
#include "parallel/agree.hpp"
#include "parallel/pieces.hpp"

namespace fairfront::sweep {

std::string write_archive(const parallel::Comm& world, const std::string& path,
                          const results::Content& content, bool overwrite) {
  std::optional<archive::ArchiveInMaking> archive;
  std::vector<parallel::Piece> pieces;
  parallel::agree(world, "", [&] {
    if (!world.is_root()) return;
    archive.emplace(path, content, overwrite);
    for (archive::UnpackedChunk& chunk : archive->chunks()) {
      pieces.push_back({std::move(chunk.form), chunk.rows});
    }
  });
  parallel::work_on_pieces(
      world, pieces, archive::pack,
      [&](std::size_t place, std::string_view packed) { archive->write_chunk(place, packed); });
  parallel::agree(world, "", [&] {
    if (archive) archive->finish();
  });
  return archive ? archive->digest() : "";
}

void remove_journal(const parallel::Comm& world, const RunOutcome& outcome) {
  if (outcome.log) journal::remove_log(*outcome.log);
  (void)parallel::all_reduce_sum(world, 0);  // what is left is what nobody else removes
  if (outcome.lock) journal::remove_journal(outcome.lock->folder());
}

}  // namespace fairfront::sweep
