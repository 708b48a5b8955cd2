#include "base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace fairfront::base {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RC_GTEST_PROP(Text, AnyFiniteDoubleReadsBackToTheSameBits, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  const auto read = parse_double(format_double(value));
  RC_ASSERT(read.has_value());
  RC_ASSERT(std::bit_cast<std::uint64_t>(*read) == bits);
}

TEST(Text, ExtremeDoublesReadBackToTheSameBits) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, -0.0, Limits::min(), Limits::max(), Limits::lowest(),
                             Limits::denorm_min(), Limits::epsilon(), 0.1, 1.0 / 3}) {
    const auto read = parse_double(format_double(value));
    ASSERT_TRUE(read.has_value()) << value;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*read), std::bit_cast<std::uint64_t>(value)) << value;
  }
}

TEST(Text, DoublesAreFormattedAsShortAsPossible) {
  EXPECT_EQ(format_double(0.1), "0.1");
  EXPECT_EQ(format_double(1e22), "1e+22");
  EXPECT_EQ(format_double(-2), "-2");
}

TEST(Text, ADoubleIsTheWholeTextOrNothing) {
  EXPECT_EQ(parse_double("1e3"), 1000.0);
  EXPECT_EQ(parse_double("+.5"), 0.5);
  EXPECT_EQ(parse_double("1e-400"), 0.0);  // the nearest one that there is
  EXPECT_EQ(parse_double("-3e-324"), -std::numeric_limits<double>::denorm_min());
  for (const std::string_view bad : {"", " ", "1 ", " 1", "1,5", "1.5x", "+", "-", "+-1", "++1",
                                     "--1", "0x10", "1e", "1e999", "1e-999x"}) {
    EXPECT_EQ(parse_double(bad), std::nullopt) << '"' << bad << '"';
  }
}

RC_GTEST_PROP(Text, AnyIntegerReadsBack, (std::int64_t value)) {
  RC_ASSERT(parse_int64(std::to_string(value)) == value);
}

TEST(Text, IntegersAreStrict) {
  EXPECT_EQ(parse_int64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_int64("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_int64("+7"), 7);
  EXPECT_EQ(parse_int64("007"), 7);
  for (const std::string_view bad : {"", "1e3", "1.0", "9223372036854775808", "0x1", "1 ", "+-1",
                                     "++1", "+", "seven", "1_000"}) {
    EXPECT_EQ(parse_int64(bad), std::nullopt) << '"' << bad << '"';
  }
}

TEST(Text, OnlyTrueAndFalseAreTruthValues) {
  EXPECT_EQ(parse_bool("true"), true);
  EXPECT_EQ(parse_bool("false"), false);
  for (const std::string_view bad : {"", "True", "1", "0", "yes", " true"}) {
    EXPECT_EQ(parse_bool(bad), std::nullopt) << '"' << bad << '"';
  }
}

TEST(Text, TrimTakesBlanksFromBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \t\r\n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, SplitsOnlyOutsideParentheses) {
  EXPECT_THAT(split_outside_parentheses("a, range(0, (1,2)) ,b"),
              ElementsAre("a", "range(0, (1,2))", "b"));
  EXPECT_THAT(split_outside_parentheses("a,,b,"), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split_outside_parentheses(" \t"), IsEmpty());
  EXPECT_THAT(split_outside_parentheses("a;b,c", ';'), ElementsAre("a", "b,c"));
  EXPECT_THAT(split_outside_parentheses("f(1, 2"), ElementsAre("f(1, 2"));
}

TEST(Text, AStrayClosingParenthesisDoesNotOpenTheNextPair) {
  EXPECT_THAT(split_outside_parentheses("a),(b,c)"), ElementsAre("a)", "(b,c)"));
}

TEST(Text, JoinUndoesSplit) {
  const std::vector<std::string> parts{"a", "f(1,2)", "", "b"};
  EXPECT_EQ(join(parts, ", "), "a, f(1,2), , b");
  EXPECT_EQ(split_outside_parentheses(join(parts, ", ")), parts);
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, TheNearestNameIsTheOneWithTheFewestEdits) {
  const std::vector<std::string> names{"iterations", "starts", "replicas"};
  EXPECT_EQ(nearest_name("iteratons", names), "iterations");
  EXPECT_EQ(nearest_name("start", names), "starts");
  EXPECT_EQ(nearest_name("rpelicas", names), "replicas");
  EXPECT_EQ(nearest_name("starts", names), "starts");
}

TEST(Text, TheNearestNameIsTheSameInOtherLettersAndNeverOneThatSharesNothing) {
  EXPECT_EQ(nearest_name("S", std::vector<std::string>{"y", "s"}), "s");
  EXPECT_EQ(nearest_name("S", std::vector<std::string>{"y", "x1"}), std::nullopt);
  EXPECT_EQ(nearest_name("AGE", std::vector<std::string>{"AG", "age"}), "age");
  EXPECT_EQ(nearest_name("INCMOE", std::vector<std::string>{"hired", "income"}), "income");
}

TEST(Text, ANameThatIsFarFromAllIsNobodysTypo) {
  const std::vector<std::string> names{"iterations", "starts"};
  EXPECT_EQ(nearest_name("learning_rate", names), std::nullopt);
  EXPECT_EQ(nearest_name("starts", {}), std::nullopt);
  EXPECT_EQ(nearest_name("age", std::vector<std::string>{"g", "y"}), std::nullopt);
}

TEST(Text, TheHintNamesTheNearestOrListsAll) {
  const std::vector<std::string> names{"iterations", "starts"};
  EXPECT_EQ(name_hint("iteration", names), " (did you mean 'iterations'?)");
  EXPECT_EQ(name_hint("learning_rate", names), " (valid: iterations, starts)");
  const std::vector<std::string> commas{"s0", "se,x", "set"};
  EXPECT_EQ(name_hint("se", commas),
            " (a name with a comma stands in quotes, \"se,x\", and in three where it is the whole "
            "value, \"\"\"se,x\"\"\")");
  EXPECT_EQ(name_hint("se,", commas), " (did you mean 'se,x'?)");
}

TEST(Text, AHintForOneOfVeryManyOrVeryLongNamesIsShortAndQuick) {
  const std::vector<std::string> many(100'000, "a_name_of_a_column");
  EXPECT_LT(name_hint("x", many).size(), 1000u);
  EXPECT_LT(name_hint(std::string(1'000'000, 'x'), many).size(), 1000u);
  EXPECT_EQ(nearest_name("a_name_of_a_colum", many), "a_name_of_a_column");
}

TEST(Text, AHintCompletesTheBeginningOfASingleName) {
  const std::vector<std::string> names{"--output", "--only", "--set"};
  EXPECT_EQ(nearest_name("--out", names), "--output");
  EXPECT_EQ(nearest_name("--o", names), std::nullopt);  // two begin so
}

TEST(Text, AnEndlessDeviceIsNotReadForEver) {
  try {
    (void)read_file("/dev/zero");
    FAIL() << "all of /dev/zero was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot read '/dev/zero': it has more than 64 MiB"));
  }
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST(Text, APipeIsReadToItsEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::thread writer([&] {
    for (const char* piece : {"a = 1\n", "b = 2\n"}) {
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
      EXPECT_EQ(write(ends[1], piece, 6), 6);
    }
    close(ends[1]);
  });
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "a = 1\nb = 2\n");
  writer.join();
  close(ends[0]);
}

TEST(Text, AFileIsReadByteForByte) {
  const std::string path = ::testing::TempDir() + "fairfront_text_test.bin";
  const std::string bytes = std::string("a\0b\r\n\xff", 6) + std::string(200'000, 'x');
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(read_file(path), bytes);
  std::ofstream(path, std::ios::binary | std::ios::trunc).flush();
  EXPECT_EQ(read_file(path), "");
  std::filesystem::remove(path);
}

std::string message_of_reading(const std::string& path) {
  try {
    return "no error, read " + std::to_string(read_file(path).size()) + " bytes";
  } catch (const InputError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::bad_input);
    return error.what();
  }
}

TEST(Text, AFileThatCannotBeReadIsNamedWithTheReason) {
  const std::string missing = ::testing::TempDir() + "no_such_file";
  EXPECT_THAT(message_of_reading(missing),
              AllOf(HasSubstr("'" + missing + "'"), HasSubstr("No such file")));
  EXPECT_THAT(message_of_reading(::testing::TempDir()), HasSubstr("is a directory"));
  EXPECT_THAT(message_of_reading(std::string(5000, 'n')), HasSubstr("name too long"));
}

}  // namespace
}  // namespace fairfront::base
