/// @file
/// Checked results of MPI calls, for the files of this layer only.
#pragma once

#include <cstddef>
#include <string_view>

namespace fairfront::parallel {

/// @throws MpiError  naming `call` unless `code` is MPI_SUCCESS.
void check(int code, std::string_view call);

/// A count as MPI takes it. @throws std::length_error  beyond 2^31 - 1.
[[nodiscard]] int as_count(std::size_t count);

}  // namespace fairfront::parallel
