/// @file
/// What is said of an archive's results with data in hand must be said with those that it is of.
#pragma once

#include "data/dataset.hpp"
#include "results/content.hpp"

namespace fairfront::sweep {

/// @throws base::InputError  the data are none of the archive's.
void require_same_data(const results::Content& content, const data::Provenance& data);

}  // namespace fairfront::sweep
