#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>

#include "archive/archive.hpp"
#include "base/error.hpp"
#include "journal/file.hpp"
#include "journal/frame.hpp"
#include "journal/record.hpp"
#include "journal/sample.hpp"
#include "results/content.hpp"
#include "results/task_record.hpp"

namespace fairfront::journal::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ByteView payload_of(const Bytes& frame) { return ByteView{frame}.subspan(frame_header_bytes); }

results::TaskRecord done(const std::string& key, double value) {
  results::TaskRecord record;
  record.key = key;
  record.status = results::TaskStatus::done;
  record.result.metrics["value"] = value;
  return record;
}
results::TaskRecord failed(const std::string& key, const std::string& message) {
  results::TaskRecord record;
  record.key = key;
  record.status = results::TaskStatus::failed;
  record.message = message;
  return record;
}

TEST(JournalCrc, IsTheCastagnoliPolynomial) {
  // RFC 3720, appendix B.4, and the usual check value.
  EXPECT_EQ(crc32c(Bytes(32, 0x00)), 0x8a9136aau);
  EXPECT_EQ(crc32c(Bytes(32, 0xff)), 0x62a8ab43u);
  EXPECT_EQ(crc32c(view_of("123456789")), 0xe3069283u);
}

TEST(JournalRecord, AnyRecordComesBackBitForBit) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const results::TaskRecord record = random_record(seed);
    Bytes frame;
    write_record_frame(record, frame);
    results::TaskRecord back = read_record_head(payload_of(frame));
    if (back.status == results::TaskStatus::done)
      back.result = read_record_result(payload_of(frame));
    RC_ASSERT(bits_of(back) == bits_of(record));
  }));
}

TEST(JournalRecord, AnyBytesAreReadOrRefusedButNeverCrash) {
  EXPECT_TRUE(rc::check([](Bytes bytes, std::uint64_t seed) {
    Bytes frame;
    write_record_frame(random_record(seed), frame);
    // Half of the time the random bytes overwrite a part of a good record.
    if (seed % 2 == 0) {
      const std::size_t from = frame_header_bytes + seed / 2 % payload_of(frame).size();
      std::copy_n(bytes.begin(), std::min(bytes.size(), frame.size() - from),
                  frame.begin() + static_cast<std::ptrdiff_t>(from));
      bytes.assign(payload_of(frame).begin(), payload_of(frame).end());
    }
    try {
      static_cast<void>(read_record_head(bytes));
      static_cast<void>(read_record_result(bytes));
    } catch (const base::DamagedError&) {
    }
  }));
}

TEST(JournalRecord, DeepNestingIsRefusedBeforeItExhaustsTheStack) {
  constexpr std::size_t depth = 10'000'000;
  Bytes payload(5 + depth, 0x81);  // arrays of one element
  payload[0] = 0x1a;
  for (std::size_t i = 1; i < 5; ++i) {
    payload[i] = static_cast<std::uint8_t>(depth >> (8 * (4 - i)));
  }
  EXPECT_THROW(static_cast<void>(read_record_head(payload)), base::DamagedError);
}

TEST(JournalRecord, StringsInPiecesInPiecesAreRefusedBeforeTheyExhaustTheStack) {
  constexpr std::size_t depth = 10'000'000;
  for (const std::uint8_t piece :
       std::initializer_list<std::uint8_t>{0x5f, 0x7f}) {  // bytes and text of unknown length
    Bytes payload(5 + depth, piece);
    payload[0] = 0x1a;
    for (std::size_t i = 1; i < 5; ++i) {
      payload[i] = static_cast<std::uint8_t>(depth >> (8 * (4 - i)));
    }
    EXPECT_THROW(static_cast<void>(read_record_head(payload)), base::DamagedError);
    payload.insert(payload.begin() + 5, 0xa1);  // an object whose name it is
    payload.pop_back();
    EXPECT_THROW(static_cast<void>(read_record_head(payload)), base::DamagedError);
  }
}

TEST(JournalRecord, ALengthThatTheBytesDoNotHaveIsRefusedAtOnce) {
  for (const std::uint8_t kind :
       std::initializer_list<std::uint8_t>{0x5b, 0x7b, 0x9b, 0xbb}) {  // bytes, text, array, object
    Bytes payload{0x1a, 0, 0, 0, 9, kind, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    EXPECT_THROW(static_cast<void>(read_record_head(payload)), base::DamagedError);
  }
}

// Few rounds: every log and every folder costs several syncs of the disk.
TEST(Journal, RandomRecordsOfManyRanksAndLaunchesComeBackInOrder) {
  std::mt19937_64 engine{5};
  for (int round = 0; round < 8; ++round) {
    const TestJournal journal;
    std::vector<results::TaskRecord> expected;
    const int logs = static_cast<int>(engine() % 7);
    for (int log = 0; log < logs; ++log) {
      std::vector<results::TaskRecord> records;
      for (auto i = engine() % 30; i-- > 0;) records.push_back(random_record(engine()));
      journal.write(records, log / 3, log % 3);
      expected.insert(expected.end(), records.begin(), records.end());
    }
    const JournalContents contents = read_journal(journal.path());
    EXPECT_EQ(bits_of(contents.records), bits_of(expected));
    EXPECT_THAT(contents.warnings, IsEmpty());
    EXPECT_EQ(contents.launches, (logs + 2) / 3);
  }
}

TEST(Journal, WithoutResultsTheRestOfEveryRecordIsTheSame) {
  const TestJournal journal;
  std::vector<results::TaskRecord> records;
  for (std::uint64_t seed = 0; seed < 50; ++seed) records.push_back(random_record(seed));
  journal.write(records);
  for (results::TaskRecord& record : records) record.result = {};
  EXPECT_EQ(bits_of(read_journal(journal.path(), false).records), bits_of(records));
}

TEST(Journal, TheFirstDoneRecordOfAKeyWinsAndOthersAreCounted) {
  const TestJournal journal;
  journal.write({failed("a", "first"), done("b", 1), failed("c", "first")}, 0, 0);
  journal.write({done("a", 2), done("b", 3), failed("b", "late")}, 0, 1);
  journal.write({done("a", 4), failed("c", "second")}, 1, 0);
  const JournalContents contents = read_journal(journal.path());
  EXPECT_THAT(bits_of(contents.records), ElementsAre(bits_of(done("a", 2)), bits_of(done("b", 1)),
                                                     bits_of(failed("c", "second"))));
  EXPECT_EQ(contents.duplicates, 2);
  EXPECT_EQ(contents.launches, 2);
  EXPECT_THAT(contents.warnings, IsEmpty());
}

TEST(Journal, AnEmptyOneHasNoRecordsAndNoLaunches) {
  const TestJournal journal;
  const JournalContents contents = read_journal(journal.path());
  EXPECT_THAT(contents.records, IsEmpty());
  EXPECT_THAT(contents.warnings, IsEmpty());
  EXPECT_EQ(contents.launches, 0);
  EXPECT_EQ(contents.bytes, 0);
}

TEST(Journal, LaunchesAreNumbersNotText) {
  const TestJournal journal;
  journal.write({done("a", 1)}, 10'000, 2'000'000);
  journal.write({done("b", 1)}, 9'999, 0);
  put_bytes(journal_file(journal.path(), "1-x.log"), "not ours");
  put_bytes(journal_file(journal.path(), "notes.log"), "not ours");
  const JournalContents contents = read_journal(journal.path());
  EXPECT_THAT(bits_of(contents.records), ElementsAre(bits_of(done("b", 1)), bits_of(done("a", 1))));
  EXPECT_EQ(contents.launches, 10'001);
  EXPECT_THAT(contents.warnings, IsEmpty());
}

}  // namespace
}  // namespace fairfront::journal::test
