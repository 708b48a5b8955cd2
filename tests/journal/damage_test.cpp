#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <random>

#include "base/error.hpp"
#include "journal/file.hpp"
#include "journal/frame.hpp"
#include "journal/record.hpp"
#include "journal/sample.hpp"
#include "results/task_record.hpp"

namespace fairfront::journal::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

std::string frame_of(const results::TaskRecord& record) {
  Bytes frame;
  write_record_frame(record, frame);
  return text_of(frame);
}

// A log whose bytes are at hand.
class JournalDamage : public testing::Test {
 protected:
  JournalDamage() {
    for (std::uint64_t number = 0; number < 5; ++number) {
      records_.push_back(small_record(number, 20 * number));
    }
    ends_.push_back(kind_frame("log").size());
    for (const auto& record : records_) ends_.push_back(ends_.back() + frame_of(record).size());
    // Without the copy of the header that a writer puts in front: see JournalFolder.
    log_ = text_of(kind_frame("log"));
    for (const auto& record : records_) log_ += frame_of(record);
    put_bytes(journal_.log(), log_);
  }

  JournalContents read(const std::string& log) const {
    put_bytes(journal_.log(), log);
    return read_journal(journal_.path());
  }
  std::vector<std::string> expected(std::size_t count) const {
    return bits_of({records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(count)});
  }
  std::vector<std::string> without(std::size_t lost) const {
    auto bits = bits_of(records_);
    bits.erase(bits.begin() + static_cast<std::ptrdiff_t>(lost));
    return bits;
  }

  TestJournal journal_;
  std::vector<results::TaskRecord> records_;
  std::vector<std::size_t> ends_;  ///< of the first frame and of each record
  std::string log_;
};

TEST_F(JournalDamage, CutAtAnyByteEveryRecordBeforeTheCutIsRead) {
  ASSERT_EQ(ends_.back(), log_.size());
  for (std::size_t size = 0; size < log_.size(); ++size) {
    SCOPED_TRACE(size);
    const JournalContents contents = read(log_.substr(0, size));
    const auto whole =
        static_cast<std::size_t>(std::ranges::upper_bound(ends_, size) - ends_.begin());
    EXPECT_EQ(bits_of(contents.records), expected(whole > 0 ? whole - 1 : 0));
    const bool at_boundary = size == 0 || std::ranges::binary_search(ends_, size);
    EXPECT_THAT(contents.warnings, SizeIs(at_boundary ? 0 : 1));
    EXPECT_THAT(contents.warnings,
                Each(AllOf(HasSubstr("0000-000000.log"), HasSubstr("no whole record"))));
    EXPECT_EQ(bytes_of(journal_.log()).size(), size) << "reading must not change the file";
  }
}

TEST_F(JournalDamage, OneFlippedBitLosesAtMostTheRecordItIsIn) {
  for (std::size_t place = 0; place < log_.size(); ++place) {
    SCOPED_TRACE(place);
    std::string log = log_;
    log[place] = static_cast<char>(log[place] ^ (1 << place % 8));
    const JournalContents contents = read(log);
    const auto frame =
        static_cast<std::size_t>(std::ranges::upper_bound(ends_, place) - ends_.begin());
    EXPECT_EQ(bits_of(contents.records), frame == 0 ? bits_of(records_) : without(frame - 1));
    EXPECT_THAT(contents.warnings, SizeIs(1));
  }
}

TEST_F(JournalDamage, MissingBytesInTheMiddleLoseOnlyTheRecordsTheyWereIn) {
  for (std::size_t place = ends_[0]; place + 3 <= ends_[4]; ++place) {
    SCOPED_TRACE(place);
    std::string log = log_;
    log.erase(place, 3);
    auto kept = bits_of(records_);
    for (std::size_t i = records_.size(); i-- > 0;) {
      const bool touched = place < ends_[i + 1] && place + 3 > ends_[i];
      if (touched) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    }
    EXPECT_EQ(bits_of(read(log).records), kept);
  }
}

TEST_F(JournalDamage, RandomRubbishBetweenRecordsIsPassedOver) {
  std::mt19937_64 engine{7};
  std::string log = text_of(kind_frame("log"));
  for (const auto& record : records_) {
    for (auto i = engine() % 5000; i-- > 0;) log += static_cast<char>(engine());
    log += frame_of(record);
  }
  log += std::string(4096, '\0');  // as some file systems leave after a crash
  const JournalContents contents = read(log);
  EXPECT_EQ(bits_of(contents.records), bits_of(records_));
  EXPECT_THAT(contents.warnings,
              ElementsAre(HasSubstr("damaged places were"), HasSubstr("its last 4096 bytes")));
}

TEST_F(JournalDamage, TheWarningSaysWhereAndHowMuch) {
  std::string log = log_;
  log[ends_[1] + frame_header_bytes + 3] ^= 1;
  EXPECT_THAT(read(log).warnings,
              ElementsAre(AllOf(HasSubstr("1 damaged record was"),
                                HasSubstr("(" + std::to_string(ends_[2] - ends_[1]) + " bytes)"),
                                HasSubstr("at byte " + std::to_string(ends_[1])))));
}

TEST_F(JournalDamage, ALengthBeyondTheFileIsNeitherAllocatedNorFollowed) {
  FrameHeader header{};
  std::memset(header.data(), 0xff, 8);
  const std::uint32_t crc = crc32c(ByteView{header}.first(8));
  std::memcpy(header.data() + 8, &crc, sizeof crc);
  std::string log = log_;
  log.insert(ends_[2], std::string{header.begin(), header.end()});
  EXPECT_EQ(bits_of(read(log).records), bits_of(records_));
}

// Headers that are right and overlap: each promises a payload almost as long as the rest of the
// file, so that believing them all would take the square of its length.
TEST_F(JournalDamage, ManyFalseHeadersDoNotMakeReadingSlow) {
  constexpr std::uint32_t count = 40'000;
  std::string log = text_of(kind_frame("log"));
  for (std::uint32_t i = 1; i < count; ++i) {
    FrameHeader header{};
    const std::uint32_t length = (count - i) * std::uint32_t{frame_header_bytes} - 5;
    std::memcpy(header.data(), &length, sizeof length);
    const std::uint32_t crc = crc32c(ByteView{header}.first(8));
    std::memcpy(header.data() + 8, &crc, sizeof crc);
    log.append(header.begin(), header.end());
  }
  log.append(frame_header_bytes, 'x');
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(read(log).records, IsEmpty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{10});
}

TEST_F(JournalDamage, ASoundFrameThatIsNoRecordIsLeftOutWithAWarning) {
  const Bytes payload{0x1a, 0, 0, 0, 1, 0x01};  // its head is the number 1
  const FrameHeader header = frame_header_of(payload);
  std::string log = log_;
  log.insert(ends_[2], text_of(payload));
  log.insert(ends_[2], std::string{header.begin(), header.end()});
  const JournalContents contents = read(log);
  EXPECT_EQ(bits_of(contents.records), bits_of(records_));
  EXPECT_THAT(contents.warnings, ElementsAre(HasSubstr("bad head")));
}

TEST_F(JournalDamage, ALogOfANewerVersionIsRefusedNotIgnored) {
  Bytes first = kind_frame("log");
  first.back() = 2;  // the version is its last byte
  const FrameHeader header = frame_header_of(ByteView{first}.subspan(frame_header_bytes));
  std::ranges::copy(header, first.begin());
  EXPECT_THAT(input_error_of([&] { static_cast<void>(read(text_of(first))); }),
              AllOf(HasSubstr("0000-000000.log"), HasSubstr("newer version of fairfront")));
}

TEST_F(JournalDamage, AFileOfAnotherKindIsLeftOutWithAWarning) {
  for (const std::string& other :
       {std::string(5000, 'x'), text_of(kind_frame("checkpoint")) + log_.substr(ends_[0])}) {
    const JournalContents contents = read(other);
    EXPECT_THAT(contents.records, IsEmpty());
    EXPECT_THAT(contents.warnings, ElementsAre(HasSubstr("not a log of a fairfront journal")));
  }
}

TEST_F(JournalDamage, ALogThatCannotBeReadIsAnErrorNotAnEmptyLog) {
  std::filesystem::remove(journal_.log());
  std::filesystem::create_directory(journal_.log());
  EXPECT_THAT(input_error_of([&] { static_cast<void>(read_journal(journal_.path())); }),
              AllOf(HasSubstr(journal_.log()), HasSubstr("directory")));
}

TEST_F(JournalDamage, ALogLargerThanTheWindowIsReadWhole) {
  std::vector<results::TaskRecord> records;
  for (std::uint64_t i = 0; i < 40; ++i) records.push_back(small_record(i, 30'000 * (i % 7) + i));
  records.push_back(small_record(40, 5'000'000));
  journal_.write(records, 1);
  const auto contents = read("");
  EXPECT_EQ(bits_of(contents.records), bits_of(records));
  EXPECT_THAT(contents.warnings, IsEmpty());
}

// A frame whose checksums are right whatever the payload says.
std::string forged_frame(std::string payload) {
  const FrameHeader header = frame_header_of(view_of(payload));
  return std::string(header.begin(), header.end()) + payload;
}

std::string payload_of(const results::TaskRecord& record) {
  return frame_of(record).substr(frame_header_bytes);
}

TEST_F(JournalDamage, ATaskWhoseResultCannotBeReadIsNotDone) {
  const std::string payload = payload_of(records_[2]);
  ASSERT_EQ(records_[2].status, results::TaskStatus::done);
  const std::string bad_body = forged_frame(payload.substr(0, payload.size() - 1));
  put_bytes(journal_.log(), log_.substr(0, ends_[2]) + bad_body + log_.substr(ends_[3]));
  for (const bool with_results : {true, false}) {
    const JournalContents contents = read_journal(journal_.path(), with_results);
    EXPECT_THAT(contents.records, SizeIs(records_.size() - 1)) << with_results;
    EXPECT_THAT(contents.warnings, ElementsAre(HasSubstr("a record with a bad result")));
  }
}

TEST_F(JournalDamage, ARecordThatTheReaderHasNoUseForIsLeftOutWithItsReason) {
  const RecordCheck check = [&](const results::TaskRecord& record) {
    EXPECT_FALSE(record.result == results::TaskResult{}) << "the check sees the result";
    if (record.key == records_[1].key) throw base::DamagedError("of no use");
  };
  for (const bool with_results : {true, false}) {
    const JournalContents contents = read_journal(journal_.path(), with_results, check);
    EXPECT_THAT(contents.records, SizeIs(records_.size() - 1)) << with_results;
    EXPECT_THAT(contents.warnings, ElementsAre(HasSubstr("of no use")));
  }
}

TEST_F(JournalDamage, ARecordOfATaskThatHasNotRunIsLeftOut) {
  results::TaskRecord record = small_record(9);
  record.status = results::TaskStatus::missing;
  const JournalContents contents = read(log_ + frame_of(record));
  EXPECT_THAT(contents.records, SizeIs(records_.size()));
  EXPECT_THAT(contents.warnings, ElementsAre(HasSubstr("without a result")));
}

TEST_F(JournalDamage, ALogBehindWhichNoneCanComeIsNamed) {
  put_bytes(journal_file(journal_.path(), "999999999-000000.log"), "");
  EXPECT_THAT(input_error_of([&] { static_cast<void>(read_journal(journal_.path())); }),
              HasSubstr("999999999-000000.log"));
}

}  // namespace
}  // namespace fairfront::journal::test
