#include "parallel/side_job.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parallel/agree.hpp"
#include "parallel/texts.hpp"

namespace fairfront::parallel {
namespace {

/// Answers with what it was told, runs of one kind together: "0:abc1:d", long ones by their length.
class Repeater : public Listener {
 public:
  explicit Repeater(std::size_t fails_after = 1U << 30U) : fails_after_{fails_after} {}
  void take(int kind, std::span<const std::byte> bytes) override {
    if (told_.empty() || told_.back().first != kind) told_.emplace_back(kind, "");
    told_.back().second.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (told_.back().second.size() > fails_after_) throw std::runtime_error("cannot listen");
  }
  std::string answer() override {
    std::string answer;
    for (const auto& [kind, text] : told_) {
      answer += std::to_string(kind) + ":" + (text.size() < 99 ? text : summary_of(text)) + ";";
    }
    return answer;
  }
  static std::string summary_of(const std::string& text) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      sum = 31 * sum + static_cast<unsigned char>(text[i]);
    }
    return std::to_string(text.size()) + " bytes " + std::to_string(sum);
  }

 private:
  std::size_t fails_after_;
  std::vector<std::pair<int, std::string>> told_;
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

/// No two parts of it are equal.
std::string long_text(std::size_t length) {
  std::string text(length, '\0');
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>((i >> 7U) ^ i);
  return text;
}

/// What rank 0 hears of what it tells; empty elsewhere.
std::string ask(const Comm& comm, int worker, const SideJob::Speech& speech) {
  if (comm.rank() != 0 && comm.rank() != worker) return "";
  SideJob job(comm, worker, 3, speech, std::make_unique<Repeater>());
  job.begin();
  const std::string answer = job.finish();
  return comm.is_root() ? answer : "";
}

TEST(SideJob, TheWorkerHearsWhatRankZeroTellsInItsOrder) {
  const Comm world(MPI_COMM_WORLD);
  const std::string text = long_text(20'000'001);
  const auto speech = [&](Teller& teller) {
    teller.tell(0, bytes_of("a"));
    teller.tell(0, bytes_of("bc"));
    teller.tell(1, bytes_of("d"));
    teller.tell(2, bytes_of(text));
    teller.tell(2, bytes_of("e"));
    teller.tell(0, bytes_of(""));
    for (int i = 0; i < 30; ++i) teller.tell(3, bytes_of(text).first(60'000));
  };
  std::string many;
  for (int i = 0; i < 30; ++i) many += text.substr(0, 60'000);
  for (int worker = 1; worker < world.size(); ++worker) {
    const std::string answer = ask(world, worker, speech);
    if (!world.is_root()) continue;
    EXPECT_EQ(answer, "0:abc;1:d;2:" + Repeater::summary_of(text + "e") +
                          ";3:" + Repeater::summary_of(many) + ";");
  }
}

TEST(SideJob, WithoutAnythingToTellHasAnAnswer) {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "nobody listens";
  EXPECT_EQ(ask(world, world.size() - 1, [](Teller&) {}), "");
}

/// Beside collectives of all ranks and another job, on a split communicator.
TEST(SideJob, SeveralRunBesideOtherMessages) {
  const Comm world(MPI_COMM_WORLD);
  const Comm half = world.split(world.rank() % 2);
  if (half.size() == 1) return;
  const std::string text = long_text(9'000'000);
  std::optional<SideJob> first;
  std::optional<SideJob> second;
  const auto speech = [&](Teller& teller) { teller.tell(7, bytes_of(text)); };
  if (half.rank() < 2) {
    first.emplace(half, 1, 0, speech, std::make_unique<Repeater>()).begin();
    second.emplace(half, 1, 1, speech, std::make_unique<Repeater>()).begin();
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(all_reduce_sum(half, 1), half.size());
  for (std::optional<SideJob>* job : {&second, &first}) {
    if (!*job) continue;
    const std::string answer = (*job)->finish();
    const std::string all = "7:" + Repeater::summary_of(text) + ";";
    EXPECT_TRUE(!half.is_root() || answer == all);
  }
}

/// Of a job whose speech or listener fails after some megabytes; and that all are in step then.
void expect_error(const Comm& world, const SideJob::Speech& speech, std::size_t fails_after,
                  const std::string& reason) {
  std::optional<SideJob> job;
  if (world.rank() < 2) {
    job.emplace(world, 1, 0, speech, std::make_unique<Repeater>(fails_after)).begin();
  }
  std::string found = "no error";
  try {
    agree(world, "", [&] {
      if (job) (void)job->finish();
    });
  } catch (const CollectiveError& error) {
    found = error.what();
  }
  EXPECT_EQ(found, reason);
  EXPECT_EQ(all_reduce_sum(world, 1), world.size());
}

TEST(SideJob, AFailureOfEitherSideIsOneErrorAndNobodyWaits) {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "nobody listens";
  const std::string text = long_text(30'000'000);
  const auto speech = [&](Teller& teller) { teller.tell(0, bytes_of(text)); };
  expect_error(world, speech, 2'000'000, "cannot listen (rank 1)");
  const auto stutter = [&](Teller& teller) {
    teller.tell(0, bytes_of(text).first(5'000'000));
    throw std::runtime_error("cannot speak");
  };
  expect_error(world, stutter, text.size(), "cannot speak");
}

TEST(SideJob, ThatNobodyFinishesEndsWithItsOwner) {
  const Comm world(MPI_COMM_WORLD);
  const std::string text = long_text(30'000'000);
  if (world.size() > 1 && world.rank() < 2) {
    SideJob(
        world, 1, 0, [&](Teller& teller) { teller.tell(0, bytes_of(text)); },
        std::make_unique<Repeater>())
        .begin();
  }
  EXPECT_EQ(all_reduce_sum(world, 1), world.size());
}

}  // namespace
}  // namespace fairfront::parallel
