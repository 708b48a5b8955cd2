#include "data/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"

namespace fairfront::data {
namespace {

constexpr std::size_t output_step = std::size_t{1} << 20;

/// A zlib stream that ends itself.
class Inflater {
 public:
  Inflater() {
    constexpr int gzip_header_and_largest_window = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, gzip_header_and_largest_window) != Z_OK) {
      throw std::runtime_error("inflateInit2 failed");
    }
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Inflates one member, appends it to `content` and removes it from `bytes`; false if damaged.
  bool member(std::string_view& bytes, std::string& content) {
    if (inflateReset(&stream_) != Z_OK) return false;
    int status = Z_OK;
    while (status == Z_OK) {
      const std::size_t size = content.size();
      content.resize(size + output_step);
      const auto input =
          static_cast<uInt>(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
      // zlib's interface is older than const; it does not write to its input.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = input;
      stream_.next_out = reinterpret_cast<Bytef*>(content.data() + size);
      stream_.avail_out = output_step;
      status = inflate(&stream_, Z_NO_FLUSH);
      bytes.remove_prefix(input - stream_.avail_in);
      content.resize(size + output_step - stream_.avail_out);
    }
    return status == Z_STREAM_END;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::string inflate_gzip(std::string_view bytes, const std::string& file) {
  Inflater inflater;
  std::string content;
  do {
    if (!inflater.member(bytes, content)) {
      throw base::InputError(
          fmt::format("'{}' ends in .gz, but is no whole gzip file (damaged or cut off)", file));
    }
  } while (!bytes.empty());
  return content;
}

}  // namespace fairfront::data
