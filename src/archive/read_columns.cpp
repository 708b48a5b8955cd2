#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <functional>
#include <utility>

#include "archive/byte_cursor.hpp"
#include "archive/hdf5_checksums.hpp"
#include "archive/stored_columns.hpp"
#include "base/error.hpp"

namespace fairfront::archive {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they are");

template <class T>
constexpr ElementType type_of() {
  using Kind = ElementType::Kind;
  if constexpr (std::floating_point<T>) {
    return {Kind::real, sizeof(T)};
  } else {
    return {std::unsigned_integral<T> ? Kind::unsigned_integer : Kind::integer, sizeof(T)};
  }
}

// HDF5's numbers of filters.
constexpr std::uint16_t deflate = 1;
constexpr std::uint16_t shuffle = 2;
constexpr std::uint16_t fletcher = 3;

// The dimensions of a row.
std::span<const std::uint64_t> row_of(const std::vector<std::uint64_t>& shape) {
  return std::span{shape}.subspan(1);
}

// The rows of one data set, chunk by chunk, out of what the file stores of them.
class RowReader {
 public:
  // Behind its first row: whole rows, valid until the next call.
  using Visit = std::function<void(std::size_t first_row, ByteSpan rows)>;

  explicit RowReader(const StoredObject& object) : path_{object.path}, stored_{object.rows} {
    if (object.is_group) damaged(path_, "is not a data set");
    require_filters();
    row_bytes_ = stored_.type.bytes;
    for (const std::uint64_t extent : row_of(stored_.shape)) {
      row_bytes_ = bytes_of(extent, row_bytes_);
    }
    require_stored();
  }

  [[nodiscard]] std::size_t rows() const noexcept { return stored_.shape[0]; }
  [[nodiscard]] std::size_t row_bytes() const noexcept { return row_bytes_; }

  void read(const Visit& visit) {
    const std::uint64_t chunk_rows = stored_.chunk_shape[0];
    std::vector<std::byte> plain(chunk_bytes_);
    std::vector<std::byte> shuffled(chunk_bytes_);
    std::uint64_t row = 0;
    for (const StoredChunk& chunk : stored_.chunks) {
      if (row >= rows() || chunk.first_row != row) damaged(path_, "has chunks in the wrong place");
      unpack(chunk, plain, shuffled);
      const std::uint64_t count = std::min<std::uint64_t>(chunk_rows, rows() - row);
      visit(row, ByteSpan{plain}.first(count * row_bytes_));
      row += count;
    }
    if (row != rows()) damaged(path_, "has rows that are not stored");
  }

 private:
  [[nodiscard]] std::size_t bytes_of(std::uint64_t count, std::uint64_t bytes) const {
    std::uint64_t length = 0;
    constexpr std::uint64_t most = std::uint64_t{1} << 48;
    if (__builtin_mul_overflow(count, bytes, &length) || length > most) {
      damaged(path_, "is longer than what the file stores of it");
    }
    return length;
  }

  void require_filters() const {
    const std::vector<std::uint16_t> plain{fletcher};
    const std::vector<std::uint16_t> deflated{shuffle, deflate, fletcher};
    if (stored_.filters != plain && stored_.filters != deflated) {
      damaged(path_, "is not packed as fairfront packs it");
    }
  }

  // A header can claim any size. Deflate shrinks no more than 1032-fold, so the bytes that are
  // stored bound what may be allocated.
  void require_stored() {
    std::uint64_t stored = 0;  // of parts of the file that do not overlap
    for (const StoredChunk& chunk : stored_.chunks) stored += chunk.bytes.size();
    const std::uint64_t shrinking = stored_.filters.size() > 1 ? 1032 : 1;
    const std::uint64_t most = bytes_of(stored, shrinking);
    if (bytes_of(rows(), row_bytes_) > most) {
      damaged(path_, "is longer than what the file stores of it");
    }
    if (stored_.chunks.empty()) return;
    if (!std::ranges::equal(row_of(stored_.chunk_shape), row_of(stored_.shape))) {
      damaged(path_, "has chunks of the wrong shape");
    }
    chunk_bytes_ = bytes_of(stored_.chunk_shape[0], row_bytes_);
    if (chunk_bytes_ > most) {
      damaged(path_, "has chunks larger than what the file stores of it");
    }
  }

  void unpack(const StoredChunk& chunk, std::vector<std::byte>& plain,
              std::vector<std::byte>& shuffled) const {
    ByteSpan bytes = chunk.bytes;
    if (bytes.size() < sizeof(std::uint32_t)) damaged(path_, "has a chunk without a checksum");
    ByteCursor checksum{bytes.last(sizeof(std::uint32_t)), path_};
    bytes = bytes.first(bytes.size() - sizeof(std::uint32_t));
    if (checksum.number(sizeof(std::uint32_t)) != fletcher32(bytes)) {
      damaged(path_, "the checksum of a chunk is wrong");
    }
    const bool deflates = stored_.filters.size() > 1;
    // HDF5 leaves out deflate, filter 1 of 0 .. 2, where it would make a chunk longer.
    constexpr std::uint32_t no_deflate = 1U << 1U;
    if ((chunk.skipped_filters & ~(deflates ? no_deflate : 0U)) != 0) {
      damaged(path_, "is not packed as fairfront packs it");
    }
    if (!deflates) return copy(bytes, plain);
    if ((chunk.skipped_filters & no_deflate) != 0) {
      copy(bytes, shuffled);
    } else {
      inflate(bytes, shuffled);
    }
    unshuffle(shuffled, plain);
  }

  void copy(ByteSpan bytes, std::vector<std::byte>& target) const {
    if (bytes.size() != target.size()) damaged(path_, "has a chunk of the wrong length");
    std::ranges::copy(bytes, target.begin());
  }

  void inflate(ByteSpan bytes, std::vector<std::byte>& target) const {
    uLongf length = target.size();
    const int error = ::uncompress(reinterpret_cast<Bytef*>(target.data()), &length,
                                   reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    if (error != Z_OK || length != target.size()) damaged(path_, "has a chunk of the wrong length");
  }

  // Byte k of every element stands behind byte k - 1 of every element.
  void unshuffle(const std::vector<std::byte>& shuffled, std::vector<std::byte>& plain) const {
    const std::size_t width = stored_.type.bytes;
    const std::size_t elements = plain.size() / width;
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t i = 0; i < elements; ++i) plain[i * width + k] = shuffled[k * elements + i];
    }
  }

  const std::string& path_;
  const StoredRows& stored_;
  std::size_t row_bytes_ = 0;
  std::size_t chunk_bytes_ = 0;
};

std::string without_padding(ByteSpan text) {
  while (!text.empty() && text.back() == std::byte{0}) text = text.first(text.size() - 1);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

StoredAttribute& take_attribute(StoredObject& object, std::string_view name) {
  const auto found = std::ranges::find(object.attributes, name, &StoredAttribute::name);
  if (found == object.attributes.end()) {
    damaged(fmt::format("{}@{}", object.path, name), "doesn't exist");
  }
  found->taken = true;
  return *found;
}

std::vector<std::string> texts_of(const StoredObject& object, const StoredAttribute& attribute,
                                  std::size_t dimensions) {
  const std::string path = fmt::format("{}@{}", object.path, attribute.name);
  if (attribute.type.kind != ElementType::Kind::text) damaged(path, "is not fixed-length text");
  if (attribute.shape.size() != dimensions) damaged(path, "has the wrong shape");
  std::vector<std::string> texts;
  for (ByteSpan rest = attribute.values; !rest.empty(); rest = rest.subspan(attribute.type.bytes)) {
    texts.push_back(without_padding(rest.first(attribute.type.bytes)));
  }
  return texts;
}

}  // namespace

StoredObject& take(StoredObject& group, std::string_view name) {
  const auto place = group.place_of.find(std::string{name});
  if (place == group.place_of.end()) {
    damaged(fmt::format("{}/{}", group.path == "/" ? "" : group.path, name), "doesn't exist");
  }
  StoredObject& member = group.members[place->second];
  member.taken = true;
  return member;
}

StoredObject& take_group(StoredObject& group, std::string_view name) {
  StoredObject& member = take(group, name);
  if (!member.is_group) damaged(member.path, "is not a group");
  return member;
}

template <class T>
bool holds(const StoredObject& data_set) {
  if (data_set.is_group) damaged(data_set.path, "is not a data set");
  return data_set.rows.type == type_of<T>();
}
template bool holds<std::uint8_t>(const StoredObject&);
template bool holds<std::uint16_t>(const StoredObject&);
template bool holds<double>(const StoredObject&);

template <class T>
std::vector<T> read_numbers(StoredObject& data_set, const RowShape& row) {
  if (!holds<T>(data_set)) damaged(data_set.path, "holds numbers of the wrong type");
  const bool fits = std::ranges::equal(row_of(data_set.rows.shape), row,
                                       std::cmp_equal<std::uint64_t, std::int64_t>);
  if (!fits) damaged(data_set.path, "has the wrong shape");
  RowReader reader{data_set};
  std::vector<T> values(reader.rows() * reader.row_bytes() / sizeof(T));
  std::size_t filled = 0;
  reader.read([&](std::size_t, ByteSpan rows) {
    std::memcpy(values.data() + filled, rows.data(), rows.size());
    filled += rows.size() / sizeof(T);
  });
  return values;
}
template std::vector<std::uint8_t> read_numbers(StoredObject&, const RowShape&);
template std::vector<std::uint16_t> read_numbers(StoredObject&, const RowShape&);
template std::vector<std::int32_t> read_numbers(StoredObject&, const RowShape&);
template std::vector<std::int64_t> read_numbers(StoredObject&, const RowShape&);
template std::vector<double> read_numbers(StoredObject&, const RowShape&);

std::vector<std::string> read_texts(StoredObject& data_set) {
  if (data_set.is_group) damaged(data_set.path, "is not a data set");
  if (data_set.rows.type.kind != ElementType::Kind::text) {
    damaged(data_set.path, "is not fixed-length text");
  }
  if (data_set.rows.shape.size() != 1) damaged(data_set.path, "has the wrong shape");
  // A text takes 32 bytes in memory and may take none in the file.
  constexpr std::uint64_t most_texts = std::uint64_t{1} << 24U;
  if (data_set.rows.shape[0] > most_texts) damaged(data_set.path, "has too many rows");
  const std::size_t width = data_set.rows.type.bytes;
  std::vector<std::string> texts;
  RowReader{data_set}.read([&](std::size_t, ByteSpan rows) {
    for (; !rows.empty(); rows = rows.subspan(width)) {
      texts.push_back(without_padding(rows.first(width)));
    }
  });
  return texts;
}

std::string take_text(StoredObject& object, std::string_view name) {
  return texts_of(object, take_attribute(object, name), 0).front();
}

std::vector<std::string> take_texts(StoredObject& object, std::string_view name) {
  return texts_of(object, take_attribute(object, name), 1);
}

std::int64_t take_integer(StoredObject& object, std::string_view name) {
  const StoredAttribute& attribute = take_attribute(object, name);
  const std::string path = fmt::format("{}@{}", object.path, name);
  if (attribute.type != type_of<std::int64_t>()) damaged(path, "is not a 64-bit integer");
  if (!attribute.shape.empty()) damaged(path, "has the wrong shape");
  std::int64_t value = 0;
  std::memcpy(&value, attribute.values.data(), sizeof value);
  return value;
}

bool has_attribute(const StoredObject& object, std::string_view name) {
  return std::ranges::find(object.attributes, name, &StoredAttribute::name) !=
         object.attributes.end();
}

void require_texts(StoredObject& object, std::string_view name,
                   std::span<const std::string> expected) {
  if (!std::ranges::equal(take_texts(object, name), expected)) {
    damaged(fmt::format("{}@{}", object.path, name), "is not what it must be");
  }
}

}  // namespace fairfront::archive
