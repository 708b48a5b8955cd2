#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

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
