#include "data/whole_set.hpp"

#include <numeric>

#include "data/dataset_rows.hpp"
#include "data/load_raw.hpp"
#include "data/subsample.hpp"

namespace fairfront::data {

SupervisedSet load_whole_set(const SupervisedOptions& options,
                             const PreparationOptions& preparation, const DataFolder& data_dir,
                             bool allow_changed) {
  SupervisedSet set =
      prepare_whole(load_all_rows(options, data_dir, allow_changed, "numeric"), preparation);
  subsample(set.set, options);
  set.split.train.resize(static_cast<std::size_t>(set.set.rows));
  std::iota(set.split.train.begin(), set.split.train.end(), std::int64_t{0});
  set.set.provenance.digest = digest_of(set.set);
  return set;
}

}  // namespace fairfront::data
