/// @file
/// Internal: the bytes of a data set's chunk as HDF5's filters would make them, without HDF5, so
/// that any rank can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fairfront::archive {

/// What is made of the rows of a chunk.
struct ChunkForm {
  std::uint64_t chunk_bytes = 0;    ///< with those of rows that the last chunk lacks: zeros
  std::uint64_t element_bytes = 1;  ///< what is shuffled; a text with its padding is one element
  std::uint32_t level = 0;          ///< of deflate; 0: neither deflated nor shuffled
  std::uint32_t texts = 0;          ///< 1: rows are what join_texts() has made
};

/// As the order of parallel::Piece.
[[nodiscard]] std::string bytes_of(const ChunkForm& form);
[[nodiscard]] ChunkForm form_of(std::string_view bytes);

/// Texts without the padding that they get in a chunk.
[[nodiscard]] std::string join_texts(std::span<const std::string> texts);

/// Shuffled, deflated, and with its Fletcher32 behind it; bit for bit what HDF5 stores.
[[nodiscard]] std::string pack_chunk(const ChunkForm& form, std::string_view rows);

}  // namespace fairfront::archive
