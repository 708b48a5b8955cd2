#include "data/cell_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fairfront::data {
namespace {

TEST(CellText, TruthValuesAreNumbers) {
  for (const char* text : {"True", "TRUE", "true"}) EXPECT_EQ(cell_number(text), 1) << text;
  for (const char* text : {"False", "FALSE", "false"}) EXPECT_EQ(cell_number(text), 0) << text;
  EXPECT_EQ(cell_number("-2.5e1"), -25);
  for (const char* text : {"tRUE", "T", "yes", "", "inf", "nan", "1,5"}) {
    EXPECT_FALSE(cell_number(text)) << text;
  }
}

TEST(CellText, NumbersWithUnitsAndMarksBetweenThousandsAreWrittenOtherwise) {
  for (const char* text :
       {"45,123.00", "-1,234,567", "1 234.5", "1'234", "50%", "12.5 %", "$12", "$45,123.00",
        "\u20ac 3", "inf", "-inf", "Infinity", "1e400", "-1E+999"}) {
    EXPECT_TRUE(is_number_written_otherwise(text)) << text;
  }
  for (const char* text : {"", "12", "-1.5e3", "1,2,3", "12,34.5", "1234,567.0", "1,23", "nan",
                           "a%", "%", "$", "5,", ",123", "10 to 20", "3'", "1e400 m", "1e-400"}) {
    EXPECT_FALSE(is_number_written_otherwise(text)) << text;
  }
}

TEST(CellText, WholeNumbersAreWrittenWithAPointOrWithout) {
  const std::vector<std::pair<std::string, std::string>> whole{
      {"1", "1"}, {"1.", "1"}, {"1.0", "1"}, {"10.00", "10"}, {"-3.0", "-3"}, {"-0.0", "0"}};
  for (const auto& [text, digits] : whole) EXPECT_EQ(whole_number(text), digits) << text;
  for (const char* text :
       {"", ".", "-", ".0", "01", "01.0", "+1", "1e0", "1.5", "1.0x", "x", "--1"}) {
    EXPECT_FALSE(whole_number(text)) << text;
  }
}

TEST(CellText, ANameIsFoundByItsTextFirstAndThenByItsNumber) {
  const std::vector<std::string> names{"2.0", "1", "01", "2", "x"};
  EXPECT_EQ(place_of_name(names, "1"), 1u);
  EXPECT_EQ(place_of_name(names, "1.0"), 1u);
  EXPECT_EQ(place_of_name(names, "2"), 3u);
  EXPECT_EQ(place_of_name(names, "2.0"), 0u);
  EXPECT_EQ(place_of_name(names, "2.00"), 0u);
  EXPECT_EQ(place_of_name(names, "01"), 2u);
  EXPECT_FALSE(place_of_name(names, "01.0"));
  EXPECT_FALSE(place_of_name(names, "3.0"));
  EXPECT_FALSE(place_of_name(names, "X"));
}

}  // namespace
}  // namespace fairfront::data
