#include "data/readers/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace fairfront::data {
namespace {

constexpr std::size_t input_block = std::size_t{1} << 16;

}  // namespace

/// A zlib stream that ends itself, and the compressed bytes it has not seen yet.
struct GzipReader::State {
  State(ReadBytes compressed, std::string file)
      : compressed{std::move(compressed)}, file{std::move(file)}, input(input_block) {
    constexpr int gzip_header_and_largest_window = 16 + MAX_WBITS;
    if (inflateInit2(&stream, gzip_header_and_largest_window) != Z_OK) {
      throw std::runtime_error("inflateInit2 failed");
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { inflateEnd(&stream); }

  /// Sees to it that there is input; false at the end of the file.
  bool refill() {
    if (stream.avail_in > 0) return true;
    stream.avail_in = static_cast<uInt>(compressed(input));
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    return stream.avail_in > 0;
  }

  ReadBytes compressed;
  std::string file;
  std::vector<char> input;
  z_stream stream{};
  bool between_members = false;
};

GzipReader::GzipReader(ReadBytes compressed, std::string file)
    : state_{std::make_unique<State>(std::move(compressed), std::move(file))} {}
GzipReader::~GzipReader() = default;
GzipReader::GzipReader(GzipReader&&) noexcept = default;
GzipReader& GzipReader::operator=(GzipReader&&) noexcept = default;

std::size_t GzipReader::read(std::span<char> out) {
  z_stream& stream = state_->stream;
  const auto size = std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(size);
  while (stream.avail_out > 0) {
    const bool more = state_->refill();
    if (!more && state_->between_members) break;
    if (state_->between_members) inflateReset(&stream);
    state_->between_members = false;
    const int status = more ? inflate(&stream, Z_NO_FLUSH) : Z_DATA_ERROR;
    if (status != Z_OK && status != Z_STREAM_END) {
      throw base::InputError(fmt::format(
          "'{}' ends in .gz, but is no whole gzip file (damaged or cut off)", state_->file));
    }
    state_->between_members = status == Z_STREAM_END;
  }
  return size - stream.avail_out;
}

}  // namespace fairfront::data
