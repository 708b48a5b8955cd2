#include "config/config.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <set>

#include "base/quotation.hpp"
#include "base/text.hpp"
#include "config/fake_sections.hpp"
#include "config/option_values.hpp"

namespace fairfront::config::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> values_of(const Config& config, const std::string& name) {
  return option_of(config, name).values;
}

TEST(Config, AnEmptyMethodSectionTakesPartWithItsDefaults) {
  const Config config = config_of("experiment = fake\n[beta]\n");
  EXPECT_THAT(config.methods, ElementsAre("beta"));
  EXPECT_THAT(values_of(config, "beta.rate"), ElementsAre("1"));
  EXPECT_EQ(option_of(config, "beta.rate").origin, "default");
  EXPECT_THAT(values_of(config, "seed"), ElementsAre("1"));
  EXPECT_TRUE(config.axes.empty());
  EXPECT_THROW((void)option_of(config, "alpha.steps"), std::out_of_range);
}

TEST(Config, AFormerNameIsAcceptedWithAWarning) {
  const Config config = config_of("[problem]\nfactor = 3, 4\n[alpha]\n");
  EXPECT_THAT(values_of(config, "problem.scale"), ElementsAre("3", "4"));
  ASSERT_EQ(config.warnings.size(), 1u);
  EXPECT_THAT(config.warnings[0],
              testing::AllOf(testing::HasSubstr(":2: 'problem.factor' is now called "
                                                "'problem.scale'"),
                             testing::HasSubstr("accepted in this version")));
  const Config now = config_of("[problem]\nscale = 3, 4\n[alpha]\n");
  EXPECT_TRUE(now.warnings.empty());
  EXPECT_EQ(to_text(now), to_text(config));
  for (const char* key : {"stretch", "problem.stretch"}) {
    const Config above = config_of(std::string(key) + " = 3\n[problem]\n[alpha]\n");
    EXPECT_THAT(values_of(above, "problem.scale"), ElementsAre("3"));
    EXPECT_EQ(above.warnings.size(), 1u);
  }
  EXPECT_THROW((void)config_of("[problem]\nfactor = 3\nscale = 3\n[alpha]\n"), base::InputError);
}

struct ComparedOptions {
  std::string model, reference;
};
base::OptionTable options_of(ComparedOptions& options) {
  base::OptionTable table("compared");
  table.add("model", options.model, "Models.");
  table.add("reference", options.reference, "What they are compared with.");
  table.unless_set("reference", {"model", "alpha"});
  return table;
}

TEST(Config, AnOptionThatIsNotSetIsTheFirstValueOfAnotherWhereAMethodTakesPart) {
  const auto reference = [](const std::string& method, const std::string& lines) {
    std::vector<Section> sections = fake_sections();
    sections.push_back(make_section<ComparedOptions>({.name = "compared", .title = "Models"}));
    return values_of(config_of("[" + method + "]\n[compared]\n" + lines, {}, std::move(sections)),
                     "compared.reference");
  };
  EXPECT_THAT(reference("alpha", "model = a, b, c\n"), ElementsAre("a"));
  EXPECT_THAT(reference("alpha", "model = a\n"), ElementsAre("a"));
  EXPECT_THAT(reference("beta", "model = a, b\n"), ElementsAre(""));
  EXPECT_THAT(reference("alpha", "reference = b\nmodel = a, b\n"), ElementsAre("b"));
  EXPECT_THAT(reference("alpha", "model = a, b\nreference =\n"), ElementsAre(""));
}

TEST(Config, MethodsComeInTheOrderOfTheFile) {
  EXPECT_THAT(config_of("[beta]\n[data]\n[alpha]\n").methods, ElementsAre("beta", "alpha"));
}

TEST(Config, SharedSectionsAreInUseWithoutBeingWritten) {
  EXPECT_THAT(values_of(config_of("[alpha]"), "problem.size"), ElementsAre("5"));
}

TEST(Config, SeveralValuesMakeAnAxisInTheOrderOfTheFile) {
  const Config config =
      config_of("seed = 3, 1\n[alpha]\nsteps = 1..3, 10\n[problem]\ncolour = red, blue\n");
  ASSERT_EQ(config.axes.size(), 3u);
  EXPECT_EQ(config.options[config.axes[0]].name(), "seed");
  EXPECT_EQ(config.options[config.axes[1]].name(), "alpha.steps");
  EXPECT_EQ(config.options[config.axes[2]].name(), "problem.colour");
  EXPECT_THAT(values_of(config, "seed"), ElementsAre("3", "1"));
  EXPECT_THAT(values_of(config, "alpha.steps"), ElementsAre("1", "2", "3", "10"));
}

struct AskingOptions {
  std::string question = "one";
};
base::OptionTable options_of(AskingOptions& options) {
  base::OptionTable table("asking");
  table.add("question", options.question, "What is asked.");
  table.assign_role(base::Role::problem, {"question"});
  return table;
}

TEST(Config, MethodsThatAskDifferentQuestionsHaveAnAxisEach) {
  const auto axes = [](const std::string& first, const std::string& second) {
    std::vector<Section> sections = fake_sections();
    for (const char* name : {"gamma", "delta"}) {
      sections.push_back(
          make_section<AskingOptions>({.name = name, .title = "Asks", .is_method = true}));
    }
    const Config config =
        config_of("[beta]\n[gamma]\n" + first + "[delta]\n" + second, {}, std::move(sections));
    std::vector<std::string> names;
    for (const std::size_t axis : config.axes) names.push_back(config.options[axis].name());
    return names;
  };
  EXPECT_TRUE(axes("", "").empty());
  EXPECT_TRUE(axes("question = two\n", "question = two\n").empty());
  EXPECT_THAT(axes("", "question = two\n"), ElementsAre("gamma.question", "delta.question"));
  EXPECT_THAT(axes("question = one\n", "question = two, one\n"),
              ElementsAre("delta.question", "gamma.question"));
  EXPECT_THAT(axes("question = one, two\n", "question = one, two\n"),
              ElementsAre("gamma.question", "delta.question"));
}

TEST(Config, ValuesAreRewrittenInTheirCanonicalForm) {
  const Config config =
      config_of("[problem]\nscale = 0.10, 2^-2, 1e3, 10^6\n[alpha]\nsteps = +7\n");
  EXPECT_THAT(values_of(config, "problem.scale"), ElementsAre("0.1", "0.25", "1000", "1e+06"));
  EXPECT_THAT(values_of(config, "alpha.steps"), ElementsAre("7"));
}

TEST(Config, AListIsOneValueAndABarSeparatesAlternatives) {
  EXPECT_THAT(values_of(config_of("[data]\ncolumns = a,b\n[alpha]\n"), "data.columns"),
              ElementsAre("a, b"));
  EXPECT_THAT(values_of(config_of("[data]\ncolumns = a, b | c\n[alpha]\n"), "data.columns"),
              ElementsAre("a, b", "c"));
}

TEST(Config, AQuotedValueIsTakenLiterally) {
  EXPECT_THAT(values_of(config_of("[data]\nseparator = \",\"\n[alpha]\n"), "data.separator"),
              ElementsAre(","));
  EXPECT_THAT(
      values_of(config_of("[data]\nname = \"a \"\"b\"\", # c\", d\n[alpha]\n"), "data.name"),
      ElementsAre("a \"b\", # c", "d"));
}

TEST(Config, ATextMayLookLikeAShortForm) {
  EXPECT_THAT(values_of(config_of("[data]\nname = 1..3, range(1, 2), 2^3\n[alpha]\n"), "data.name"),
              ElementsAre("1..3", "range(1, 2)", "2^3"));
}

TEST(Config, ABareNameFindsItsOnlySection) {
  const Config config = config_of("size = 7\nsteps = 3\nbeta.rate = 2\n[alpha]\n[beta]\n");
  EXPECT_THAT(values_of(config, "problem.size"), ElementsAre("7"));
  EXPECT_THAT(values_of(config, "alpha.steps"), ElementsAre("3"));
  EXPECT_THAT(values_of(config, "beta.rate"), ElementsAre("2"));
  EXPECT_THAT(values_of(config_of("tolerance = 2\n[beta]\n"), "beta.tolerance"), ElementsAre("2"));
}

TEST(Config, AnOverrideReplacesTheFileAndTheLastOneWins) {
  const Config config =
      config_of("seed = 1..3\n[alpha]\nsteps = 1, 2\n", {"seed=9", "alpha.steps=3", "steps=4, 5"});
  EXPECT_THAT(values_of(config, "seed"), ElementsAre("9"));
  EXPECT_THAT(values_of(config, "alpha.steps"), ElementsAre("4", "5"));
  EXPECT_EQ(option_of(config, "alpha.steps").origin, "--set steps=4, 5");
  EXPECT_EQ(config.axes.size(), 1u);
}

TEST(Config, AnEmptyValueIsAnEmptyText) {
  EXPECT_THAT(values_of(config_of("[data]\nname =\n[alpha]\n"), "data.name"), ElementsAre(""));
}

TEST(ConfigErrors, AnUnknownSectionHasAHint) {
  EXPECT_EQ(config_error("[alpah]\n"),
            "test.ini:1: experiment 'fake' has no section [alpah] (did you mean 'alpha'?)");
}

TEST(ConfigErrors, AnUnknownKeyHasAHint) {
  EXPECT_EQ(config_error("[alpha]\n\nstep = 3\n"),
            "test.ini:3: section [alpha] has no option 'step' (did you mean 'steps'?)");
  EXPECT_EQ(config_error("sed = 3\n[alpha]\n"),
            "test.ini:1: no option 'sed' (did you mean 'seed'?)");
  EXPECT_EQ(config_error("[alpha]\nxyzxyz = 3\n"),
            "test.ini:2: section [alpha] has no option 'xyzxyz' (valid: steps, tolerance)");
}

TEST(ConfigErrors, AnInvisibleCharacterInAKeyIsSpelledOut) {
  EXPECT_THAT(config_error("\xEF\xBF\xBBseed = 3\n[alpha]\n"),
              testing::HasSubstr("no option '\\ufffbseed'"));
}

TEST(ConfigErrors, AnOptionOfAMethodThatTakesNoPartIsExplained) {
  EXPECT_EQ(config_error("rate = 3\n[alpha]\n"),
            "test.ini:1: 'rate' is an option of [beta], which this config does not use");
  EXPECT_EQ(config_error("[alpha]\n", {"beta.rate=3"}),
            "--set beta.rate=3: [beta] does not take part in this config; write the section "
            "[beta] into it");
  EXPECT_EQ(config_error("[alpha]\n", {"bata.rate=3"}),
            "--set bata.rate=3: experiment 'fake' has no section [bata] (did you mean 'data'?)");
}

TEST(ConfigErrors, AnAmbiguousNameListsTheFullOnes) {
  EXPECT_EQ(config_error("tolerance = 3\n[alpha]\n[beta]\n"),
            "test.ini:1: 'tolerance' is ambiguous: write one of alpha.tolerance, beta.tolerance");
}

TEST(ConfigErrors, ABadValueNamesKeyValueAndRule) {
  EXPECT_EQ(config_error("[problem]\nsize = 0\n[alpha]\n"),
            "test.ini:2: problem.size = '0', must be an integer >= 1");
  EXPECT_EQ(config_error("[problem]\nsize = 1e3\n[alpha]\n"),
            "test.ini:2: problem.size = '1e3', must be an integer >= 1");
  EXPECT_EQ(config_error("[problem]\nsize =\n[alpha]\n"),
            "test.ini:2: problem.size = '', must be an integer >= 1");
  EXPECT_EQ(config_error("[alpha]\n", {"colour=gren"}),
            "--set colour=gren: problem.colour = 'gren', must be one of red, green, blue (did you "
            "mean 'green'?)");
  EXPECT_EQ(config_error("seed = -1\n[alpha]\n"),
            "test.ini:1: config.seed = '-1', must be an integer >= 0");
  EXPECT_EQ(config_error("[problem]\nshuffled = yes\n[alpha]\n"),
            "test.ini:2: problem.shuffled = 'yes', must be true or false");
}

TEST(ConfigErrors, OneBadValueOfAnAxisIsEnough) {
  EXPECT_EQ(config_error("[problem]\nsize = -1..2\n[alpha]\n"),
            "test.ini:2: problem.size = '-1', must be an integer >= 1");
  EXPECT_EQ(config_error("[problem]\nsize = linspace(1, 2, 3)\n[alpha]\n"),
            "test.ini:2: problem.size = '1.5', must be an integer >= 1");
}

TEST(ConfigErrors, ABrokenShortFormSaysWhatIsWrong) {
  EXPECT_EQ(config_error("[problem]\nsize = 5..1\n[alpha]\n"),
            "test.ini:2: problem.size = '5..1': the step leads away from the last value");
}

TEST(ConfigErrors, AValueThatOccursTwiceOrIsMissingIsAnError) {
  EXPECT_EQ(config_error("[problem]\nscale = 0.1, 0.10\n[alpha]\n"),
            "test.ini:2: problem.scale = '0.1, 0.10': the value '0.1' occurs twice");
  EXPECT_EQ(config_error("[problem]\nscale = 1,,2\n[alpha]\n"),
            "test.ini:2: problem.scale = '1,,2': a value is missing beside a separator");
  EXPECT_EQ(config_error("seed = 1,\n[alpha]\n"),
            "test.ini:1: config.seed = '1,': a value is missing beside a separator");
}

TEST(ConfigErrors, ABrokenQuotationIsAnError) {
  EXPECT_EQ(config_error("[data]\nname = \"a\" b\n[alpha]\n"),
            "test.ini:2: data.name = '\"a\" b': there is text behind the closing \"");
  EXPECT_EQ(config_error("[alpha]\n", {"name=\"a"}),
            "--set name=\"a: data.name = '\"a': the quotation has no closing \"");
}

TEST(ConfigErrors, SeveralShortFormsTogetherHaveALimitToo) {
  std::string text = "seed = 0..999999";
  for (int i = 1; i < 1000; ++i) text += fmt::format(", {}000000..{}999999", i, i);
  EXPECT_THAT(config_error(text + "\n[alpha]\n"), testing::HasSubstr("more than 1000000 values"));
}

TEST(ConfigErrors, ALongValueIsNotRepeatedInTheMessage) {
  const std::string nines(1'000'000, '9');
  for (const std::string& value :
       {nines, "1, " + nines, "(" + nines, nines + "..1", "2^" + nines}) {
    const std::string message = config_error("[problem]\nsize = " + value + "\n[alpha]\n");
    EXPECT_THAT(message, testing::StartsWith("test.ini:2: problem.size = '"));
    EXPECT_LT(message.size(), 1000u);
  }
}

TEST(PlaceOf, IsTheLineOfTheOptionThatAMessageNames) {
  const Config config =
      config_of("seed = 3\n[problem]\nsize = 4\n[alpha]\nsteps = 2\n", {"alpha.tolerance=0.25"});
  EXPECT_EQ(place_of(config, "problem.size = 4, must be <= 3"), "test.ini:3");
  EXPECT_EQ(place_of(config, "problem::size = 4, must be <= 3"), "test.ini:3");
  EXPECT_EQ(place_of(config, "the set 'toy': size = 4, but there are 3"), "test.ini:3");
  EXPECT_EQ(place_of(config, "alpha.tolerance is too small"), "--set alpha.tolerance=0.25");
  EXPECT_EQ(place_of(config, "alpha.steps and problem.size: 2 < 4"), "test.ini:5");
  EXPECT_EQ(place_of(config, "seed = 3 is bad"), "test.ini:1");
}

TEST(PlaceOf, IsTheFileWhenNoOptionIsNamedOrItHasItsDefault) {
  const Config config = config_of("[problem]\nsize = 4\n[alpha]\n");
  EXPECT_EQ(place_of(config, "something else"), "test.ini");
  EXPECT_EQ(place_of(config, "problem.scale = 1, must be 2"), "test.ini");
  EXPECT_EQ(place_of(config, "problem.sizes, my.problem.size, /problem.size.csv"), "test.ini");
}

TEST(ConfigErrors, TheSameOptionUnderTwoNamesIsADuplicate) {
  EXPECT_EQ(config_error("size = 3\n[problem]\nsize = 4\n[alpha]\n"),
            "test.ini:3: 'problem.size' occurs twice, first at test.ini:1");
}

TEST(ConfigErrors, AtLeastOneMethodMustTakePart) {
  EXPECT_EQ(config_error("[data]\n"),
            "test.ini: no method takes part: add the section of at least one (valid: alpha, beta)");
}

const std::vector<std::string> known{"other", "fake"};

TEST(ChooseExperiment, FindsTheOneThatTheConfigNames) {
  EXPECT_EQ(choose_experiment(scan_config("experiment = fake", "t"), known), 1u);
  ConfigText overridden = scan_config("experiment = other", "t");
  add_override(overridden, "experiment=fake");
  EXPECT_EQ(choose_experiment(overridden, known), 1u);
}

TEST(ChooseExperiment, AMissingOrUnknownNameIsAnError) {
  EXPECT_EQ(message_of([&] {
              (void)choose_experiment(scan_config("[a]\nexperiment = fake", "t"), known);
            }),
            "t: no experiment is named: write 'experiment = ...' above the first section (valid: "
            "other, fake)");
  EXPECT_EQ(
      message_of([&] { (void)choose_experiment(scan_config("\nexperiment = fak", "t"), known); }),
      "t:2: experiment = 'fak': there is no such experiment (did you mean 'fake'?)");
}

TEST(ConfigEntries, HoldEveryOptionInUseWithAllItsValues) {
  const auto entries = config_entries(config_of("seed = 1..3\n[problem]\nsize = 2\n[beta]\n"));
  ASSERT_EQ(entries.size(), 1u + 1u + 3u + 4u + 2u);
  EXPECT_EQ(entries[0].key, "experiment");
  EXPECT_EQ(entries[0].value, "fake");
  EXPECT_EQ(entries[1].section, "");
  EXPECT_EQ(entries[1].key, "seed");
  EXPECT_EQ(entries[1].value, "1, 2, 3");
  EXPECT_EQ(entries[3].key, "separator");
  EXPECT_EQ(entries[3].value, "\",\"");
  EXPECT_EQ(entries.back().section, "beta");
}

/// Texts with every character that means something in a config.
std::string any_text() {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::element('a', ' ', ',', '|', '"', '#', ';', '(', ')', '=', '[', '.', '1'));
  return text;
}

std::vector<std::string> any_texts() {
  std::vector<std::string> texts;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) texts.push_back(any_text());
  return texts;
}

TEST(ConfigRoundTrip, WhatIsWrittenReadsBackToTheSameValues) {
  EXPECT_TRUE(rc::check([] {
    Config config = config_of("[data]\n[alpha]\n[beta]\n");
    for (ConfigOption& option : config.options) {
      if (option.name() != "data.name" && option.name() != "data.columns") continue;
      std::set<std::string> texts;
      for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
        texts.insert(option.info.is_list ? base::format_list(any_texts()) : any_text());
      }
      option.values = {texts.begin(), texts.end()};
    }
    const Config again = config_of(to_text(config));
    RC_ASSERT(again.methods == config.methods);
    for (std::size_t i = 0; i < config.options.size(); ++i) {
      RC_ASSERT(again.options[i].name() == config.options[i].name());
      RC_ASSERT(again.options[i].values == config.options[i].values);
    }
  }));
}

TEST(ConfigRoundTrip, NumbersReadBackToTheSameBits) {
  EXPECT_TRUE(rc::check([](double value) {
    RC_PRE(value > 0);
    const std::string text = base::format_double(value);
    const Config config = config_of("[problem]\nscale = " + text + "\n[alpha]\n");
    RC_ASSERT(base::parse_double(values_of(config, "problem.scale")[0]) == value);
    RC_ASSERT(values_of(config_of(to_text(config)), "problem.scale")[0] == text);
  }));
}

}  // namespace
}  // namespace fairfront::config::test
