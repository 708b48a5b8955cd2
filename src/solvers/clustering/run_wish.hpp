/// @file
/// What a caller may want from a run that goes on.
#pragma once

namespace fairfront::clustering {

/// Between two steps: of several ranks the most demanding one decides for all.
enum class RunWish { go_on = 0, checkpoint = 1, stop = 2 };

}  // namespace fairfront::clustering
