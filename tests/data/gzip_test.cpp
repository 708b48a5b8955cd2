#include "data/readers/gzip.hpp"

#include <algorithm>

#include "base/sha256.hpp"
#include "base/stop.hpp"
#include "base/text.hpp"
#include "data/readers/data_file.hpp"
#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::HasSubstr;

/// Reads at most `step` bytes of a text at a time.
ReadBytes in_steps(std::string text, std::size_t step) {
  return [text = std::move(text), step, at = std::size_t{0}](std::span<char> out) mutable {
    const std::size_t count = std::min({step, out.size(), text.size() - at});
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), count, out.begin());
    at += count;
    return count;
  };
}

std::string inflate(const std::string& bytes, std::size_t input_step, std::size_t output_step) {
  GzipReader reader(in_steps(bytes, input_step), "t.gz");
  std::string text;
  std::string piece(output_step, '\0');
  while (const std::size_t count = reader.read(piece)) text.append(piece, 0, count);
  return text;
}

/// What a window shows of a file, piece by piece.
std::string all_of(TextWindow window) {
  std::string text{window.begin(), window.end()};
  while (!window.complete()) {
    window.extend(window.end());
    text.append(window.begin(), window.end());
  }
  return text;
}

TEST(Gzip, AFileInflatesToItsTextAndItsHashIsThatOfTheText) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += std::to_string(i) + "\n";
  DataFile file(folder.write_gzip("t.csv.gz", text));
  EXPECT_EQ(all_of(file.text()), text);
  EXPECT_EQ(file.sha256(), base::sha256_of(text));
  EXPECT_EQ(file.name(), "t.csv.gz");
}

TEST(Gzip, MembersFollowEachOtherInWhateverPiecesTheyCome) {
  const TemporaryFolder folder;
  const std::string one = base::read_file(folder.write_gzip("1.gz", "first "));
  const std::string two = base::read_file(folder.write_gzip("2.gz", "second"));
  for (const std::size_t input : {1u, 7u, 1000u}) {
    for (const std::size_t output : {1u, 3u, 1000u}) {
      EXPECT_EQ(inflate(one + two, input, output), "first second");
    }
  }
}

TEST(Gzip, DamagedAndCutFilesAreRefused) {
  const TemporaryFolder folder;
  const std::string good = base::read_file(folder.write_gzip("t.gz", std::string(9999, 'x')));
  std::string flipped = good;
  flipped[good.size() - 6] = static_cast<char>(flipped[good.size() - 6] ^ 1);
  for (const std::string& bytes : {std::string{}, std::string{"plain text"}, flipped,
                                   good.substr(0, good.size() - 1), good + "tail"}) {
    for (const std::size_t step : {1u, 100'000u}) {
      EXPECT_THAT(input_error([&] { (void)inflate(bytes, step, 100'000); }),
                  HasSubstr("'t.gz' ends in .gz, but is no whole gzip file"));
    }
  }
}

TEST(DataFile, TheHashIsOfTheWholeFileHoweverMuchWasRead) {
  const TemporaryFolder folder;
  const std::string text(1'000'000, 'x');
  DataFile unread(folder.write("t.csv", text));
  EXPECT_EQ(unread.sha256(), base::sha256_of(text));
  DataFile begun(folder.write("t.csv", text));
  (void)begun.text();
  EXPECT_EQ(begun.sha256(), base::sha256_of(text));
  DataFile empty(folder.write("e.csv", ""));
  EXPECT_EQ(empty.sha256(), base::sha256_of(""));
}

TEST(DataFile, WhatCannotBeOpenedIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(input_error([&] { DataFile file(folder.path()); }), HasSubstr("is a directory"));
  EXPECT_THAT(input_error([&] { DataFile file(folder.path() / "none.csv"); }),
              HasSubstr("none.csv': No such file"));
}

TEST(DataFile, ItsTwinWithOrWithoutGzIsFound) {
  const TemporaryFolder folder;
  const std::string packed = folder.write_gzip("a.csv.gz", "a");
  const std::string plain = folder.write("b.csv", "b");
  EXPECT_EQ(find_file(folder.path() / "a.csv"), packed);
  EXPECT_EQ(find_file(folder.path() / "a.csv.gz"), packed);
  EXPECT_EQ(find_file(folder.path() / "b.csv.gz"), plain);
  EXPECT_EQ(find_file(folder.path() / "c.csv"), std::nullopt);
}

TEST(DataFile, AStopEndsReadingWithinABlock) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "long.csv") << std::string(std::size_t{8} << 20, 'x');
  for (const bool hash_only : {false, true}) {
    DataFile file(folder.path() / "long.csv");
    int asked = 0;
    const base::StopScope scope([&] { return ++asked == 3; });
    const auto read = [&] { return hash_only ? file.sha256().size() : all_of(file.text()).size(); };
    EXPECT_THROW((void)read(), base::Interrupted);
    EXPECT_EQ(asked, 3);
  }
}

}  // namespace
}  // namespace fairfront::data
