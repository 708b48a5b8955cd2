#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "journal/file.hpp"
#include "journal/sample.hpp"
#include "results/sweep_identity.hpp"

namespace fairfront::journal::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

std::string flipped(std::string bytes, std::size_t place) {
  bytes[place] = static_cast<char>(bytes[place] ^ 4);
  return bytes;
}

TEST(SweepIdentityFile, ComesBackWithEveryField) {
  const TestJournal journal;
  const results::SweepIdentity header = read_journal_header(journal.path());
  EXPECT_EQ(results::first_difference(sample_header(), header), std::nullopt);
  EXPECT_EQ(header.sweep_digest, sample_header().sweep_digest);
  EXPECT_EQ(header.program_version, "0.1.0");
}

TEST(SweepIdentityFile, CanBeReplaced) {
  const TestJournal journal;
  results::SweepIdentity wider = sample_header();
  wider.axes[0].values.push_back("4");
  rewrite_header(journal.path(), wider);
  EXPECT_EQ(results::first_difference(read_journal_header(journal.path()), wider), std::nullopt);
}

TEST(SweepIdentityFile, AnyFlippedBitOrCutIsAnErrorThatNamesTheFile) {
  const TestJournal journal;
  const std::string path = journal_file(journal.path(), "header");
  const std::string bytes = bytes_of(path);
  const auto error_with = [&](const std::string& damaged) {
    put_bytes(path, damaged);
    return input_error_of([&] { static_cast<void>(read_journal(journal.path())); });
  };
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    EXPECT_THAT(error_with(flipped(bytes, place)), AllOf(HasSubstr(path), HasSubstr("damaged")));
    EXPECT_THAT(error_with(bytes.substr(0, place)), AllOf(HasSubstr(path), HasSubstr("damaged")));
  }
  EXPECT_THAT(error_with(bytes + "x"), HasSubstr("damaged"));
}

TEST(SweepIdentityFile, AnotherKindOfFileIsNamed) {
  const TestJournal journal;
  write_checkpoint(journal.path(), "key", "state");
  fs::rename(journal_file(journal.path(), "key.checkpoint"),
             journal_file(journal.path(), "header"));
  EXPECT_THAT(
      input_error_of([&] { static_cast<void>(read_journal_header(journal.path())); }),
      HasSubstr("it is a 'fairfront journal checkpoint', not a 'fairfront journal header'"));
}

TEST(SweepIdentityFile, OneThatIsADirectoryIsAnError) {
  const TestJournal journal;
  fs::remove(journal_file(journal.path(), "header"));
  fs::create_directory(journal_file(journal.path(), "header"));
  EXPECT_THAT(input_error_of([&] { static_cast<void>(read_journal(journal.path())); }),
              HasSubstr("directory"));
}

TEST(JournalFolder, IsBesideTheArchive) { EXPECT_EQ(journal_path("x/a.h5"), "x/a.h5.journal"); }

TEST(JournalFolder, ExistsOnceItsHeaderDoes) {
  const TemporaryFolder folder;
  const std::string journal = folder / "a.journal";
  EXPECT_FALSE(journal_exists(journal));
  fs::create_directory(journal);  // where a kill right after mkdir leaves it
  EXPECT_FALSE(journal_exists(journal));
  create_journal(journal, sample_header());
  EXPECT_TRUE(journal_exists(journal));
}

TEST(JournalFolder, AnExistingJournalIsNotReplaced) {
  const TestJournal journal;
  EXPECT_THAT(input_error_of([&] { create_journal(journal.path(), sample_header()); }),
              AllOf(HasSubstr(journal.path()), HasSubstr("--resume")));
}

TEST(JournalFolder, LogsWithoutAHeaderAreNotTakenOver) {
  const TestJournal journal;
  put_bytes(journal.log(), "a log by its name");
  fs::remove(journal_file(journal.path(), "header"));
  EXPECT_FALSE(journal_exists(journal.path()));
  EXPECT_THAT(input_error_of([&] { create_journal(journal.path(), sample_header()); }),
              HasSubstr("no header"));
}

TEST(JournalFolder, ALostOrDamagedHeaderIsFoundInALog) {
  const TestJournal journal;
  journal.write({small_record(1)});
  results::SweepIdentity wider = sample_header();
  wider.axes[0].values.push_back("4");
  rewrite_header(journal.path(), wider);
  journal.write({small_record(2)}, 1, 4);
  const std::string header = journal_file(journal.path(), "header");
  const std::string bytes = bytes_of(header);
  for (const std::string& damaged :
       {std::string{}, flipped(bytes, 20), flipped(bytes, bytes.size() - 1), bytes + "x"}) {
    fs::remove(header);
    if (!damaged.empty()) put_bytes(header, damaged);
    EXPECT_TRUE(journal_exists(journal.path()));
    const JournalContents contents = read_journal(journal.path());
    EXPECT_TRUE(contents.header_lost);
    EXPECT_EQ(results::first_difference(contents.header, wider), std::nullopt);
    EXPECT_EQ(contents.records.size(), 2u);
    EXPECT_THAT(contents.warnings, testing::ElementsAre(AllOf(HasSubstr("lost or damaged"),
                                                              HasSubstr("0001-000004.log"))));
  }
  rewrite_header(journal.path(), wider);
  EXPECT_THAT(read_journal(journal.path()).warnings, testing::IsEmpty());
}

/// A header names every data set, and a log may hold few results.
TEST(JournalFolder, FewLogsOfManyRanksHoldTheHeaderAndEachOfThoseSuffices) {
  const TestJournal journal;
  results::SweepIdentity large = sample_header();
  large.axes[0].values.assign(10'000, "a value");
  rewrite_header(journal.path(), large);
  const std::string header = journal_file(journal.path(), "header");
  const auto length = fs::file_size(header);
  std::vector<std::string> copies;
  for (int rank = 0; rank < 40; ++rank) {
    journal.write({small_record(static_cast<std::uint64_t>(rank))}, 0, rank);
    const std::string log = journal_file(journal.path(), log_name(0, rank));
    if (fs::file_size(log) > length) copies.push_back(log);
    EXPECT_TRUE(fs::file_size(log) > length || fs::file_size(log) < 1'000) << rank;
  }
  EXPECT_EQ(copies.size(), 7u);  // ranks 0, 1, 2, 4, 8, 16, 32
  fs::remove(header);
  for (const std::string& log : copies) {
    const JournalContents contents = read_journal(journal.path());
    EXPECT_EQ(results::first_difference(contents.header, large), std::nullopt);
    fs::remove(log);
  }
  EXPECT_FALSE(journal_exists(journal.path()));
}

TEST(JournalFolder, OneThatIsDeletedOrMovedIsWrittenAgain) {
  for (const bool moved : {false, true}) {
    const TestJournal journal;
    JournalWriter writer(journal.path(), 0, 0);
    writer.append(small_record(1));
    if (moved) {
      fs::rename(journal.path(), journal.path() + ".moved");
    } else {
      fs::remove_all(journal.path());
    }
    writer.commit();
    EXPECT_EQ(writer.times_restored(), 1);
    writer.append(small_record(2));
    fs::remove_all(journal.path());
    writer.close();
    EXPECT_EQ(writer.times_restored(), 2);
    const JournalContents contents = read_journal(journal.path());
    EXPECT_EQ(bits_of(contents.records), bits_of({small_record(1), small_record(2)}));
    EXPECT_EQ(results::first_difference(contents.header, sample_header()), std::nullopt);
  }
}

TEST(JournalFolder, OneThatIsNotThereIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(input_error_of([&] { static_cast<void>(read_journal(folder / "none")); }),
              AllOf(HasSubstr("No such file"), HasSubstr("none")));
  EXPECT_THAT(input_error_of([&] { create_journal(folder / "no/such", sample_header()); }),
              HasSubstr("No such file"));
  put_bytes(folder / "file", "x");
  EXPECT_THAT(input_error_of([&] { create_journal(folder / "file", sample_header()); }),
              HasSubstr("file"));
}

TEST(JournalFolder, WithoutALogItIsAJournalWithFewerTasks) {
  const TestJournal mine;
  mine.write({small_record(1)}, 0, 2);
  mine.write({small_record(2)}, 1, 2);
  for (int time = 0; time < 2; ++time) {  // nothing there: nothing happens
    remove_log({base::Folder(mine.path()), 0, 2});
    const JournalContents journal = read_journal(mine.path());
    ASSERT_EQ(journal.records.size(), 1u);
    EXPECT_EQ(journal.records[0].key, small_record(2).key);
  }
}

TEST(JournalFolder, RemovingTakesEverythingOfOursAndNothingElse) {
  const TestJournal mine;
  mine.write({small_record(1)});
  write_checkpoint(mine.path(), "key", "state");
  write_heartbeat(mine.path(), {});
  { const JournalLock lock{mine.path()}; }
  put_bytes(journal_file(mine.path(), "key.checkpoint.part"), "left by a kill");
  const std::vector<std::string> others{"notes.txt", "notes.log", "archive.part", "my heartbeat"};
  for (const std::string& name : others) put_bytes(journal_file(mine.path(), name), "precious");
  remove_journal(mine.path());
  for (const std::string& name : others) {
    EXPECT_EQ(bytes_of(journal_file(mine.path(), name)), "precious");
  }
  EXPECT_EQ(std::distance(fs::directory_iterator{mine.path()}, {}), std::ssize(others));
  for (const std::string& name : others) fs::remove(journal_file(mine.path(), name));
  remove_journal(mine.path());
  EXPECT_FALSE(fs::exists(mine.path()));
  remove_journal(mine.path());  // nothing there: nothing happens
}

struct Change {
  std::function<void(results::SweepIdentity&)> make;
  std::string expected;
};

TEST(SweepDifference, ProseIsNoDifference) {
  results::SweepIdentity reworded = sample_header();
  reworded.datasets[0].recipe = "few columns";
  reworded.datasets[0].source = "elsewhere";
  reworded.program_version = "9";
  EXPECT_EQ(results::first_difference(sample_header(), reworded), std::nullopt);
  EXPECT_EQ(results::sweep_digest_of(reworded), results::sweep_digest_of(sample_header()));
}

TEST(SweepDifference, NamesTheFirstChangeOfEachPart) {
  const std::vector<Change> changes{
      {[](auto& h) { h.experiment = "ranking"; }, "experiment: clustering there, ranking here"},
      {[](auto& h) { h.config[1].value = "4"; }, "kmeans.clusters: 3 there, 4 here"},
      {[](auto& h) { h.config[1].value = ""; }, "kmeans.clusters: 3 there, '' here"},
      {[](auto& h) { h.config.pop_back(); }, "kmeans.clusters: 3 there, not set here"},
      {[](auto& h) {
         h.config.push_back({"a", "b", "c"});
       },
       "a.b: not set there, c here"},
      {[](auto& h) { h.axes[0].values[1] = "7"; }, "value 2 of axis kmeans.seed: 2 there, 7 here"},
      {[](auto& h) { h.axes[0].values.push_back("4"); },
       "number of values of axis kmeans.seed: 3 there, 4 here"},
      {[](auto& h) { h.axes[0].name = "x"; }, "axis 1: kmeans.seed there, x here"},
      {[](auto& h) { h.axes.clear(); }, "number of axes: 1 there, 0 here"},
      {[](auto& h) { h.datasets[0].name = "bank"; }, "data set: adult there, bank here"},
      {[](auto& h) { h.datasets[0].sha256[0] = "11"; },
       "data set adult: SHA-256 of file 1: 00ff there, 11 here"},
      {[](auto& h) { h.datasets[0].digest = "other"; },
       "data set adult: digest: digest there, other here"},
      {[](auto& h) { h.datasets.clear(); }, "number of data sets: 1 there, 0 here"},
      {[](auto& h) { h.revisions[1] = "safair=3"; },
       "solver revision: safair=2 there, safair=3 here"},
      {[](auto& h) { h.tasks = 4; }, "number of tasks: 3 there, 4 here"},
  };
  for (const Change& change : changes) {
    results::SweepIdentity changed = sample_header();
    change.make(changed);
    EXPECT_EQ(results::first_difference(sample_header(), changed), change.expected);
    EXPECT_NE(results::sweep_digest_of(changed), results::sweep_digest_of(sample_header()))
        << change.expected;
  }
}

TEST(SweepDifference, TheFirstPartIsNamedWhenSeveralDiffer) {
  results::SweepIdentity changed = sample_header();
  changed.tasks = 4;
  changed.axes[0].values.push_back("4");
  changed.config[1].value = "5";
  EXPECT_EQ(results::first_difference(sample_header(), changed),
            "kmeans.clusters: 3 there, 5 here");
}

TEST(SweepDifference, OrderOfOptionsAndProgramVersionDoNotMatter) {
  results::SweepIdentity changed = sample_header();
  std::swap(changed.config[0], changed.config[1]);
  changed.program_version = "9.9.9";
  EXPECT_EQ(results::first_difference(sample_header(), changed), std::nullopt);
  EXPECT_EQ(results::sweep_digest_of(changed), results::sweep_digest_of(sample_header()));
}

TEST(SweepDifference, TheMessageStaysShortAndShowsThePlace) {
  results::SweepIdentity there = sample_header();
  results::SweepIdentity here = sample_header();
  there.config[1].value = std::string(5'000, '1') + "2" + std::string(5'000, '1');
  here.config[1].value = std::string(10'001, '1');
  const std::string message = results::first_difference(there, here).value_or("");
  EXPECT_LT(message.size(), 200u);
  EXPECT_THAT(message, HasSubstr("...1111111111111111111121111"));
}

TEST(JournalLocks, ASecondRunIsRefusedUntilTheFirstEnds) {
  const TestJournal journal;
  {
    const JournalLock first{journal.path()};
    EXPECT_EQ(first.warning(), "");
    EXPECT_THAT(input_error_of([&] { JournalLock{journal.path()}; }),
                AllOf(HasSubstr(journal.path()),
                      HasSubstr("in use by process " + std::to_string(::getpid()) + " on host"),
                      HasSubstr("wait for that run or stop it")));
  }
  EXPECT_EQ(JournalLock{journal.path()}.warning(), "");
}

TEST(JournalLocks, WithoutAJournalThereIsNothingToLock) {
  const TemporaryFolder folder;
  EXPECT_THAT(input_error_of([&] { JournalLock{folder / "none"}; }), HasSubstr("No such file"));
}

TEST(JournalLocks, AFileSystemWithoutLocksIsAWarningAndOtherFailuresAreErrors) {
  const TestJournal journal;
  const FaultsEnd end;
  faults.lock_error = ENOSYS;
  EXPECT_THAT(JournalLock{journal.path()}.warning(),
              AllOf(HasSubstr(journal.path()), HasSubstr("has no locks")));
  faults.lock_error = EIO;
  EXPECT_THAT(input_error_of([&] { JournalLock{journal.path()}; }),
              HasSubstr("Input/output error"));
}

TEST(JournalHeartbeat, ComesBackWithEveryField) {
  const TestJournal journal;
  EXPECT_FALSE(read_heartbeat(journal.path()));
  const std::vector<std::string> running{"task 3 on rank 1 since 41 s"};
  write_heartbeat(journal.path(), {1e9 + 0.25, "node7", 4711,       8,   "123",     5,        1,
                                   10,         3,       4,          2.5, "guessed", 4,        7.5,
                                   6.25,       {3, 1},  {2.5, 0.5}, {7}, running,   "running"});
  const auto found = read_heartbeat(journal.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->unix_seconds, 1e9 + 0.25);
  EXPECT_EQ(found->host, "node7");
  EXPECT_EQ(found->process, 4711);
  EXPECT_EQ(found->ranks, 8);
  EXPECT_EQ(found->slurm_job, "123");
  EXPECT_EQ(found->done, 5);
  EXPECT_EQ(found->failed, 1);
  EXPECT_EQ(found->total, 10);
  EXPECT_EQ(found->other_done, 3);
  EXPECT_EQ(found->other_failed, 4);
  EXPECT_EQ(found->seconds_left, 2.5);
  EXPECT_EQ(found->sureness, "guessed");
  EXPECT_EQ(found->ended, 4);
  EXPECT_EQ(found->elapsed, 7.5);
  EXPECT_EQ(found->task_seconds, 6.25);
  EXPECT_THAT(found->slowest_tasks, testing::ElementsAre(3, 1));
  EXPECT_THAT(found->slowest_seconds, testing::ElementsAre(2.5, 0.5));
  EXPECT_THAT(found->failed_tasks, testing::ElementsAre(7));
  EXPECT_EQ(found->running, running);
  EXPECT_EQ(found->state, "running");
}

TEST(JournalHeartbeat, ALaterOneMayHaveAnEarlierTime) {
  const TestJournal journal;
  for (const double seconds : {2e9, 1e9, -1.0}) {
    Heartbeat heartbeat;
    heartbeat.unix_seconds = seconds;
    write_heartbeat(journal.path(), heartbeat);
    EXPECT_EQ(read_heartbeat(journal.path()).value_or(Heartbeat{}).unix_seconds, seconds);
  }
}

TEST(JournalHeartbeat, ADamagedOneReadsAsNothing) {
  const TestJournal journal;
  write_heartbeat(journal.path(), {});
  const std::string path = journal_file(journal.path(), "heartbeat");
  const std::string bytes = bytes_of(path);
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    put_bytes(path, flipped(bytes, place));
    EXPECT_FALSE(read_heartbeat(journal.path())) << place;
    put_bytes(path, bytes.substr(0, place));
    EXPECT_FALSE(read_heartbeat(journal.path())) << place;
  }
}

TEST(JournalCheckpoint, AnyBytesComeBackAndTheLastOnesCount) {
  const TestJournal journal;
  EXPECT_EQ(read_checkpoint(journal.path(), "key"), std::nullopt);
  for (const std::string& bytes : {std::string{"state"}, std::string{}, std::string("\0\xff", 2),
                                   std::string(3'000'000, 'x'), std::string{"short"}}) {
    write_checkpoint(journal.path(), "key", bytes);
    EXPECT_EQ(read_checkpoint(journal.path(), "key"), bytes);
    EXPECT_EQ(read_checkpoint(journal.path(), "other"), std::nullopt);
  }
  remove_checkpoint(journal.path(), "key");
  EXPECT_EQ(read_checkpoint(journal.path(), "key"), std::nullopt);
  remove_checkpoint(journal.path(), "key");
}

TEST(JournalCheckpoint, ADamagedOneIsAnErrorThatNamesIt) {
  const TestJournal journal;
  write_checkpoint(journal.path(), "key", "a state of some length");
  const std::string path = checkpoint_path(journal.path(), "key");
  const std::string bytes = bytes_of(path);
  const auto refused = [&](const std::string& damaged, std::size_t place) {
    put_bytes(path, damaged);
    EXPECT_THAT(input_error_of([&] { static_cast<void>(read_checkpoint(journal.path(), "key")); }),
                HasSubstr(path))
        << place;
  };
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    refused(flipped(bytes, place), place);
    refused(bytes.substr(0, place), place);
  }
  refused(bytes + "more", bytes.size());
}

/// Its bytes changed with the checksum that belongs to them.
TEST(JournalCheckpoint, AChangedStateWithARightChecksumIsAnError) {
  const TestJournal journal;
  write_checkpoint(journal.path(), "key", "a state with a count of 7");
  const std::string path = checkpoint_path(journal.path(), "key");
  const std::string payload =
      bytes_of(path).substr(kind_frame("checkpoint").size() + frame_header_bytes);
  for (std::size_t place = 0; place < payload.size(); ++place) {
    replace_sealed(journal.path(), "key.checkpoint", "checkpoint", view_of(flipped(payload, place)),
                   base::Durability::survives_process);
    EXPECT_THAT(input_error_of([&] { static_cast<void>(read_checkpoint(journal.path(), "key")); }),
                AllOf(HasSubstr(path), HasSubstr("was changed")))
        << place;
  }
}

TEST(JournalCheckpoint, TheStateOfAnotherTaskIsAnError) {
  const TestJournal journal;
  write_checkpoint(journal.path(), "key", "state");
  fs::rename(checkpoint_path(journal.path(), "key"), checkpoint_path(journal.path(), "other"));
  EXPECT_THAT(input_error_of([&] { static_cast<void>(read_checkpoint(journal.path(), "other")); }),
              HasSubstr("state of another task"));
}

/// None of these ends, or begins, by itself.
TEST(JournalFiles, PipesAndDevicesInThePlaceOfFilesAreNotWaitedFor) {
  for (const bool device : {false, true}) {
    const TestJournal journal;
    for (const char* name : {"header", "heartbeat", "key.checkpoint"}) {
      const std::string path = journal_file(journal.path(), name);
      fs::remove(path);
      if (device) {
        fs::create_symlink("/dev/zero", path);
      } else {
        ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
      }
    }
    EXPECT_THAT(input_error_of([&] { static_cast<void>(read_journal(journal.path())); }),
                AllOf(HasSubstr("header"), HasSubstr(device ? "is a link" : "not a regular file")));
    EXPECT_FALSE(read_heartbeat(journal.path()));
    EXPECT_THAT(input_error_of([&] { static_cast<void>(read_checkpoint(journal.path(), "key")); }),
                HasSubstr(device ? "is a link" : "not a regular file"));
  }
}

TEST(JournalFiles, LinksInTheirPlaceAreRefusedOrReplacedAndNeverFollowed) {
  const TestJournal journal;
  const TemporaryFolder folder;
  const std::string victim = folder / "thesis.txt";
  put_bytes(victim, "precious");
  const auto place = [&](const char* name) { return journal_file(journal.path(), name); };
  const auto lock = [&] { const JournalLock held(journal.path()); };
  fs::create_symlink(victim, place("lock"));
  EXPECT_THAT(input_error_of(lock), AllOf(HasSubstr("lock"), HasSubstr("is a link")));
  fs::remove(place("lock"));
  fs::create_hard_link(victim, place("lock"));
  EXPECT_THAT(input_error_of(lock), HasSubstr("is a link"));
  fs::remove(place("lock"));
  fs::create_symlink(victim, place("key.checkpoint.part"));
  fs::create_hard_link(victim, place("heartbeat.part"));
  write_checkpoint(journal.path(), "key", "state");
  write_heartbeat(journal.path(), {});
  EXPECT_EQ(read_checkpoint(journal.path(), "key"), "state");
  fs::create_symlink(victim, journal.log());
  EXPECT_THAT(input_error_of([&] { static_cast<void>(read_journal(journal.path())); }),
              AllOf(HasSubstr("0000-000000.log"), HasSubstr("is a link")));
  EXPECT_THAT(input_error_of([&] { JournalWriter(journal.path(), 0, 0).close(); }),
              HasSubstr("File exists"));
  EXPECT_EQ(bytes_of(victim), "precious");
}

TEST(JournalFiles, AFolderOfSomebodyElseIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const TestJournal journal;
  constexpr uid_t somebody = 12345;
  ASSERT_EQ(::chown(journal.path().c_str(), somebody, somebody), 0);
  const auto refused = AllOf(HasSubstr(journal.path()), HasSubstr("belongs to another user"));
  EXPECT_THAT(input_error_of([&] { const JournalLock lock(journal.path()); }), refused);
  fs::remove(journal_file(journal.path(), "header"));
  EXPECT_THAT(input_error_of([&] { create_journal(journal.path(), sample_header()); }), refused);
  EXPECT_TRUE(fs::is_empty(journal.path()));
}

TEST(JournalHeartbeat, OneThatIsFarTooLongIsNotReadWhole) {
  const TestJournal journal;
  Heartbeat heartbeat;
  heartbeat.state = std::string(2 << 20, 'x');
  write_heartbeat(journal.path(), heartbeat);
  EXPECT_FALSE(read_heartbeat(journal.path()));
}

TEST(SweepIdentityFile, ARoleThatDoesNotExistIsDamage) {
  const TestJournal journal;
  results::SweepIdentity changed = sample_header();
  changed.axes[0].role = static_cast<base::Role>(9);
  rewrite_header(journal.path(), changed);
  EXPECT_THAT(input_error_of([&] { static_cast<void>(read_journal_header(journal.path())); }),
              AllOf(HasSubstr("damaged"), HasSubstr("role is 9")));
}

TEST(JournalCheckpoint, AForeignFileInItsPlaceIsAnError) {
  const TestJournal journal;
  const std::string path = checkpoint_path(journal.path(), "key");
  put_bytes(path, bytes_of(journal_file(journal.path(), "header")));
  EXPECT_THAT(
      input_error_of([&] { static_cast<void>(read_checkpoint(journal.path(), "key")); }),
      HasSubstr("it is a 'fairfront journal header', not a 'fairfront journal checkpoint'"));
}

TEST(JournalCheckpoint, AKeyThatIsNoFileNameIsRefused) {
  const TestJournal journal;
  EXPECT_THROW(write_checkpoint(journal.path(), "../x", "state"), std::invalid_argument);
  EXPECT_THROW(write_checkpoint(journal.path(), "", "state"), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::journal::test
