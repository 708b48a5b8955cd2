#include "models/fitted_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "models/fitted_scores.hpp"

namespace fairfront::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A number, a name that is not UTF-8, and the group as a feature.
SharedFit sample() {
  SharedFit fit;
  fit.preparation.columns = {
      {.name = "age", .log1p = true, .filler = 0.1, .scale = {1.0 / 3, 7e-310}, .place = 0},
      {.name = "caf\xe9",
       .categorical = true,
       .levels = {"r\xf6t", "blue \"1\"\n"},
       .places = {-1, 1},
       .set = {0, -0.0},
       .filler_level = 1}};
  fit.preparation.unset = {0, -1.5, std::numeric_limits<double>::max()};
  fit.preparation.uses_group = true;
  fit.preparation.unit_rows = true;
  fit.preparation.group = {
      .name = "group", .categorical = true, .levels = {"a", "b"}, .places = {-1, 2}, .set = {0, 1}};
  fit.preparation.missing = data::MissingPolicy::mean;
  fit.groups = {"a", "b"};
  fit.numbers = {{"mean", {0.1, 0.2, 0.3}}, {"none", {}}};
  fit.group_rules = {{.text = "25 <= age <= 60", .levels = {"other"}, .names = {"a"}},
                     {.text = "caf\xe9", .levels = {"x", "y"}, .names = {"b", "a"}, .others = "b"}};
  set_target_unit(fit, {{3, 0.1}, true, 8});
  return fit;
}

/// Read as a number, "111" would be 111 and not the second of three names.
TEST(SharedFit, NamesThatStandForNumbersAreReadByTheirOrder) {
  SharedFit fit;
  fit.preparation.columns = {{.name = "size", .place = 0, .levels = {"110", "111", "120"}}};
  fit.preparation.unset = {0};
  const SharedFit back = shared_fit_of(text_of(fit));
  const std::vector<data::TableColumn> wanted = back.preparation.wanted();
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_EQ(wanted[0].kind, data::CellKind::ordinal);
  EXPECT_THAT(wanted[0].levels, ElementsAre("110", "111", "120"));
}

std::string damage(const std::string& text) {
  try {
    (void)shared_fit_of(text);
  } catch (const base::DamagedError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SharedFit, ComesBackFromItsTextWithEveryBit) {
  const SharedFit fit = sample();
  const SharedFit back = shared_fit_of(text_of(fit));
  EXPECT_EQ(text_of(back), text_of(fit));
  const data::FittedColumn& age = back.preparation.columns[0];
  EXPECT_EQ(age.name, "age");
  EXPECT_TRUE(age.log1p);
  EXPECT_EQ(age.filler, 0.1);
  EXPECT_EQ(age.scale.shift, 1.0 / 3);
  EXPECT_EQ(age.scale.divisor, 7e-310);
  const data::FittedColumn& colour = back.preparation.columns[1];
  EXPECT_EQ(colour.name, "caf\xe9");
  EXPECT_THAT(colour.levels, ElementsAre("r\xf6t", "blue \"1\"\n"));
  EXPECT_THAT(colour.places, ElementsAre(-1, 1));
  EXPECT_TRUE(std::signbit(colour.set[1]));
  EXPECT_EQ(colour.filler_level, 1);
  EXPECT_EQ(back.preparation.unset, fit.preparation.unset);
  EXPECT_EQ(back.preparation.missing, data::MissingPolicy::mean);
  EXPECT_TRUE(back.preparation.uses_group);
  EXPECT_TRUE(back.preparation.unit_rows);
  EXPECT_EQ(back.preparation.group.set, fit.preparation.group.set);
  EXPECT_EQ(back.groups, fit.groups);
  EXPECT_EQ(back.numbers, fit.numbers);
  ASSERT_EQ(back.group_rules.size(), 2u);
  EXPECT_EQ(back.group_rules[1].text, "caf\xe9");
  EXPECT_THAT(back.group_rules[1].levels, ElementsAre("x", "y"));
  EXPECT_THAT(back.group_rules[1].names, ElementsAre("b", "a"));
  EXPECT_EQ(back.group_rules[1].others, "b");
  const auto unit = target_unit_of(back);
  ASSERT_TRUE(unit);
  EXPECT_DOUBLE_EQ((*unit)(-7), 8 * std::expm1(-7 * 0.1 + 3));
}

TEST(TargetUnit, IsNotKeptWhereItIsThePreparedOne) {
  SharedFit fit;
  set_target_unit(fit, {});
  EXPECT_TRUE(fit.numbers.empty());
  EXPECT_FALSE(target_unit_of(fit));
}

TEST(SharedFit, TextThatSetsWhatThereIsNotIsDamaged) {
  const std::string good = text_of(sample());
  EXPECT_EQ(damage(good), "no error");
  const auto with = [&](const std::string& there, const std::string& here) {
    std::string text = good;
    return text.replace(text.find(there), there.size(), here);
  };
  EXPECT_THAT(damage(""), HasSubstr("of another type"));
  EXPECT_THAT(damage("{}"), HasSubstr("its \"preparation\" is missing"));
  EXPECT_THAT(damage(with("\"place\":0", "\"place\":3")), HasSubstr("feature that there is not"));
  EXPECT_THAT(damage(with("\"places\":[-1,1]", "\"places\":[-1,3]")),
              HasSubstr("feature that there is not"));
  EXPECT_THAT(damage(with("\"places\":[-1,1]", "\"places\":[-2,1]")),
              HasSubstr("feature that there is not"));
  EXPECT_THAT(damage(with("\"places\":[-1,1]", "\"places\":[-1]")), HasSubstr("levels do not fit"));
  EXPECT_THAT(damage(with("\"name\":\"age\"", "\"name\":[99,97,102,233]")),
              HasSubstr("two columns have one name"));
  EXPECT_THAT(damage(with("[99,97,102,233]", "[99,97.5]")), HasSubstr("is not whole"));
  EXPECT_THAT(damage(with("[99,97,102,233]", "[99,256]")), HasSubstr("no bytes"));
  EXPECT_THAT(damage(with("\"unit_rows\":true", "\"unit_rows\":1")),
              HasSubstr("its \"unit_rows\" is neither true nor false"));
  EXPECT_THAT(damage(with("\"divisor\"", "\"divisors\"")), HasSubstr("its \"divisor\" is missing"));
  EXPECT_THAT(damage(with("\"unset\":[", "\"unset\":[\"0\",")),
              HasSubstr("its \"unset\" is no list of numbers"));
  EXPECT_THAT(damage(with("25 <= age <= 60", "25 <= age <= old")), HasSubstr("nor a comparison"));
  EXPECT_THAT(damage(with("\"numbers\":{", "\"numbers\":[],\"old\":{")), HasSubstr("no names"));
  EXPECT_THAT(damage(with("\"missing\":\"mean\"", "\"missing\":\"ask\"")),
              HasSubstr("unknown rule"));
  EXPECT_THAT(damage(with("\"groups\":[\"a\",\"b\"]", "\"groups\":[\"a\"]")),
              HasSubstr("groups of its features"));
}

TEST(ModelText, ComesBackFromItsText) {
  const ModelText text{"score", {{"weights", "w"}, {"hidden", ""}, {"activation", "relu"}}};
  EXPECT_EQ(text.text(), "score activation=relu hidden= weights=w");
  const ModelText back = ModelText::parse(with_data(text.text(), "0a"));
  EXPECT_EQ(back.kind, "score");
  EXPECT_EQ(back.at("data"), "0a");
  EXPECT_EQ(back.at("hidden"), "");
  EXPECT_THROW((void)back.at("link"), base::DamagedError);
  EXPECT_THROW((void)ModelText::parse("score weights"), base::DamagedError);
}

/// Two features, two groups.
SharedFit plain() {
  SharedFit fit{.preparation = data::as_they_are({"x", "z"}), .groups = {"a", "b"}};
  fit.numbers["mean"] = {0.5, -1};
  return fit;
}

NamedNumbers numbers_of(const std::vector<double>& weights) {
  return [=](const std::string& name) {
    using All = std::vector<std::vector<double>>;
    return name == "w" ? All{weights} : All{};
  };
}

std::vector<double> said(FittedModel& model, const std::vector<double>& rows,
                         const std::vector<std::int32_t>& groups = {}) {
  const auto values = model.predict(rows, groups);
  return {values.begin(), values.end()};
}

TEST(ScoreModel, IsTheScoreOfTheCentredFeaturesAndMovesOneGroup) {
  const SharedFit fit = plain();
  const std::string text = "score activation=relu centred=mean hidden= weights=w";
  const std::vector<double> rows{1, 2, 0, 1};
  const auto model = make_model(fit, ModelText::parse(text), numbers_of({2, 3}));
  EXPECT_FALSE(model->needs_group());
  EXPECT_THAT(model->outputs(), ElementsAre("score"));
  EXPECT_THAT(said(*model, rows), ElementsAre(2 * 0.5 + 3 * 3, -1 + 6));
  const auto moved =
      make_model(fit, ModelText::parse(text + " moved_group=1"), numbers_of({2, 3, 0.5, 100}));
  EXPECT_TRUE(moved->needs_group());
  const std::vector<std::int32_t> groups{0, 1};
  EXPECT_THAT(said(*moved, rows, groups), ElementsAre(10, 0.5 * 5 + 100));
}

TEST(ScoreModel, ALogisticOneHasAProbabilityAndDecides) {
  const SharedFit fit = plain();
  const auto model = make_model(
      fit, ModelText::parse("score activation=tanh hidden=1 link=logistic threshold=0.5 weights=w"),
      numbers_of({1, 0, 0, 2, 0.25}));
  EXPECT_THAT(model->outputs(), ElementsAre("score", "probability", "decision"));
  const double high = 2 * base::tanh(1.0) + 0.25, low = 2 * base::tanh(-1.0) + 0.25;
  const std::vector<double> rows{1, 5, -1, 5};
  EXPECT_THAT(said(*model, rows),
              ElementsAre(high, base::sigmoid(high), 1, low, base::sigmoid(low), 0));
}

NamedNumbers members_of(const std::vector<std::vector<double>>& members,
                        const std::vector<double>& shares) {
  return [=](const std::string& name) {
    using All = std::vector<std::vector<double>>;
    return name == "m" ? members : name == "s" ? All{shares} : All{};
  };
}

TEST(DrawnScores, HaveTheProbabilityOfTheMembersThatDecideOne) {
  const SharedFit fit = plain();
  const ModelText text =
      ModelText::parse("drawn_scores activation=relu hidden= members=m shares=s");
  const std::vector<std::vector<double>> members{{1, 0, 0}, {0, 1, -2}, {0, 0, -1}};
  const auto model = make_model(fit, text, members_of(members, {0.5, 0.25, 0.25}));
  EXPECT_FALSE(model->needs_group());
  EXPECT_THAT(model->outputs(), ElementsAre("probability"));
  EXPECT_THAT(model->atoms(), ElementsAre(0, 1));
  EXPECT_THAT(said(*model, {0, 0, -1, 2, 1, 3}), ElementsAre(0.5, 0.25, 0.75));
  EXPECT_THAT(model->distribution(), ElementsAre(0.5, 0.5, 0.75, 0.25, 0.25, 0.75));
  const auto refused = [&](const std::vector<std::vector<double>>& other,
                           const std::vector<double>& shares) {
    EXPECT_THROW((void)make_model(fit, text, members_of(other, shares)), base::DamagedError);
  };
  refused(members, {0.5, 0.5});
  refused(members, {0.5, 0.5, 0.5});
  refused(members, {1.5, -0.25, -0.25});
  refused({{1, 0}}, {1});
  refused({}, {});
}

TEST(DrawnScores, StandBesideTheBestSingleOne) {
  const ModelText single = ModelText::parse(
      "score activation=relu data=d hidden= link=logistic members=m shares=s threshold=0.5 "
      "weights=w");
  EXPECT_EQ(randomised(single).text(),
            "drawn_scores activation=relu data=d hidden= members=m shares=s");
  EXPECT_THROW((void)randomised(ModelText::parse("score activation=relu hidden= weights=w")),
               base::InputError);
}

TEST(DrawnThresholds, HaveTheProbabilityOfTheRowsGroup) {
  const SharedFit fit{.preparation = data::as_they_are({"score"}), .groups = {"a", "b"}};
  const ModelText text = ModelText::parse("drawn_thresholds thresholds=w");
  constexpr double never = std::numeric_limits<double>::infinity();
  const std::vector<double> draws{0, 0.5, 0.25, 0, 0.75, 0.5, 0, never, 0.25, 1, 0.1, 1};
  const auto model = make_model(fit, text, numbers_of(draws));
  EXPECT_TRUE(model->needs_group());
  EXPECT_THAT(model->outputs(), ElementsAre("probability"));
  EXPECT_THAT(model->atoms(), ElementsAre(0, 1));
  const std::vector<double> rows{0.4, 0.5, 0.8, 0.05, 0.4};
  EXPECT_THAT(said(*model, rows, {0, 0, 0, 1, 1}), ElementsAre(0, 0.25, 0.75, 0, 1));
  EXPECT_THAT(model->distribution(), ElementsAre(1, 0, 0.75, 0.25, 0.25, 0.75, 1, 0, 0, 1));
  for (const std::vector<double>& others :
       {std::vector<double>{0, 0.5},             // no triples
        {0, 0.5, 1, 2, 0.5, 1},                  // no such group
        {0, 0.5, 1, 0.5, 0.5, 1},                // nor this one
        {0, 0.5, 0.7, 0, 0.6, 0.2, 1, 0.5, 1},   // at times no threshold decides
        {0, 0.5, 1.5, 0, 0.6, -0.5, 1, 0.5, 1},  // less often than never
        {0, 0.5, 1},                             // of one group only
        {0, std::nan(""), 1, 1, 0.5, 1}}) {
    EXPECT_THROW((void)make_model(fit, text, numbers_of(others)), base::DamagedError);
  }
}

TEST(FittedModel, WhatDoesNotFitIsDamaged) {
  const SharedFit fit = plain();
  const auto refused = [&](const std::string& text, const std::vector<double>& weights) {
    EXPECT_THROW((void)make_model(fit, ModelText::parse(text), numbers_of(weights)),
                 base::DamagedError)
        << text;
  };
  refused("oracle weights=w", {1});
  refused("score activation=relu hidden= weights=w", {1, 2});
  refused("score activation=relu hidden= weights=v", {1, 2, 3});
  refused("score activation=abs hidden= weights=w", {1, 2, 3});
  refused("score activation=relu hidden=0 weights=w", {1, 2, 3});
  refused("score activation=relu hidden=1,2,999999999999 weights=w", {1, 2, 3});
  refused("score activation=relu centred=median hidden= weights=w", {1, 2});
  refused("score activation=relu hidden= moved_group=2 weights=w", {1, 2, 3, 1, 0});
  refused("score activation=relu hidden= moved_group=0 weights=w", {1});
  refused("score activation=relu hidden= threshold=half weights=w", {1, 2, 3});
  refused("thresholds thresholds=w", {1, 2});
  refused("soft beta=1 multipliers=w rule=mean", {1, 2});
  refused("base", {});
  refused("centres centres=w", {1, 2, 3});
  refused("score activation=relu hidden=2 intercept=first weights=w", {1, 2, 3, 4, 5, 6, 7, 8, 9});
  refused("mixture atoms=w intercept=0 mixture=w rule=mean weights=w", {1, 2});
}

}  // namespace
}  // namespace fairfront::models
