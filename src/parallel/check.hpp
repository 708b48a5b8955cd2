/// @file
/// Checked results of MPI calls, for the files of this layer only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fairfront::parallel {

/// @throws MpiError  naming `call` unless `code` is MPI_SUCCESS.
void check(int code, std::string_view call);

/// A count as MPI takes it. @throws std::length_error  beyond 2^31 - 1.
[[nodiscard]] int as_count(std::size_t count);

/// Where each rank's part begins when all are put one behind another.
struct Layout {
  std::vector<int> counts;
  std::vector<int> offsets;
  std::size_t total = 0;
};

/// @param lengths  of every rank's part, >= 0.
/// @throws std::length_error  a length or an offset is beyond 2^31 - 1. Every rank that knows the
///         same lengths throws, so that none goes on to wait for the others.
[[nodiscard]] Layout layout_of(std::span<const std::int64_t> lengths);

/// `length` of every rank, on every rank. Collective.
[[nodiscard]] std::vector<std::int64_t> all_lengths(const class Comm& comm, std::size_t length);

/// The bytes of rank `root` on every rank, in messages of `chunk` bytes at most: a count of MPI
/// ends at 2^31 - 1. Collective.
/// @param bytes  as many on every rank.
void broadcast_bytes(const class Comm& comm, int root, std::span<char> bytes,
                     std::size_t chunk = std::size_t{1} << 30);

}  // namespace fairfront::parallel
