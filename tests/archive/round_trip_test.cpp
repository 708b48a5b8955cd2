#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstring>
#include <limits>

#include "archive/archive.hpp"
#include "archive/edit.hpp"
#include "results/content.hpp"
#include "results/digest.hpp"

namespace fairfront::archive::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

results::Quantity named(const std::string& name) {
  return {name, "", "", results::Direction::none, ""};
}

TEST(RoundTrip, AnyContentComesBackEqualFieldByField) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.h5";
  EXPECT_TRUE(rc::check([&] {
    const results::Content content =
        random_content(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange<std::size_t>(0, 40));
    write(path, content, true);
    const Stored stored = read(path);
    RC_ASSERT(difference(content, stored.content) == "");
    RC_ASSERT(stored.format_version == results::format_version);
    RC_ASSERT(stored.digest == results::results_digest(content));
    RC_ASSERT(stored.content_digest == results::content_digest(content));
    RC_ASSERT(verify(path) == std::vector<std::string>{});
  }));
}

TEST(RoundTrip, AContentWithNothingInItIsAnArchive) {
  const TemporaryFolder folder;
  const results::Content content;
  write(folder / "a.h5", content);
  EXPECT_THAT(verify(folder / "a.h5"), IsEmpty());
  EXPECT_EQ(difference(read(folder / "a.h5").content, content), "");
}

TEST(RoundTrip, ColumnsOfManyChunksComeBack) {
  const TemporaryFolder folder;
  results::Content content = random_content(3, 60'000);
  content.tasks.message[100] = std::string(3'000, 'm');  // 180 MB when padded
  std::vector<std::uint16_t> labels(3'000'000);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint16_t>(i * i);
  const auto entries = static_cast<std::int64_t>(labels.size());
  content.solutions.push_back({named("large"), {5, 6}, {0, 7, entries}, std::move(labels)});
  write(folder / "a.h5", content);
  EXPECT_EQ(difference(read(folder / "a.h5").content, content), "");
}

TEST(RoundTrip, ATextLongerThanAChunkComesBack) {
  const TemporaryFolder folder;
  results::Content content;
  content.config = {{"problem", "list", std::string(3'000'000, 'x')}, {"problem", "seed", "1"}};
  content.provenance.hosts = std::string(200'000, 'h');  // beyond HDF5's 64 KiB of attributes
  write(folder / "a.h5", content);
  EXPECT_EQ(difference(read(folder / "a.h5").content, content), "");
}

// Twelve solutions of 1,000 numbers, of which `different` have other bits than all before; they
// differ in one number, which is a NaN or a zero of either sign in some.
results::Solutions solutions_of_which(std::size_t different) {
  const std::array<double, 4> odd{0.0, -0.0, std::numeric_limits<double>::quiet_NaN(),
                                  -std::numeric_limits<double>::quiet_NaN()};
  std::vector<double> values(12'000);
  results::Solutions solutions{named("moved"), {}, {0}, {}};
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 1'000; ++j) values[1'000 * i + j] = static_cast<double>(j) / 7;
    const std::size_t which = i % different;
    values[1'000 * i + 500] = which < odd.size() ? odd[which] : static_cast<double>(which);
    solutions.task.push_back(static_cast<std::int64_t>(i / 2));
    solutions.offsets.push_back(static_cast<std::int64_t>(1'000 * (i + 1)));
  }
  solutions.values = std::move(values);
  return solutions;
}

std::int64_t rows_of(const std::string& path, const std::string& name) {
  std::int64_t rows = -1;
  edit(path, [&](const Node& root) {
    if (H5Lexists(root.id(), name.c_str(), H5P_DEFAULT) <= 0) return;
    const Object data_set{H5Dopen2(root.id(), name.c_str(), H5P_DEFAULT), "H5Dopen2", path};
    const Space space{H5Dget_space(data_set.get()), "H5Dget_space", path};
    rows = H5Sget_simple_extent_npoints(space.get());
  });
  return rows;
}

TEST(RoundTrip, EqualSolutionsAreStoredOnceAndComeBackBitForBit) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.h5";
  for (const std::size_t different : {1U, 3U, 4U, 5U}) {
    SCOPED_TRACE(different);
    results::Content content = random_content(3, 6);
    content.solutions.push_back(solutions_of_which(different));
    write(path, content, true);
    const results::Content stored = read(path).content;
    const auto& expected = std::get<std::vector<double>>(content.solutions.back().values);
    const auto& found = std::get<std::vector<double>>(stored.solutions.back().values);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), sizeof(double) * expected.size()), 0);
    EXPECT_EQ(stored.solutions.back().offsets, content.solutions.back().offsets);
    EXPECT_EQ(read(path).digest, results::results_digest(content));
    EXPECT_THAT(verify(path), IsEmpty());
    EXPECT_EQ(rows_of(path, "solutions/moved/values"),
              1'000 * static_cast<std::int64_t>(different));
    EXPECT_EQ(rows_of(path, "solutions/moved/vector"), 12);
  }
}

TEST(RoundTrip, SolutionsOfWhichFewAreEqualStandAsTheyAre) {
  const TemporaryFolder folder;
  results::Content content = random_content(3, 6);
  content.solutions.push_back(solutions_of_which(7));
  content.solutions.push_back({named("short"), {0, 1, 2}, {0, 100, 200, 300}, {}});
  content.solutions.back().values = std::vector<double>(300, 1.0);  // less than 4 KiB are saved
  write(folder / "a.h5", content);
  EXPECT_EQ(rows_of(folder / "a.h5", "solutions/moved/values"), 12'000);
  EXPECT_EQ(rows_of(folder / "a.h5", "solutions/moved/vector"), -1);
  EXPECT_EQ(rows_of(folder / "a.h5", "solutions/short/vector"), -1);
  EXPECT_EQ(difference(read(folder / "a.h5").content, content), "");
}

TEST(RoundTrip, EqualContentsGiveEqualFiles) {
  const TemporaryFolder folder;
  const results::Content content = random_content(11, 20);
  write(folder / "a.h5", content);
  write(folder / "b.h5", content);
  EXPECT_EQ(bytes_of(folder / "a.h5"), bytes_of(folder / "b.h5"));
}

TEST(RoundTrip, TheStatusIsPartialWhileATaskIsMissing) {
  const TemporaryFolder folder;
  results::Content content = random_content(12, 3);
  content.tasks.status = {results::TaskStatus::done, results::TaskStatus::failed,
                          results::TaskStatus::missing};
  write(folder / "partial.h5", content);
  content.tasks.status[2] = results::TaskStatus::done;
  write(folder / "complete.h5", content);
  EXPECT_EQ(read(folder / "partial.h5").status, "partial");
  EXPECT_EQ(read(folder / "complete.h5").status, "complete");
}

struct Mistake {
  std::string expected;
  void (*make)(results::Content&);
};

TEST(Write, RefusesContentThatBreaksTheFormatAndWritesNothing) {
  const std::vector<Mistake> mistakes{
      {"/timing/seconds", [](results::Content& c) { c.timing.seconds.pop_back(); }},
      {"/metrics",
       [](results::Content& c) {
         c.metrics.push_back({named("a/b"), {1, 2, 3, 4}});
       }},
      {"/measures/m (values): has 23 rows, must be 24",
       [](results::Content& c) {
         c.measures = {{named("m"), {"train", "test"}, {"all"}, std::vector<double>(23)}};
       }},
      {"occurs twice", [](results::Content& c) { c.solutions.push_back(c.solutions.front()); }},
      {"/tasks/key", [](results::Content& c) { c.tasks.key[1] = "short"; }},
      {"NUL", [](results::Content& c) { c.tasks.message[0] = std::string("a\0b", 3); }},
      {"no direction",
       [](results::Content& c) { c.fronts[0].objectives[0].direction = results::Direction::none; }},
      {"/provenance/datasets/files/sha256",
       [](results::Content& c) { c.datasets.emplace_back().files = {"a"}; }},
  };
  const TemporaryFolder folder;
  for (const Mistake& mistake : mistakes) {
    results::Content content = random_content(13, 4);
    mistake.make(content);
    try {
      write(folder / "a.h5", content);
      ADD_FAILURE() << "accepted: " << mistake.expected;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr(mistake.expected));
    }
  }
  EXPECT_EQ(folder.count_files(), 0u);
}

}  // namespace
}  // namespace fairfront::archive::test
