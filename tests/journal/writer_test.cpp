#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "journal/file.hpp"
#include "journal/sample.hpp"

namespace fairfront::journal::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!condition() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
  return condition();
}

constexpr CommitPolicy only_when_asked{1h, 1'000'000};

TEST(JournalWriter, ARecordIsSyncedByTheClockWithoutAnyFurtherCall) {
  const TestJournal journal;
  JournalWriter writer{journal.path(), 0, 0, {10ms, 1'000}};
  for (int round = 1; round <= 3; ++round) {
    writer.append(small_record(static_cast<std::uint64_t>(round)));
    EXPECT_TRUE(comes_true([&] { return writer.synced() == round; }));
  }
}

TEST(JournalWriter, ManyRecordsAreSyncedTogetherWhenTheBatchIsFull) {
  const TestJournal journal;
  JournalWriter writer{journal.path(), 0, 0, {1h, 3}};
  const int before = faults.syncs;
  writer.append(small_record(1));
  writer.append(small_record(2));
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(writer.synced(), 0);
  EXPECT_EQ(writer.appended(), 2);
  writer.append(small_record(3));
  EXPECT_TRUE(comes_true([&] { return writer.synced() == 3; }));
  EXPECT_EQ(faults.syncs - before, 1);
}

TEST(JournalWriter, NothingIsSyncedWhenNothingWasAppended) {
  const TestJournal journal;
  const int before = faults.syncs;
  JournalWriter writer{journal.path(), 0, 0, {0ms, 1}};
  writer.commit();
  writer.close();
  EXPECT_EQ(faults.syncs, before);
}

TEST(JournalWriter, ACommitReturnsWhenEverythingIsSynced) {
  const TestJournal journal;
  JournalWriter writer{journal.path(), 0, 0, only_when_asked};
  for (std::uint64_t i = 0; i < 10; ++i) writer.append(small_record(i));
  writer.commit();
  EXPECT_EQ(writer.synced(), 10);
  EXPECT_THAT(read_journal(journal.path()).records, SizeIs(10));
}

TEST(JournalWriter, WhatIsAppendedWhileASyncRunsIsSyncedByALaterOne) {
  const TestJournal journal;
  JournalWriter writer{journal.path(), 0, 0, {1ms, 2}};
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    writer.append(small_record(i));
    if (i % 100 == 0) writer.commit();
  }
  EXPECT_TRUE(comes_true([&] { return writer.synced() == 2'000; }));
  writer.close();
  EXPECT_THAT(read_journal(journal.path()).records, SizeIs(2'000));
}

TEST(JournalWriter, ItsDestructorSyncsWhatIsLeft) {
  const TestJournal journal;
  const int before = faults.syncs;
  { JournalWriter{journal.path(), 0, 0, only_when_asked}.append(small_record(1)); }
  EXPECT_EQ(faults.syncs - before, 1);
  EXPECT_THAT(read_journal(journal.path()).records, SizeIs(1));
}

TEST(JournalWriter, AClosedOneRefusesRecordsAndMayBeClosedAgain) {
  const TestJournal journal;
  JournalWriter writer{journal.path(), 0, 0};
  writer.close();
  writer.close();
  EXPECT_THROW(writer.append(small_record(1)), std::logic_error);
  EXPECT_THROW(writer.commit(), std::logic_error);
}

TEST(JournalWriter, TheSameLaunchAndRankTwiceIsRefused) {
  const TestJournal journal;
  journal.write({small_record(1)});
  EXPECT_THAT(input_error_of([&] {
                JournalWriter{journal.path(), 0, 0};
              }),
              AllOf(HasSubstr("0000-000000.log"), HasSubstr("File exists")));
  EXPECT_THAT(read_journal(journal.path()).records, SizeIs(1));
}

TEST(JournalWriter, BadArgumentsAreNamed) {
  const TestJournal journal;
  EXPECT_THROW((JournalWriter{journal.path(), -1, 0}), std::invalid_argument);
  EXPECT_THROW((JournalWriter{journal.path(), 0, -1}), std::invalid_argument);
  EXPECT_THROW((JournalWriter{journal.path(), 0, 0, {-1ms, 64}}), std::invalid_argument);
  EXPECT_THROW((JournalWriter{journal.path(), 0, 0, {2h, 64}}), std::invalid_argument);
  EXPECT_THROW((JournalWriter{journal.path(), 0, 0, {1s, 0}}), std::invalid_argument);
}

TEST(JournalWriter, AMissingFolderIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(input_error_of([&] { JournalWriter(folder / "none", 0, 0); }),
              AllOf(HasSubstr("none"), HasSubstr("No such file")));
}

TEST(JournalWriter, ShortAndInterruptedWritesAreContinued) {
  const TestJournal journal;
  const FaultsEnd end;
  JournalWriter writer{journal.path(), 0, 0};
  for (std::uint64_t i = 0; i < 20; ++i) {
    faults.longest_write = 1 + i;
    faults.interruptions = static_cast<int>(i);
    writer.append(small_record(i));
  }
  writer.close();
  const JournalContents contents = read_journal(journal.path());
  EXPECT_THAT(contents.records, SizeIs(20));
  EXPECT_THAT(contents.warnings, IsEmpty());
}

TEST(JournalWriter, AFailedSyncIsReportedByEveryLaterCallAndNeverRepeated) {
  const TestJournal journal;
  const FaultsEnd end;
  JournalWriter writer{journal.path(), 0, 0, only_when_asked};
  writer.append(small_record(1));
  writer.append(small_record(2));
  writer.commit();
  writer.append(small_record(3));
  const int before = faults.syncs;
  faults.sync_error = EIO;
  const auto is_right =
      AllOf(HasSubstr("cannot sync"), HasSubstr("0000-000000.log"), HasSubstr("Input/output error"),
            HasSubstr("of the 3 tasks appended to it, the first 2 are safe"));
  EXPECT_THAT(input_error_of([&] { writer.commit(); }), is_right);
  faults.sync_error = 0;
  EXPECT_THAT(input_error_of([&] { writer.append(small_record(4)); }), is_right);
  EXPECT_THAT(input_error_of([&] { writer.commit(); }), is_right);
  EXPECT_THAT(input_error_of([&] { writer.close(); }), is_right);
  EXPECT_EQ(faults.syncs - before, 1);
  EXPECT_EQ(writer.synced(), 2);
}

TEST(JournalWriter, AFailedSyncInTheBackgroundIsReportedByTheNextAppend) {
  const TestJournal journal;
  const FaultsEnd end;
  JournalWriter writer{journal.path(), 0, 0, {0ms, 1}};
  const int before = faults.syncs;
  faults.sync_error = ENOSPC;
  writer.append(small_record(1));
  EXPECT_TRUE(comes_true([&] { return faults.syncs > before; }));
  EXPECT_TRUE(comes_true([&] {
    return input_error_of([&] { writer.append(small_record(2)); }).find("No space") !=
           std::string::npos;
  }));
}

// The limit on a file's size stands for a full disk: a write takes a part, the next one fails.
struct SizeLimit {
  explicit SizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  rlimit before{};
};

// Appends until it fails; the number of records that went well.
int append_until_full(JournalWriter& writer, std::string& message) {
  for (int count = 0; count < 100'000; ++count) {
    message = input_error_of(
        [&] { writer.append(small_record(static_cast<std::uint64_t>(count), 1'000)); });
    if (message != "nothing was thrown") return count;
  }
  return -1;
}

void expect_all_safe(const TestJournal* journal, const std::string& path, int count,
                     const std::string& message) {
  EXPECT_GT(count, 0);
  EXPECT_THAT(message,
              HasSubstr("of the " + std::to_string(count) + " tasks appended to it, the first " +
                        std::to_string(count) + " are safe on disk"));
  const JournalContents contents = read_journal(journal ? journal->path() : path);
  EXPECT_THAT(contents.records, SizeIs(count));
  EXPECT_THAT(contents.warnings, IsEmpty()) << "half a record must have been cut off again";
}

TEST(JournalWriter, AFileThatMayNotGrowFurtherKeepsEveryEarlierRecord) {
  const TestJournal journal;
  std::string message;
  int count = 0;
  {
    JournalWriter writer{journal.path(), 0, 0, only_when_asked};
    const SizeLimit limit{20'500};
    count = append_until_full(writer, message);
    EXPECT_EQ(input_error_of([&] { writer.append(small_record(1)); }), message);
    EXPECT_EQ(input_error_of([&] { writer.close(); }), message);
  }
  EXPECT_THAT(message, HasSubstr("File too large"));
  expect_all_safe(&journal, "", count, message);
}

// A small file system of its own; nothing where this process may not mount one.
class SmallDisk {
 public:
  explicit SmallDisk(unsigned long flags = 0) {
    mounted_ = ::mount("tmpfs", (folder_ / "").c_str(), "tmpfs", flags, "size=128k") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2((folder_ / "").c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] std::string journal() const { return folder_ / "a.journal"; }

 private:
  TemporaryFolder folder_;
  bool mounted_ = false;
};

TEST(JournalWriter, AFullDiskKeepsEveryEarlierRecord) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "this process may not mount a file system";
  create_journal(disk.journal(), sample_header());
  JournalWriter writer{disk.journal(), 0, 0, only_when_asked};
  std::string message;
  const int count = append_until_full(writer, message);
  EXPECT_THAT(message, HasSubstr("No space left on device"));
  expect_all_safe(nullptr, disk.journal(), count, message);
}

TEST(JournalWriter, AFullDiskIsReportedAtCheckpointAndHeartbeatAndLeavesNoParts) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "this process may not mount a file system";
  create_journal(disk.journal(), sample_header());
  write_checkpoint(disk.journal(), "key", "the state before");
  EXPECT_THAT(
      input_error_of([&] { write_checkpoint(disk.journal(), "key", std::string(1'000'000, 'x')); }),
      AllOf(HasSubstr("key.checkpoint"), HasSubstr("No space left on device")));
  EXPECT_EQ(read_checkpoint(disk.journal(), "key"), "the state before");
  for (const auto& entry : std::filesystem::directory_iterator{disk.journal()}) {
    EXPECT_NE(entry.path().extension(), ".part");
  }
}

TEST(JournalWriter, AFolderThatMayNotBeWrittenIsNamed) {
  const SmallDisk disk{MS_RDONLY};
  if (!disk.mounted()) GTEST_SKIP() << "this process may not mount a file system";
  EXPECT_THAT(input_error_of([&] { create_journal(disk.journal(), sample_header()); }),
              AllOf(HasSubstr("a.journal"), HasSubstr("Read-only file system")));
}

TEST(JournalWriter, AForkedChildCanNeitherWriteNorDisturbItsParent) {
  const TestJournal journal;
  JournalWriter writer{journal.path(), 0, 0, only_when_asked};
  writer.append(small_record(1));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool refused = false;
    try {
      writer.append(small_record(2));
    } catch (const std::logic_error&) {
      refused = true;
    }
    writer.~JournalWriter();
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  writer.append(small_record(3));
  writer.close();
  EXPECT_THAT(read_journal(journal.path()).records, SizeIs(2));
}

/// What is done with a journal's path while its run goes on.
class Shared {
 public:
  Shared() { std::filesystem::create_directory(victim); }
  void move() const { std::filesystem::rename(journal.path(), moved); }

  const TestJournal journal;
  const std::string moved = journal.path() + ".moved";
  const std::string victim = journal.path() + ".victim";
};

/// The writer looks once a second.
void wait_for_a_look() { std::this_thread::sleep_for(1100ms); }

TEST(JournalWriter, NothingIsWrittenIntoWhatTakesTheFoldersPlace) {
  const Shared shared;
  JournalWriter writer{shared.journal.path(), 0, 0};
  writer.append(small_record(1));
  shared.move();
  std::filesystem::create_directory_symlink(shared.victim, shared.journal.path());
  wait_for_a_look();
  const auto append = [&] { writer.append(small_record(2)); };
  for (int again = 0; again < 2; ++again) {
    EXPECT_THAT(input_error_of(append), AllOf(HasSubstr("was replaced while the run goes on"),
                                              HasSubstr("a link"), HasSubstr(shared.moved)));
  }
  EXPECT_THROW(writer.close(), LostJournal);
  EXPECT_TRUE(std::filesystem::is_empty(shared.victim));
  EXPECT_THAT(read_journal(shared.moved).records, SizeIs(1));
}

TEST(JournalWriter, AFolderWithOtherThingsIsNoJournalToGoOnIn) {
  const Shared shared;
  JournalWriter writer{shared.journal.path(), 0, 0};
  shared.move();
  std::filesystem::rename(shared.victim, shared.journal.path());
  put_bytes(shared.journal.path() + "/thesis.txt", "precious");
  EXPECT_THAT(input_error_of([&] { writer.commit(); }), HasSubstr("it is no journal"));
  EXPECT_FALSE(std::filesystem::exists(shared.journal.log()));
}

TEST(JournalWriter, AFolderThatIsGoneIsMadeAgainWithoutWaitingForARecord) {
  const Shared shared;
  JournalWriter writer{shared.journal.path(), 0, 0};
  writer.append(small_record(1));
  std::filesystem::remove_all(shared.journal.path());
  EXPECT_EQ(writer.folder().place(), base::Folder::Place::gone);
  wait_for_a_look();
  writer.watch();
  EXPECT_EQ(writer.times_restored(), 1);
  EXPECT_EQ(writer.folder().place(), base::Folder::Place::same);
  EXPECT_THAT(read_journal(shared.journal.path()).records, SizeIs(1));
}

}  // namespace
}  // namespace fairfront::journal::test
