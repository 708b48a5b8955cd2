#include "sweep/same_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace fairfront::sweep {

void require_same_data(const results::Content& content, const data::Provenance& data) {
  const auto known = std::ranges::find(content.datasets, data.digest, &data::Provenance::digest);
  if (known != content.datasets.end()) return;
  throw base::InputError(fmt::format(
      "the data set {} is not that of the archive: its rows, parts or preparation have changed",
      data.name));
}

}  // namespace fairfront::sweep
