#include "data/whole_set.hpp"

#include <numeric>
#include <string>

#include "data/dataset_rows.hpp"
#include "data/load_raw.hpp"
#include "data/subsample.hpp"

namespace fairfront::data {
namespace {

/// A table's recipe says by which column it has parts, which nobody makes here.
void make_no_parts(RawTable& raw, const std::string& column) {
  if (column.empty()) return;
  std::string& recipe = raw.provenance.recipe;
  const std::string said = "; parts by " + column;
  if (const auto place = recipe.rfind(said); place != std::string::npos) {
    recipe.replace(place, said.size(), "; no parts, and no feature " + column);
  }
}

}  // namespace

SupervisedSet load_whole_set(const SupervisedOptions& options,
                             const PreparationOptions& preparation, const DataFolder& data_dir,
                             bool allow_changed) {
  RawTable raw = load_all_rows(options, data_dir, allow_changed, "numeric");
  make_no_parts(raw, options.split);
  SupervisedSet set = prepare_whole(raw, preparation);
  subsample(set.set, options);
  set.split.train.resize(static_cast<std::size_t>(set.set.rows));
  std::iota(set.split.train.begin(), set.split.train.end(), std::int64_t{0});
  set.set.provenance.digest = digest_of(set.set);
  return set;
}

}  // namespace fairfront::data
