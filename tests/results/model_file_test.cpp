#include "results/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "results/json_number.hpp"

namespace fairfront::results {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::string about =
    R"({"card": {"model": "m"}, "choice": {}, "measures": [],
        "provenance": {"archive_digest": "d", "key": "k", "task": 3, "point": 1}})";

models::SharedFit shared_of(const std::vector<std::string>& groups) {
  models::SharedFit shared;
  shared.preparation = data::as_they_are({"caf\xe9"});
  shared.preparation.columns[0].scale = {1.0 / 3, 7e-310};
  shared.groups = groups;
  return shared;
}

StoredModel stored_of(const ModelNumbers& numbers, models::ModelText text) {
  return assemble(shared_of({"a", "b", "c"}), std::move(text),
                  [&](const std::string& name) { return numbers.at(name); });
}

StoredModel linear(double weight, double bias) {
  return stored_of({{"w", {{weight, bias}}}, {"unused", {{1}}}},
                   {"score", {{"hidden", ""}, {"activation", "relu"}, {"weights", "w"}}});
}

std::string damage(const std::string& text) {
  try {
    (void)model_file_of(text, "m.json");
  } catch (const base::DamagedError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ModelFile, ComesBackWithEveryBitOfWhatTheModelReadsAndNothingElse) {
  const double weight = 0.1 + 0.2;
  const std::string text = text_of(linear(weight, -0.0), about);
  const ModelFile file = model_file_of(text, "m.json");
  EXPECT_EQ(file.stored.numbers.size(), 1u);
  const std::vector<double>& w = file.stored.numbers.at("w").at(0);
  EXPECT_EQ(w[0], weight);
  EXPECT_TRUE(std::signbit(w[1]));
  EXPECT_EQ(file.stored.shared->preparation.columns[0].name, "caf\xe9");
  EXPECT_EQ(file.stored.shared->preparation.columns[0].scale.divisor, 7e-310);
  const std::vector<double> x{0.7, -1e300};
  const auto predicted = file.stored.model->predict(x, {});
  EXPECT_THAT(std::vector<double>(predicted.begin(), predicted.end()),
              ElementsAre(0.7 * weight, -1e300 * weight));
  EXPECT_EQ(file.origin.archive_digest, "d");
  EXPECT_EQ(file.origin.key, "k");
  EXPECT_EQ(file.origin.task, 3u);
  EXPECT_EQ(file.origin.point, 1u);
  EXPECT_EQ(text_of(file.stored, about), text);
}

/// Thresholds may say that everybody or nobody is decided 1.
TEST(ModelFile, KeepsNumbersThatAreNotFinite) {
  const StoredModel stored =
      stored_of({{"t", {{infinity, -infinity, 0.5}}}}, {"thresholds", {{"thresholds", "t"}}});
  const ModelFile file = model_file_of(text_of(stored, about), "m.json");
  EXPECT_THAT(file.stored.numbers.at("t").at(0), ElementsAre(infinity, -infinity, 0.5));
}

TEST(JsonNumber, WhatIsInfiniteIsToldApartFromWhatIsNotKnown) {
  EXPECT_EQ(json_number(0.1).dump(), "0.1");
  EXPECT_EQ(json_number(infinity).dump(), R"("inf")");
  EXPECT_EQ(json_number(-infinity).dump(), R"("-inf")");
  EXPECT_EQ(json_number(std::nan("")).dump(), "null");
}

TEST(ModelFile, AnyOtherByteIsDamage) {
  const std::string good = text_of(linear(1.5, 2), about);
  ASSERT_EQ(damage(good), "no error");
  for (std::size_t i = 60; i < good.size(); ++i) {  // the first two lines say what it is
    std::string text = good;
    text[i] = text[i] == '0' ? '1' : '0';
    EXPECT_NE(damage(text), "no error") << "byte " << i;
    EXPECT_NE(damage(good.substr(0, i)), "no error") << "cut at " << i;
  }
  EXPECT_NE(damage(good + " "), "no error");
}

/// A forger has the right digest.
TEST(ModelFile, WhatDoesNotFitIsDamage) {
  const std::string good = text_of(linear(1.5, 2), about);
  const auto with = [&](const std::string& there, const std::string& here) {
    std::string text = good.substr(0, good.find("\"sha256\""));
    text.replace(text.find(there), there.size(), here);
    return text + "\"sha256\": \"" + base::sha256_of(text) + "\"\n}\n";
  };
  EXPECT_EQ(damage(with("[1.5,2.0]", "[1.5,3.0]")), "no error");
  EXPECT_NE(damage(with("[1.5,2.0]", "[1.5]")), "no error");
  EXPECT_NE(damage(with("[1.5,2.0]", "[1.5,\"x\"]")), "no error");
  EXPECT_NE(damage(with("[1.5,2.0]", "[1.5,null]")), "no error");
  EXPECT_NE(damage(with("\"kind\": \"score\"", "\"kind\": \"magic\"")), "no error");
  EXPECT_NE(damage(with("\"kind\": \"score\"", "\"king\": \"score\"")), "no error");
  EXPECT_NE(damage(with("\"task\": 3", "\"task\": {}")), "no error");
}

/// In one sentence with the file, what is wrong, and what to do; never in a parser's words.
TEST(ModelFile, DamageIsToldInWords) {
  const std::string good = text_of(linear(1.5, 2), about);
  const auto with = [&](const std::string& there, const std::string& here) {
    std::string text = good.substr(0, good.find("\"sha256\""));
    EXPECT_NE(text.find(there), std::string::npos) << there;
    text.replace(text.find(there), there.size(), here);
    return damage(text + "\"sha256\": \"" + base::sha256_of(text) + "\"\n}\n");
  };
  const std::vector<std::pair<std::string, std::string>> told{
      {damage(good.substr(0, good.size() / 2)), "before its JSON does, as a file does that is cut"},
      {damage(good.substr(0, good.size() - 30)), "before its JSON does"},
      {damage("{\n\"format\": \"fairfront model\",\n\"a\": what\n}"), "no JSON from line 3 on"},
      {damage("{\"format\": \"fairfront model\"}"), "its \"format_version\" is missing"},
      {damage("{\"format\": \"fairfront model\", \"format_version\": \"1\"}"),
       "its \"format_version\" is no whole number"},
      {damage(good + " "), "its bytes are not those that were written"},
      {with("\"kind\": \"score\"", "\"kind\": 7"), "its \"kind\" is no text"},
      {with("\"kind\": \"score\"", "\"king\": \"score\""), "its \"kind\" is missing"},
      {with("\"activation\":\"relu\"", "\"activation\":[]"), "its \"activation\" is no text"},
      {with("\"options\": {", "\"options\": [], \"old\": {"), "its \"options\" is no object"},
      {with("[1.5,2.0]", "[1.5,null]"), "its \"parameters\" hold a number that is none"},
      {with("[[1.5,2.0]]", "7"), "its \"parameters\" hold what is no list"},
      {with("[[1.5,2.0]]", "[1.5,2.0]"), "its \"parameters\" hold what is no list of numbers"},
      {with("\"shared\": {", "\"shared\": {}, \"old\": {"), "its \"preparation\" is missing"},
      {with("\"task\": 3", "\"task\": -3"), "its \"task\" is no whole number from 0 on"},
      {with("[1.5,2.0]", "[1.5,1e400]"), "it holds a number that is too large for a double"},
      {with("[1.5,2.0]", "[1.5,NaN]"), "it is no JSON from line"},
      {with("[1.5,2.0]", "[1.5,\"1.5\"]"), "its \"parameters\" hold a number that is none"},
      {with("[1.5,2.0]", "[1.5,\"-inf\"]"), "a number of 'w' that is not finite"},
      {with("\"kind\": \"score\"", "\"kind\": \"score\", \"kind\": \"score\""),
       "its \"kind\" is there twice"},
      {with("\"measures\": []", "\"measures\": {}"), "its \"measures\" is no list"},
      {with("\"provenance\": {", "\"provenance\": [], \"old\": {"),
       "its \"provenance\" is no object"},
      {with("\"columns\":[{\"name\":[99,97,102,233],\"log1p\":false,\"filler\":0.0,\"shift\":"
            "0.3333333333333333,\"divisor\":7e-310,\"place\":0}]",
            "\"columns\":[]"),
       "its \"columns\" of the table are none"},
      {with("[99,97,102,233]", "[99,97,102,333]"), "a name of numbers that are no bytes"}};
  for (const auto& [said, fault] : told) {
    EXPECT_THAT(said, HasSubstr("the model file 'm.json' is damaged: "));
    EXPECT_THAT(said, HasSubstr(fault));
    EXPECT_THAT(said, HasSubstr("`fairfront choose ARCHIVE --model FILE`"));
    EXPECT_THAT(said, testing::Not(HasSubstr("exception")));
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

/// Members may stand in any order: an editor sorts them by name.
TEST(ModelFile, TheFormatMayStandAnywhere) {
  std::string text = text_of(linear(1.5, 2), about);
  const std::string format = "\"format\": \"fairfront model\",\n";
  text.erase(text.find(format), format.size());
  text.erase(text.find("\"sha256\""));
  text.insert(text.find("\"options\""), "\"padding\": \"" + std::string(400, 'x') + "\",\n");
  text += format;
  text += "\"sha256\": \"" + base::sha256_of(text) + "\"\n}\n";
  EXPECT_TRUE(is_model_file(text));
  EXPECT_EQ(damage(text), "no error");
  EXPECT_FALSE(is_model_file("{\"padding\": \"" + std::string(400, 'x') +
                             "\", \"a\": \"fairfront model\"}"));
}

/// Writing such a value back would end the stack.
TEST(ModelFile, NestingHasAnEnd) {
  constexpr std::size_t depth = 500'000;
  const std::string good = text_of(linear(1.5, 2), about);
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  std::string text = good.substr(0, good.find("\"sha256\""));
  text.insert(text.find("\"kind\""), "\"more\": " + deep + ", ");
  text += "\"sha256\": \"" + base::sha256_of(text) + "\"\n}\n";
  EXPECT_THAT(damage(text), HasSubstr("nested too deeply"));
}

TEST(ModelFile, AnotherFileOrANewerVersionIsNoDamage) {
  const auto input_error = [](const std::string& text) -> std::string {
    try {
      (void)model_file_of(text, "m.json");
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(input_error("{\"a\": \"fairfront model\"}"),
              HasSubstr("neither an archive nor a model file"));
  EXPECT_THAT(input_error("{\"a\": 1}"), HasSubstr("neither an archive nor a model file"));
  EXPECT_THAT(input_error(""), HasSubstr("neither an archive nor a model file"));
  std::string newer = text_of(linear(1, 2), about);
  newer.replace(newer.find("version\": 1"), 11, "version\": 2");
  EXPECT_THAT(input_error(newer), HasSubstr("format version 2"));
}

}  // namespace
}  // namespace fairfront::results
