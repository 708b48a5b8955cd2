#include "data/gzip.hpp"

#include <algorithm>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/data_file.hpp"
#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::HasSubstr;

TEST(Gzip, AFileInflatesToItsTextAndItsHashIsThatOfTheText) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += std::to_string(i) + "\n";
  const DataFile file = read_data_file(folder.write_gzip("t.csv.gz", text));
  EXPECT_EQ(file.text, text);
  EXPECT_EQ(file.sha256, base::sha256_of(text));
  EXPECT_EQ(file.name, "t.csv.gz");
}

TEST(Gzip, MembersFollowEachOther) {
  const TemporaryFolder folder;
  const std::string one = base::read_file(folder.write_gzip("1.gz", "first "));
  const std::string two = base::read_file(folder.write_gzip("2.gz", "second"));
  EXPECT_EQ(inflate_gzip(one + two, "t"), "first second");
}

TEST(Gzip, DamagedAndCutFilesAreRefused) {
  const TemporaryFolder folder;
  const std::string good = base::read_file(folder.write_gzip("t.gz", std::string(9999, 'x')));
  std::string flipped = good;
  flipped[good.size() - 6] = static_cast<char>(flipped[good.size() - 6] ^ 1);
  for (const std::string& bytes : {std::string{}, std::string{"plain text"}, flipped,
                                   good.substr(0, good.size() - 1), good + "tail"}) {
    EXPECT_THAT(input_error([&] { (void)inflate_gzip(bytes, "t.gz"); }),
                HasSubstr("'t.gz' ends in .gz, but is no whole gzip file"));
  }
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

}  // namespace
}  // namespace fairfront::data
