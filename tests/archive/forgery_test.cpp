// Archives that somebody changed with care: every checksum and the seal are right again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "archive/archive.hpp"
#include "archive/edit.hpp"
#include "archive/hdf5_checksums.hpp"
#include "archive/reader.hpp"
#include "archive/stored_tree.hpp"
#include "base/error.hpp"

// HDF5's own, which it exports but does not declare.
extern "C" std::uint32_t H5_checksum_lookup3(const void* key, std::size_t length,
                                             std::uint32_t initial);
extern "C" std::uint32_t H5_checksum_fletcher32(const void* data, std::size_t length);

namespace fairfront::archive::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Hdf5Checksums, AreThoseOfTheLibrary) {
  std::mt19937_64 engine{3};
  for (std::size_t length = 0; length < 3'000; length += length < 80 ? 1 : 97) {
    for (const bool zeros : {false, true}) {
      std::vector<std::byte> bytes(length);
      for (std::byte& byte : bytes) byte = zeros ? std::byte{0} : static_cast<std::byte>(engine());
      EXPECT_EQ(lookup3(bytes), H5_checksum_lookup3(bytes.data(), length, 0)) << length;
      if (length == 0) continue;  // the library does not allow it
      EXPECT_EQ(fletcher32(bytes), H5_checksum_fletcher32(bytes.data(), length)) << length;
    }
  }
}

class Forgery : public testing::Test {
 protected:
  Forgery() { write(path_, content_); }

  void expect_refused(const std::string& line) {
    EXPECT_THAT(verify(path_), Contains(HasSubstr(line)));
    try {
      static_cast<void>(read(path_));
      ADD_FAILURE() << "read in spite of: " << line;
    } catch (const base::DamagedError& error) {
      EXPECT_THAT(error.what(), HasSubstr(line));
    }
  }
  void expect_refused(const std::string& line, const std::function<void(const Node&)>& change) {
    write(path_, content_, true);
    edit(path_, change);
    expect_refused(line);
  }
  // Whatever the bytes behind the seal are: the same results or an error, and nothing else.
  void expect_same_or_refused(const std::string& bytes, std::size_t place) {
    try {
      const Stored stored = read_whole(std::as_bytes(std::span{bytes}).subspan(seal_bytes), path_);
      ASSERT_EQ(difference(stored.content, content_), "") << place;
    } catch (const base::DamagedError&) {
      ++refused_;
    }
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "a.h5";
  results::Content content_ = random_content(5, 6);
  int refused_ = 0;
};

TEST_F(Forgery, TextIsNowhereStoredInAHeap) {
  const File file{H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "H5Fopen", path_};
  const auto check = [](hid_t root, const char* name, const H5O_info_t* info, void*) -> herr_t {
    const Object node{H5Oopen(root, name, H5P_DEFAULT), "H5Oopen", name};
    static_cast<void>(info);
    const auto check_attribute = [](hid_t object, const char* attribute, const H5A_info_t*,
                                    void*) -> herr_t {
      const Attribute open{H5Aopen(object, attribute, H5P_DEFAULT), "H5Aopen", attribute};
      const Type type{H5Aget_type(open.get()), "H5Aget_type", attribute};
      EXPECT_EQ(H5Tdetect_class(type.get(), H5T_VLEN), 0) << attribute;
      EXPECT_EQ(H5Tdetect_class(type.get(), H5T_REFERENCE), 0) << attribute;
      EXPECT_LE(H5Tis_variable_str(type.get()), 0) << attribute;
      return 0;
    };
    H5Aiterate2(node.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, check_attribute, nullptr);
    return 0;
  };
  H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_INC, check, nullptr, H5O_INFO_BASIC);
  EXPECT_THAT(bytes_of(path_), testing::Not(HasSubstr("GCOL")));  // a global heap
  EXPECT_THAT(bytes_of(path_), testing::Not(HasSubstr("FRHP")));  // a fractal heap
}

TEST_F(Forgery, LinksOutOfTheFileAreNotFollowed) {
  const std::string other = folder_ / "other.h5";
  write(other, content_);
  const auto replaced_by = [](const auto& make) {
    return [make](const Node& root) {
      remove(root, "timing/seconds");
      make(root);
    };
  };
  expect_refused("/timing/seconds: is a link to another place", replaced_by([&](const Node& root) {
                   H5Lcreate_external(other.c_str(), "/timing/seconds", root.id(), "timing/seconds",
                                      H5P_DEFAULT, H5P_DEFAULT);
                 }));
  expect_refused("/timing/seconds: is a link to another place", replaced_by([&](const Node& root) {
                   H5Lcreate_soft("/timing/rank", root.id(), "timing/seconds", H5P_DEFAULT,
                                  H5P_DEFAULT);
                 }));
  expect_refused("has a part that fairfront does not write", replaced_by([&](const Node& root) {
                   H5Lcreate_hard(root.id(), "timing/rank", root.id(), "timing/seconds",
                                  H5P_DEFAULT, H5P_DEFAULT);
                 }));
  expect_refused("has a part that fairfront does not write", [](const Node& root) {  // a circle
    H5Lcreate_hard(root.id(), ".", root.id(), "timing/again", H5P_DEFAULT, H5P_DEFAULT);
  });
}

TEST_F(Forgery, DataThatAnotherFileHoldsAreNotRead) {
  expect_refused("/timing/seconds", [&](const Node& root) {
    remove(root, "timing/seconds");
    const hsize_t rows[] = {6};
    const Space space{H5Screate_simple(1, rows, nullptr), "H5Screate_simple", ""};
    const PropertyList list{H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate", ""};
    H5Pset_external(list.get(), "/etc/hostname", 0, 48);
    const Object seconds{H5Dcreate2(root.id(), "timing/seconds", H5T_IEEE_F64LE, space.get(),
                                    H5P_DEFAULT, list.get(), H5P_DEFAULT),
                         "H5Dcreate2", ""};
  });
}

TEST_F(Forgery, WhatTheFormatDoesNotKnowIsNamed) {
  const std::vector<double> hidden{1, 2};
  expect_refused("/hidden: is not part of the format",
                 [&](const Node& root) { write_numbers(root, "hidden", std::span{hidden}); });
  expect_refused("/\\x1b[2J: is not part of the format",
                 [&](const Node& root) { write_numbers(root, "\x1b[2J", std::span{hidden}); });
  expect_refused("/tasks/axis/more: is not part of the format", [&](const Node& root) {
    write_numbers(root, "tasks/axis/more", std::span{hidden});
  });
  expect_refused("/timing@note: is not part of the format", [](const Node& root) {
    write_attribute(open_node(root, "timing"), "note", std::string{"hello"});
  });
  expect_refused("/@created: is not that of", [](const Node& root) {
    H5Adelete(root.id(), "created");
    write_attribute(root, "created", std::string{"tomorrow"});
  });
}

TEST_F(Forgery, TextOfVariableLengthIsRefused) {
  expect_refused("/@status: is not fixed-length text", [](const Node& root) {
    H5Adelete(root.id(), "status");
    const Type type{H5Tcopy(H5T_C_S1), "H5Tcopy", ""};
    H5Tset_size(type.get(), H5T_VARIABLE);
    const Space space{H5Screate(H5S_SCALAR), "H5Screate", ""};
    const Attribute status{
        H5Acreate2(root.id(), "status", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
        "H5Acreate2", ""};
    const char* text = "complete";
    H5Awrite(status.get(), type.get(), &text);
  });
}

TEST_F(Forgery, AMetricChangedByHandIsNotRead) {
  ASSERT_FALSE(content_.metrics.empty());
  std::vector<double> values = content_.metrics[0].values;
  values[0] = values[0] == 1 ? 2 : 1;
  expect_refused("/@digest: is", [&](const Node& root) {
    const Node metric = open_node(root, "metrics/" + content_.metrics[0].what.name);
    H5Dwrite(metric.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  });
}

TEST_F(Forgery, AFlippedBitUnderARightSealIsHarmless) {
  const std::string bytes = bytes_of(path_);
  for (std::size_t place = seal_bytes; place < bytes.size(); place += 37) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ 1 << place % 8);
    ASSERT_NO_FATAL_FAILURE(expect_same_or_refused(changed, place));
  }
  EXPECT_GT(refused_, 500);
}

/// The bytes of the object header that begins at `start`, without its checksum.
std::size_t header_length(const std::string& bytes, std::size_t start) {
  const auto flags = static_cast<unsigned char>(bytes[start + 5]);
  const std::size_t width = std::size_t{1} << (flags & 3U);
  const std::size_t prefix = 6 + ((flags & 0x10U) != 0 ? 4 : 0) + width;
  std::size_t size = 0;
  std::memcpy(&size, bytes.data() + start + prefix - width, width);
  return prefix + size;
}

TEST_F(Forgery, ANameWithASlashIsNoName) {
  for (const std::string forged : {"se/onds", "/econds", "second/"}) {
    std::string bytes = bytes_of(path_);
    const std::size_t place = bytes.find("seconds");
    ASSERT_NE(place, std::string::npos);
    bytes.replace(place, forged.size(), forged);
    const std::size_t start = bytes.rfind("OHDR", place);
    const std::size_t length = header_length(bytes, start);
    const std::uint32_t checksum = lookup3(std::as_bytes(std::span{bytes}).subspan(start, length));
    std::memcpy(bytes.data() + start + length, &checksum, sizeof checksum);
    const std::string other = folder_ / "forged.h5";
    put_bytes(other, bytes);
    seal_again(other);
    EXPECT_THAT(verify(other),
                Contains(HasSubstr("/timing: '" + forged + "' is not a usable name")));
  }
}

// Object headers whose checksums are right again, so that lengths, types and addresses get further.
TEST_F(Forgery, HeadersChangedTogetherWithTheirChecksumsAreHarmless) {
  const std::string bytes = bytes_of(path_);
  std::mt19937_64 engine{11};
  int headers = 0;
  for (std::size_t start = bytes.find("OHDR"); start != std::string::npos;
       start = bytes.find("OHDR", start + 4)) {
    ++headers;
    const std::size_t length = header_length(bytes, start);
    for (int round = 0; round < 60; ++round) {
      std::string changed = bytes;
      for (auto changes = 1 + engine() % 3; changes > 0; --changes) {
        const std::size_t place = start + 6 + engine() % (length - 6);
        changed[place] = static_cast<char>(engine() % 2 == 0 ? 0xff : engine());
      }
      const auto header = std::as_bytes(std::span{changed}).subspan(start, length);
      const std::uint32_t checksum = lookup3(header);
      std::memcpy(changed.data() + start + length, &checksum, sizeof checksum);
      ASSERT_NO_FATAL_FAILURE(expect_same_or_refused(changed, start));
    }
  }
  EXPECT_GT(headers, 20);
  EXPECT_GT(refused_, 500);
}

TEST_F(Forgery, AnyPartOfAFileUnderARightSealIsRefused) {
  const std::string bytes = bytes_of(path_).substr(seal_bytes);
  const ByteSpan whole = std::as_bytes(std::span{bytes});
  for (std::size_t length = 0; length < bytes.size(); length += 61) {
    ASSERT_THROW(static_cast<void>(read_whole(whole.first(length), path_)), base::DamagedError)
        << length;
  }
}

}  // namespace
}  // namespace fairfront::archive::test
