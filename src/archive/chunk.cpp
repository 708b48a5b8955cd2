#include "archive/chunk.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "archive/hdf5_checksums.hpp"

namespace fairfront::archive {
namespace {

/// For the checksum behind it, too.
std::string room_for(const ChunkForm& form) {
  std::string room;
  room.reserve(form.chunk_bytes + sizeof(std::uint32_t));
  return room;
}

/// Each behind its length.
std::string pad_texts(const ChunkForm& form, std::string_view joined) {
  std::string padded = room_for(form);
  padded.resize(form.chunk_bytes, '\0');
  for (std::size_t place = 0; !joined.empty(); place += form.element_bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, joined.data(), sizeof length);
    joined.remove_prefix(sizeof length);
    std::ranges::copy(joined.substr(0, length), padded.data() + place);
    joined.remove_prefix(length);
  }
  return padded;
}

std::string pad_rows(const ChunkForm& form, std::string_view rows) {
  std::string padded = room_for(form);
  padded = rows;
  padded.resize(form.chunk_bytes, '\0');
  return padded;
}

/// The first byte of every element, then the second one of every element, and so on.
std::string shuffled(std::string plain, std::size_t width) {
  if (width == 1) return plain;
  std::string found(plain.size(), '\0');
  const std::size_t elements = plain.size() / width;
  char* next = found.data();
  for (std::size_t byte = 0; byte < width; ++byte) {
    const char* from = plain.data() + byte;
    for (std::size_t i = 0; i < elements; ++i, from += width) *next++ = *from;
  }
  return found;
}

std::string deflated(const std::string& bytes, std::uint32_t level) {
  std::string found(compressBound(bytes.size()), '\0');
  uLongf length = found.size();
  const int code = compress2(reinterpret_cast<Bytef*>(found.data()), &length,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                             static_cast<int>(level));
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code != Z_OK) throw std::logic_error(fmt::format("compress2: {}", code));
  found.resize(length);
  return found;
}

}  // namespace

std::string bytes_of(const ChunkForm& form) {
  return {reinterpret_cast<const char*>(&form), sizeof form};
}

ChunkForm form_of(std::string_view bytes) {
  ChunkForm form;
  std::memcpy(&form, bytes.data(), sizeof form);
  return form;
}

std::string join_texts(std::span<const std::string> texts) {
  std::size_t length_of_all = 0;
  for (const std::string& text : texts) length_of_all += sizeof(std::uint64_t) + text.size();
  std::string joined;
  joined.reserve(length_of_all);
  for (const std::string& text : texts) {
    const std::uint64_t length = text.size();
    joined.append(reinterpret_cast<const char*>(&length), sizeof length);
    joined += text;
  }
  return joined;
}

std::string pack_chunk(const ChunkForm& form, std::string_view rows) {
  std::string bytes = form.texts != 0 ? pad_texts(form, rows) : pad_rows(form, rows);
  if (form.level > 0) bytes = deflated(shuffled(std::move(bytes), form.element_bytes), form.level);
  const std::uint32_t sum = fletcher32(std::as_bytes(std::span{bytes}));
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

}  // namespace fairfront::archive
