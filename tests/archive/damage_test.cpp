#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "archive/archive.hpp"
#include "archive/edit.hpp"
#include "base/error.hpp"
#include "results/content.hpp"
#include "results/merged_fronts.hpp"

namespace fairfront::archive::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Damage : public testing::Test {
 protected:
  Damage() { write(path_, content_); }

  void expect_found(const std::string& line) {
    EXPECT_THAT(verify(path_), Contains(HasSubstr(line)));
  }
  void expect_refused(const std::string& line) {
    expect_found(line);
    try {
      static_cast<void>(read(path_));
      ADD_FAILURE() << "read in spite of: " << line;
    } catch (const base::DamagedError& error) {
      EXPECT_THAT(error.what(), HasSubstr(line));
      EXPECT_THAT(error.what(), HasSubstr(path_));
    }
  }

  // Four tasks with two points each in two objectives, one of them maximised.
  static results::Content make_content() {
    results::Content content = random_content(21, 4);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    const results::Quantity what{"q", "d", "u", results::Direction::maximise, "s"};
    content.axes = {{"s.k", base::Role::setting, {"1", "2"}}};
    content.tasks.axis_index = {{0, 1, -1, 0}};
    content.tasks.problem = {0, 0, 1, 1};
    content.tasks.configuration = {0, 0, 1, 1};
    content.tasks.curve = {0, 0, 1, 1};
    content.metrics = {{what, {1, missing, 3, 4}}};
    content.measures = {{what, {"train", "test"}, {"all"}, std::vector<double>(24, 0.5)}};
    content.series = {{what, "step", {0, 2, 2, 3, 3}, {1, 2, 1}, {1, 2, 3}, {}}};
    content.solutions = {{what, {0, 3}, {0, 2, 3}, std::vector<std::uint8_t>{0, 1, 1}},
                         {what, {0, 1, 2}, {0, 512, 1024, 1536}, std::vector<double>(1536, 1.0)}};
    content.solutions[1].what.name = "equal";
    results::FrontGroup front;
    front.name = "method";
    front.objectives = {what, what};
    front.objectives[0].direction = results::Direction::minimise;
    front.offsets = {0, 2, 2, 4, 4};
    front.points = {1, -2, 2, -1, 1, -2, 2, -1};
    front.task = {0, 0, 2, 2};
    front.solution = {0, -1, 1, -1};
    front.solutions_name = "q";
    front.reference = {3, -3, missing, missing, 3, -3, missing, missing};
    front.hypervolume = {3, 0, 3, 0};
    content.fronts = {front};
    content.merged = results::merged_fronts(content);
    return content;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "a.h5";
  results::Content content_ = make_content();
};

TEST_F(Damage, AnUntouchedArchiveIsSound) { EXPECT_THAT(verify(path_), IsEmpty()); }

TEST_F(Damage, TruncationAtEveryLengthIsFound) {
  const std::size_t whole = bytes_of(path_).size();
  for (std::size_t length = whole; length-- > 0;) {
    std::filesystem::resize_file(path_, length);
    ASSERT_THAT(verify(path_), Not(IsEmpty())) << length << " of " << whole << " bytes";
    ASSERT_THROW(static_cast<void>(read(path_)), base::DamagedError) << length;
  }
}

TEST_F(Damage, BytesBehindTheEndAreFound) {
  put_bytes(path_, bytes_of(path_) + '\0');
  expect_refused("but was written with");
}

TEST_F(Damage, AFlippedBitAnywhereIsFound) {
  const std::string bytes = bytes_of(path_);
  std::fstream file{path_, std::ios::binary | std::ios::in | std::ios::out};
  const auto put = [&](std::size_t position, char byte) {
    file.seekp(static_cast<std::streamoff>(position)).put(byte).flush();
  };
  std::mt19937_64 engine{1};
  for (std::size_t i = 0; i < 3'000; ++i) {
    const std::size_t position = i < seal_bytes ? i : engine() % bytes.size();
    put(position, static_cast<char>(bytes[position] ^ 1 << engine() % 8));
    ASSERT_THAT(verify(path_), Not(IsEmpty())) << "byte " << position;
    ASSERT_THROW(static_cast<void>(read(path_)), base::DamagedError) << "byte " << position;
    put(position, bytes[position]);
  }
  EXPECT_EQ(difference(read(path_).content, content_), "");
}

TEST_F(Damage, AMissingPartIsNamedAndTheSearchGoesOn) {
  edit(path_, [](const Node& root) {
    remove(root, "timing/rank");
    remove(root, "fronts/method/task");
    H5Adelete_by_name(root.id(), "metrics/q", "unit", H5P_DEFAULT);
  });
  expect_found("/timing/rank");
  expect_found("/fronts/method/task");
  expect_found("/metrics/q@unit");
  try {
    static_cast<void>(read(path_));
    ADD_FAILURE() << "read in spite of three missing parts";
  } catch (const base::DamagedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/timing/rank"));
    EXPECT_THAT(error.what(), HasSubstr("(and 2 more)"));
  }
}

TEST_F(Damage, EveryMissingObjectIsFound) {
  for (const std::string name : {"config",
                                 "config/key",
                                 "provenance",
                                 "provenance/datasets",
                                 "provenance/datasets/files",
                                 "axes",
                                 "tasks",
                                 "tasks/key",
                                 "tasks/status",
                                 "tasks/axis",
                                 "tasks/axis/s.k",
                                 "timing",
                                 "metrics",
                                 "measures",
                                 "series",
                                 "series/q/offsets",
                                 "solutions",
                                 "solutions/q/values",
                                 "solutions/equal/values",
                                 "fronts",
                                 "merged",
                                 "merged/method/over_replicates/point",
                                 "tasks/problem",
                                 "config/revisions"}) {
    write(path_, content_, true);
    edit(path_, [&](const Node& root) { remove(root, name); });
    expect_refused("doesn't exist");
  }
}

TEST_F(Damage, AColumnOfAnotherTypeOrShapeIsFound) {
  using Change = std::pair<std::string, std::function<void(const Node&)>>;
  const std::vector<std::int32_t> ints{1, 2, 3, 4};
  const std::vector<double> doubles{1, 2, 3, 4};
  const std::vector<std::string> texts{"a", "b"};
  const std::vector<Change> changes{
      {"/timing/seconds: holds", [&](const Node& n) { replace(n, "timing/seconds", ints); }},
      {"/timing/seconds: has the wrong shape",
       [&](const Node& n) { replace(n, "timing/seconds", doubles, 2); }},
      {"/tasks/key: is not fixed-length text",
       [&](const Node& n) { replace(n, "tasks/key", ints); }},
      {"/fronts/method/points: has the wrong shape",
       [&](const Node& n) { replace(n, "fronts/method/points", doubles, 1); }},
      {"/fronts/method/points: has the wrong shape",
       [&](const Node& n) { replace(n, "fronts/method/points", doubles); }},
      {"/solutions/q/values: holds",
       [&](const Node& n) { replace(n, "solutions/q/values", ints); }},
      {"/timing/seconds: holds",
       [&](const Node& n) {
         remove(n, "timing/seconds");
         write_texts(n, "timing/seconds", texts);
       }},
      {"/timing/rank: is not a data set",
       [&](const Node& n) {
         remove(n, "timing/rank");
         static_cast<void>(create_group(n, "timing/rank"));
       }},
      {"/config: columns of different lengths",
       [&](const Node& n) {
         remove(n, "config/key");
         write_texts(n, "config/key", std::vector<std::string>(99));
       }},
  };
  for (const auto& [line, change] : changes) {
    write(path_, content_, true);
    edit(path_, change);
    expect_refused(line);
  }
}

TEST_F(Damage, NumbersThatBreakARuleAreFound) {
  using Integers = std::vector<std::int64_t>;
  const auto integers = [](const char* name, Integers values) {
    return [=](const Node& n) { replace(n, name, values); };
  };
  const auto points = [](double first) {
    return [=](const Node& n) {
      replace(n, "fronts/method/points", std::vector<double>{first, -2, 2, -1, 1, -2, 2, -1}, 2);
    };
  };
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::string, std::function<void(const Node&)>>> changes{
      {"/series/q/offsets: descends", integers("series/q/offsets", {0, 2, 1, 3, 3})},
      {"/series/q/offsets: does not begin", integers("series/q/offsets", {1, 2, 2, 3, 3})},
      {"/series/q/offsets: ends with 9", integers("series/q/offsets", {0, 2, 2, 3, 9})},
      {"/series/q/offsets: has 4 rows", integers("series/q/offsets", {0, 2, 2, 3})},
      {"/series/q/offsets: has 0 rows", integers("series/q/offsets", {})},
      {"/series/q/steps: has 2 rows", integers("series/q/steps", {1, 2})},
      {"/solutions/q/task: row 1 is 4", integers("solutions/q/task", {0, 4})},
      {"/solutions/q/task: row 0 is -1", integers("solutions/q/task", {-1, 0})},
      {"/solutions/equal/vector: row 1 is 1", integers("solutions/equal/vector", {0, 1, 0})},
      {"/solutions/equal/vector: row 2 is -1", integers("solutions/equal/vector", {0, 0, -1})},
      {"/solutions/equal/vector: nobody has vector 1",
       [](const Node& n) {
         replace(n, "solutions/equal/offsets", Integers{0, 512, 1024});
         replace(n, "solutions/equal/values", std::vector<double>(1024, 1.0));
       }},
      {"/solutions/equal/vector: row 0 is 1, must be in 0 .. 0",
       [](const Node& n) {
         replace(n, "solutions/equal/vector", Integers{1, 0, 1});
         replace(n, "solutions/equal/offsets", Integers{0, 512, 1024});
         replace(n, "solutions/equal/values", std::vector<double>(1024, 1.0));
       }},
      {"/solutions/equal/vector: claims more than 1024 times the 512 values",
       integers("solutions/equal/vector", Integers(1025, 0))},
      {"/solutions/equal/offsets: has 3 rows", integers("solutions/equal/vector", {0, 0})},
      {"/solutions/equal/offsets: must ascend", integers("solutions/equal/offsets", {0, 513})},
      {"/solutions/equal/offsets: must ascend", integers("solutions/equal/offsets", {1, 512})},
      {"/solutions/equal/offsets: must ascend", integers("solutions/equal/offsets", {})},
      {"/solutions/q/offsets: ends with", integers("solutions/q/offsets", {0, 1, 1LL << 62})},
      {"/fronts/method/offsets: descends", integers("fronts/method/offsets", {0, 3, 2, 4, 4})},
      {"/fronts/method/task: disagrees", integers("fronts/method/task", {0, 1, 2, 2})},
      {"/fronts/method/solution: row 2 is 2", integers("fronts/method/solution", {0, 0, 2, 0})},
      {"/fronts/method/points: is not finite", points(missing)},
      {"/tasks/axis/s.k: row 1 is 2",
       [](const Node& n) {
         replace(n, "tasks/axis/s.k", std::vector<std::int32_t>{0, 2, 0, 0});
       }},
      {"/tasks/status: a value",
       [](const Node& n) {
         replace(n, "tasks/status", std::vector<std::uint8_t>{1, 1, 3, 1});
       }},
      {"/metrics/q@definition",
       [](const Node& n) {
         remove(n, "metrics/q");
         const std::vector<double> values{1, 2, 3, 4};
         write_numbers(n, "metrics/q", std::span{values});
       }},
      {"/measures/q: has the wrong shape",
       [](const Node& n) { write_attribute_again(n, "measures/q", "parts", {"train"}); }},
      {"/measures/q@parts: has a name twice",
       [](const Node& n) {
         write_attribute_again(n, "measures/q", "parts", {"test", "test"});
       }},
      {"/measures/q@groups: has an empty name",
       [](const Node& n) { write_attribute_again(n, "measures/q", "groups", {""}); }},
      {"/measures/q@ends: is not what it must be",
       [](const Node& n) {
         write_attribute_again(n, "measures/q", "ends", {"value", "high", "low"});
       }},
      {"/timing/seconds: has 3 rows",
       [](const Node& n) {
         replace(n, "timing/seconds", std::vector<double>{1, 2, 3});
       }},
      {"/provenance/datasets/files/dataset: row 0 is 7",
       [](const Node& n) {
         replace(n, "provenance/datasets/files/dataset", Integers{7});
         for (const char* name :
              {"provenance/datasets/files/name", "provenance/datasets/files/sha256"}) {
           remove(n, name);
           write_texts(n, name, std::vector<std::string>{"x"});
         }
       }},
  };
  for (const auto& [line, change] : changes) {
    write(path_, content_, true);
    edit(path_, change);
    expect_refused(line);
  }
}

TEST_F(Damage, AFrontThatIsNotOneIsFound) {
  content_.fronts[0].points = {1, -2, 2, -2, 1, -2, 2, -1};  // the first dominates the second
  content_.fronts[0].hypervolume = {2, 0, 3, 0};
  write(path_, content_, true);
  expect_found("/fronts/method/points: task 0 has a dominated point");
  EXPECT_NO_THROW(static_cast<void>(read(path_)));
}

TEST_F(Damage, EqualPointsOfAFrontAreAllowed) {
  content_.fronts[0].points = {1, -2, 1, -2, 1, -2, 2, -1};
  content_.fronts[0].hypervolume = {2, 0, 3, 0};
  content_.merged = results::merged_fronts(content_);
  write(path_, content_, true);
  EXPECT_THAT(verify(path_), IsEmpty());
}

TEST_F(Damage, MergedFrontsThatDoNotFollowFromThePointsAreFound) {
  results::Content changed = content_;
  changed.merged[0].over_replicates.hypervolume[0] *= 2;
  write(path_, changed, true);
  expect_found("/merged/method/over_replicates: does not follow from /fronts");
  changed = content_;
  ASSERT_FALSE(changed.merged[0].per_replicate.point.empty());
  changed.merged[0].per_replicate.point[0] = 3;
  write(path_, changed, true);
  expect_found("/merged/method/per_replicate: does not follow from /fronts");
  changed.merged.clear();
  write(path_, changed, true);
  expect_found("/merged: its groups are not those of /fronts");
}

TEST_F(Damage, AWrongHypervolumeIsFound) {
  content_.fronts[0].hypervolume[2] = 3 * (1 + 1e-11);
  write(path_, content_, true);
  expect_found("/fronts/method/hypervolume: of task 2");
  content_.fronts[0].hypervolume[2] = std::nextafter(3, 4);
  write(path_, content_, true);
  EXPECT_THAT(verify(path_), IsEmpty());
}

TEST_F(Damage, AnEditedResultBreaksBothDigests) {
  edit(path_, [](const Node& root) {
    const Node metric = open_node(root, "metrics/q");
    const std::vector<double> values{1, 2, 3, 5};
    H5Dwrite(metric.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  });
  EXPECT_THAT(verify(path_),
              testing::ElementsAre(HasSubstr("/@digest"), HasSubstr("/@content_digest")));
  expect_refused("/@digest");
}

TEST_F(Damage, AnEditedMeasureBreaksItsDigestAndLeavesThatOfTheFindings) {
  edit(path_, [](const Node& root) {
    const Node measure = open_node(root, "measures/q");
    const std::vector<double> values(24, 0.25);
    H5Dwrite(measure.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  });
  EXPECT_THAT(verify(path_),
              testing::ElementsAre(HasSubstr("/@measures_digest"), HasSubstr("/@content_digest")));
  expect_refused("/@measures_digest");
}

TEST_F(Damage, AnEditedTimeBreaksTheContentDigestOnly) {
  edit(path_, [](const Node& root) {
    replace(root, "timing/seconds", std::vector<double>{9, 9, 9, 9});
  });
  EXPECT_THAT(verify(path_), testing::ElementsAre(HasSubstr("/@content_digest")));
  expect_refused("/@content_digest");
}

TEST_F(Damage, ANewerFormatIsRefusedWithAdvice) {
  edit(path_, [](const Node& root) {
    H5Adelete(root.id(), "format_version");
    write_attribute(root, "format_version", std::int64_t{2});
  });
  expect_refused("format version 2, this program reads up to 1: use a newer fairfront");
}

TEST_F(Damage, AStatusThatContradictsTheTasksIsFound) {
  edit(path_, [](const Node& root) {
    H5Adelete(root.id(), "status");
    write_attribute(root, "status", std::string{"perhaps"});
  });
  expect_refused("/@status");
}

// A billion rows that the file does not hold must not be allocated.
TEST_F(Damage, AnExtentBeyondWhatTheFileStoresIsFound) {
  edit(path_, [](const Node& root) {
    remove(root, "timing/seconds");
    const hsize_t extent[] = {hsize_t{1} << 50};
    const hsize_t chunk[] = {1024};
    const Space space{H5Screate_simple(1, extent, nullptr), "H5Screate_simple", ""};
    const PropertyList list{H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate", ""};
    H5Pset_chunk(list.get(), 1, chunk);
    H5Pset_fletcher32(list.get());
    const Object seconds{H5Dcreate2(root.id(), "timing/seconds", H5T_IEEE_F64LE, space.get(),
                                    H5P_DEFAULT, list.get(), H5P_DEFAULT),
                         "H5Dcreate2", ""};
  });
  expect_refused("/timing/seconds: is longer than what the file stores of it");
}

TEST_F(Damage, OtherFilesAreNotArchives) {
  put_bytes(path_, "");
  expect_refused("not a fairfront archive");
  put_bytes(path_, "epsilon = 0.5\n");
  expect_refused("not a fairfront archive");
  const File file{H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "", ""};
  expect_refused("an HDF5 file, but not a fairfront archive");
}

TEST_F(Damage, AFileThatIsNotThereIsAnInputError) {
  EXPECT_THROW(static_cast<void>(read(folder_ / "none.h5")), base::InputError);
  EXPECT_THROW(static_cast<void>(verify(folder_ / "none.h5")), base::InputError);
  EXPECT_THROW(static_cast<void>(verify(folder_ / "")), base::InputError);
}

}  // namespace
}  // namespace fairfront::archive::test
