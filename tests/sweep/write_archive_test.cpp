#include "sweep/write_archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "archive/archive.hpp"
#include "base/text.hpp"
#include "parallel/agree.hpp"
#include "results/digest.hpp"
#include "results/sample.hpp"
#include "sweep/shared_folder.hpp"

namespace fairfront::sweep::test {
namespace {

/// With columns of several chunks that wait to be packed: numbers, texts, and codes.
results::Content large_content() {
  results::Content content = results::test::random_content(3, 70'000);
  for (std::size_t i = 0; i < content.tasks.model.size(); ++i) {
    content.tasks.model[i] = "score weights=" + std::to_string(i * i);
  }
  // What a processor may make that is no number.
  const auto no_number = std::bit_cast<double>(0xfff8'0000'0000'0123);
  const results::Quantity none{"none", "", "", results::Direction::none, ""};
  content.metrics.push_back({none, std::vector<double>(70'000, no_number)});
  content.measures.push_back(
      {none, {"test"}, {"all"}, std::vector<double>(210'000, no_number), results::AtGroups::own});
  std::vector<double> weights(400'000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1.0 / static_cast<double>(1 + i);
  const auto entries = static_cast<std::int64_t>(weights.size());
  content.solutions.push_back({{"large", "", "", results::Direction::none, ""},
                               {5, 6},
                               {0, 7, entries},
                               std::move(weights)});
  return content;
}

TEST(WriteArchive, AllRanksTogetherMakeTheFileThatOneMakesAlone) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  results::Content content;
  if (world.is_root()) content = large_content();
  const std::string digest = write_archive(world, folder.archive("together"), content, false);
  if (!world.is_root()) {
    EXPECT_EQ(digest, "");
    return;
  }
  EXPECT_EQ(digest, results::results_digest(content));
  archive::write(folder.archive("alone"), content);
  EXPECT_TRUE(base::read_file(folder.archive("together")) ==
              base::read_file(folder.archive("alone")));
  EXPECT_THAT(archive::verify(folder.archive("together")), testing::IsEmpty());
  EXPECT_EQ(results::test::difference(content, archive::read(folder.archive("together")).content),
            "");
}

TEST(WriteArchive, APlaceThatIsTakenIsOneErrorOnEveryRankAndNothingIsWritten) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  const results::Content content;
  (void)write_archive(world, folder.archive(), content, false);
  try {
    (void)write_archive(world, folder.archive(), content, false);
    ADD_FAILURE() << "no error";
  } catch (const parallel::CollectiveError& error) {
    EXPECT_EQ(error.exit_code(), base::ExitCode::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr("it exists"));
  }
  EXPECT_NO_THROW((void)write_archive(world, folder.archive(), content, true));
}

}  // namespace
}  // namespace fairfront::sweep::test
