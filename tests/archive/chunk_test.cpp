#include "archive/chunk.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/handle.hpp"

namespace fairfront::archive::test {
namespace {

/// A column and what HDF5 is told of it.
struct Column {
  hid_t type = H5T_STD_U8LE;
  std::size_t width = 1;
  std::string bytes;
};

File file_in_memory() {
  const PropertyList access{H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", ""};
  checked(H5Pset_fapl_core(access.get(), std::size_t{1} << 20, false), "H5Pset_fapl_core", "");
  return {H5Fcreate("chunk_test", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), "H5Fcreate", ""};
}

/// The chunks that HDF5's own filters make.
std::vector<std::string> chunks_by_hdf5(const Column& column, hsize_t chunk_rows, unsigned level) {
  const File file = file_in_memory();
  const hsize_t rows[] = {column.bytes.size() / column.width};
  const Space space{H5Screate_simple(1, rows, nullptr), "H5Screate_simple", ""};
  const PropertyList list{H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate", ""};
  checked(H5Pset_chunk(list.get(), 1, &chunk_rows), "H5Pset_chunk", "");
  if (level > 0) {
    checked(H5Pset_shuffle(list.get()), "H5Pset_shuffle", "");
    checked(H5Pset_deflate(list.get(), level), "H5Pset_deflate", "");
  }
  checked(H5Pset_fletcher32(list.get()), "H5Pset_fletcher32", "");
  const Object set{
      H5Dcreate2(file.get(), "c", column.type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
      "H5Dcreate2", ""};
  checked(H5Dwrite(set.get(), column.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, column.bytes.data()),
          "H5Dwrite", "");
  checked(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "H5Fflush", "");
  std::vector<std::string> chunks;
  for (hsize_t first = 0; first < rows[0]; first += chunk_rows) {
    hsize_t length = 0;
    checked(H5Dget_chunk_storage_size(set.get(), &first, &length), "H5Dget_chunk_storage_size", "");
    std::string& chunk = chunks.emplace_back(length, '\0');
    std::uint32_t skipped = 0;
    checked(H5Dread_chunk(set.get(), H5P_DEFAULT, &first, &skipped, chunk.data()), "H5Dread_chunk",
            "");
    EXPECT_EQ(skipped, 0U);
  }
  return chunks;
}

std::string random_bytes(std::size_t count, unsigned values) {
  std::minstd_rand random(7);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += static_cast<char>((random() >> 8U) % values);
  }
  return bytes;
}

void expect_bytes_of_hdf5(const Column& column, std::size_t chunk_rows, std::uint32_t level) {
  const std::vector<std::string> expected = chunks_by_hdf5(column, chunk_rows, level);
  const ChunkForm form{chunk_rows * column.width, column.width, level, 0};
  const std::string_view bytes = column.bytes;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string packed =
        pack_chunk(form_of(bytes_of(form)), bytes.substr(i * form.chunk_bytes, form.chunk_bytes));
    EXPECT_TRUE(packed == expected[i])
        << "chunk " << i << ", width " << column.width << ", level " << level;
  }
}

TEST(PackChunk, MakesTheBytesOfHdf5sFilters) {
  for (const std::uint32_t level : {0U, 1U, 4U}) {
    for (const unsigned values : {1U, 3U, 256U}) {  // of which the last ones cannot be deflated
      const std::string bytes = random_bytes(8 * 2'501, values);
      expect_bytes_of_hdf5({H5T_STD_U8LE, 1, bytes}, 1'000, level);  // the last one is not full
      expect_bytes_of_hdf5({H5T_STD_U16LE, 2, bytes}, 2'000, level);
      expect_bytes_of_hdf5({H5T_STD_I32LE, 4, bytes}, 5'002, level);
      expect_bytes_of_hdf5({H5T_STD_I64LE, 8, bytes}, 700, level);
      expect_bytes_of_hdf5({H5T_IEEE_F64LE, 8, bytes}, 1, level);
    }
  }
}

TEST(PackChunk, PadsTextsAsHdf5StoresThem) {
  constexpr std::size_t width = 11;
  const std::vector<std::string> texts{"", "eleven long", "ü", "x", std::string(3, '\x7f')};
  Column column{0, width, std::string(texts.size() * width, '\0')};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::ranges::copy(texts[i], column.bytes.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  const Type type{H5Tcopy(H5T_C_S1), "H5Tcopy", ""};
  checked(H5Tset_size(type.get(), width), "H5Tset_size", "");
  column.type = type.get();
  const std::vector<std::string> expected = chunks_by_hdf5(column, 3, 4);
  const ChunkForm form{3 * width, width, 4, 1};
  const std::span all{texts};
  EXPECT_EQ(pack_chunk(form, join_texts(all.first(3))), expected[0]);
  EXPECT_EQ(pack_chunk(form, join_texts(all.subspan(3))), expected[1]);
}

}  // namespace
}  // namespace fairfront::archive::test
