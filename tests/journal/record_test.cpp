#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <random>

#include "archive/archive.hpp"
#include "base/error.hpp"
#include "journal/cbor.hpp"
#include "journal/fields_json.hpp"
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

// The format's definition: the result as one Json value, which needs three times its memory.
Json json_of(const std::map<std::string, double>& metrics) {
  Json names = Json::array();
  std::vector<double> values;
  for (const auto& [name, value] : metrics) {
    names.push_back(name);
    values.push_back(value);
  }
  return {{"names", names}, {"values", pack(values)}};
}
Json json_of(const results::Measures& measured) {
  Json names = Json::array();
  Json parts = Json::array();
  Json groups = Json::array();
  std::vector<double> values;
  for (const auto& [name, by_rows] : measured) {
    for (const auto& [rows, found] : by_rows) {
      names.push_back(name);
      parts.push_back(rows.part);
      groups.push_back(rows.group);
      values.insert(values.end(), {found.value, found.low, found.high});
    }
  }
  return {{"names", names}, {"parts", parts}, {"groups", groups}, {"values", pack(values)}};
}
Json json_of(const std::vector<results::SolutionValues>& solutions) {
  Bytes types;
  std::vector<std::int64_t> sizes;
  Bytes values;
  for (const results::SolutionValues& solution : solutions) {
    types.push_back(static_cast<std::uint8_t>(solution.index()));
    std::visit(
        [&](const auto& numbers) {
          sizes.push_back(std::ssize(numbers));
          const Json packed = pack(numbers);
          values.insert(values.end(), packed.get_binary().begin(), packed.get_binary().end());
        },
        solution);
  }
  return {{"types", Json::binary(types)}, {"sizes", pack(sizes)}, {"values", Json::binary(values)}};
}
Json json_of(const results::TaskResult& result) {
  Json series = Json::object();
  for (const auto& [name, trajectory] : result.series) series[name] = fields_to_json(trajectory);
  Json solutions = Json::object();
  for (const auto& [name, values] : result.solutions) solutions[name] = json_of(values);
  return {{"metrics", json_of(result.metrics)},
          {"measured", json_of(result.measured)},
          {"series", series},
          {"solutions", solutions},
          {"front", fields_to_json(result.front)}};
}

Bytes frame_by_json(const results::TaskRecord& record) {
  Bytes head;
  to_cbor(fields_to_json(record), head);
  Bytes payload{0x1a};  // the length of the head in four bytes
  for (int shift = 24; shift >= 0; shift -= 8) {
    payload.push_back(static_cast<std::uint8_t>(head.size() >> shift));
  }
  payload.insert(payload.end(), head.begin(), head.end());
  if (record.status == results::TaskStatus::done) to_cbor(json_of(record.result), payload);
  const FrameHeader header = frame_header_of(payload);
  payload.insert(payload.begin(), header.begin(), header.end());
  return payload;
}

void expect_json_bytes_that_come_back(const results::TaskRecord& record) {
  Bytes frame;
  write_record_frame(record, frame);
  EXPECT_TRUE(frame == frame_by_json(record));
  results::TaskRecord back = read_record_head(payload_of(frame));
  if (back.status == results::TaskStatus::done) back.result = read_record_result(payload_of(frame));
  EXPECT_TRUE(bits_of(back) == bits_of(record));
}

TEST(JournalRecord, TheBytesAreThoseOfOneJsonValue) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    expect_json_bytes_that_come_back(random_record(seed));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

// Lengths are written in one, two, three, five bytes.
TEST(JournalRecord, TheBytesAreThoseOfOneJsonValueAtEveryLengthOfALength) {
  for (const std::size_t count :
       {0u, 1u, 23u, 24u, 25u, 255u, 256u, 257u, 65'535u, 65'536u, 65'537u, 200'000u}) {
    expect_json_bytes_that_come_back(small_record(7, count));
    results::TaskRecord record = small_record(7, 3);
    record.result.solutions[std::string(count, 'x')].emplace_back(std::vector<double>(count, 0.1));
    record.result.solutions["many"].resize(count, std::vector<std::uint16_t>{1, 2});
    record.result.series["long"].values.assign(count, -0.0);
    record.result.front.points.assign(count, 0.5);
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 300); ++i) {
      record.result.solutions[std::to_string(i)];
    }
    expect_json_bytes_that_come_back(record);
  }
}

// All byte strings long and short, each in its place.
results::TaskRecord record_with_long_strings() {
  results::TaskRecord record = small_record(5, long_byte_string + 3);
  std::vector<double> numbers(long_byte_string / sizeof(double));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  record.result.solutions["labels"].emplace_back(numbers);
  record.result.solutions["short"].emplace_back(std::vector<std::uint16_t>{1, 2, 3});
  record.result.series["loss"] = {{1, 2}, numbers};
  record.result.front.points = numbers;
  return record;
}

TEST(JournalRecord, AResultCutAnywhereOrGoneOnIsRefused) {
  const results::TaskRecord record = record_with_long_strings();
  expect_json_bytes_that_come_back(record);
  Bytes frame;
  write_record_frame(record, frame);
  for (std::size_t length = 0; length < payload_of(frame).size(); ++length) {
    EXPECT_THROW(static_cast<void>(read_record_result(payload_of(frame).first(length))),
                 base::DamagedError)
        << length;
  }
  frame.push_back(0);
  EXPECT_THROW(static_cast<void>(read_record_result(payload_of(frame))), base::DamagedError);
}

// With the content of all long byte strings again.
Json filled(const Json& value, ByteView whole) {
  if (value.is_binary()) {
    const ByteView content = byte_string(value, whole);
    return Json::binary(Bytes(content.begin(), content.end()));
  }
  Json copy = value;
  if (value.is_structured()) {
    for (const auto& [name, member] : value.items()) {
      (value.is_object() ? copy[name] : copy[std::stoul(name)]) = filled(member, whole);
    }
  }
  return copy;
}

// CBOR that says everything of a value or of its refusal.
std::string outcome_of(const std::function<Json()>& read) try {
  Bytes again;
  to_cbor(read(), again);
  return std::string(again.begin(), again.end());
} catch (const Json::exception&) {
  return "refused";
}

TEST(JournalCbor, InPlaceTheSameIsReadAndTheSameRefused) {
  Bytes good;
  to_cbor(json_of(record_with_long_strings().result), good);
  std::mt19937_64 engine{11};
  int read = 0;
  constexpr int rounds = 4000;
  for (int round = 0; round < rounds; ++round) {
    Bytes bytes = good;
    for (auto changes = engine() % 3; changes-- > 0;) {
      bytes[engine() % bytes.size()] = static_cast<std::uint8_t>(engine());
    }
    const std::size_t place = engine() % (bytes.size() - 8);
    static constexpr std::uint8_t heads[] = {0x40, 0x58, 0x59, 0x5a, 0x5f, 0x78, 0x79,
                                             0x82, 0xa1, 0xd8, 0xd9, 0xf6, 0xf9, 0x00};
    if (engine() % 2 == 0) {
      bytes[place] = heads[engine() % std::size(heads)];
      bytes[place + 1] = static_cast<std::uint8_t>(engine() % 5);
    }
    const std::string usual = outcome_of([&] { return from_cbor(bytes); });
    const std::string in_place =
        outcome_of([&] { return filled(from_cbor_in_place(bytes), bytes); });
    ASSERT_TRUE(usual == in_place) << round;
    read += usual == "refused" ? 0 : 1;
  }
  EXPECT_GT(read, rounds / 20);
  EXPECT_LT(read, rounds);
}

TEST(JournalCbor, ATagOfSomebodyElseIsNoPlace) {
  // Byte strings of 16 bytes with the tag of a place, alone, in an array, as a name, as a member.
  Bytes place{0xd8, 0x01, 0x50};
  place.resize(19, 0);
  const Bytes begins[] = {{}, {0x81}, {0xa1}, {0xa1, 0x61, 'a'}};
  for (Bytes bytes : begins) {
    bytes.insert(bytes.end(), place.begin(), place.end());
    EXPECT_THROW(static_cast<void>(from_cbor_in_place(bytes)), Json::exception);
  }
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
