// One word means one thing: what an option's name says is the same in every section.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/options.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "config/section.hpp"
#include "experiments/registry.hpp"
#include "metrics/common_names.hpp"

namespace fairfront::experiments {
namespace {

struct NamedOption {
  std::string place;  ///< "[section] of experiment"
  base::OptionInfo info;
};

std::vector<NamedOption> all_options() {
  std::vector<NamedOption> all;
  for (const auto& experiment : registry()) {
    for (const config::Section& section : experiment->sections()) {
      for (base::OptionInfo& info : section.open()->infos()) {
        all.push_back({"[" + section.name + "] of " + experiment->name(), std::move(info)});
      }
    }
  }
  return all;
}

/// Number, list, text, yes or no, or a choice.
std::string kind_of(const base::OptionInfo& info) {
  if (info.type == "true|false") return "yes or no";
  if (info.type == "integer") return "number";
  return info.type.find('|') == std::string::npos ? info.type : "choice";
}

TEST(Vocabulary, OptionsOfOneNameTakeOneKindOfValue) {
  std::map<std::string, NamedOption> first;
  for (const NamedOption& option : all_options()) {
    // [tuning] lists the values of `step` to try, and two papers have a letter tau.
    if (option.info.name == "steps" || option.info.name == "tau") continue;
    const auto [known, is_new] = first.emplace(option.info.name, option);
    if (is_new) continue;
    EXPECT_EQ(kind_of(option.info), kind_of(known->second.info))
        << option.info.name << " in " << option.place << " and " << known->second.place;
  }
}

/// Sentences, in front of which may stand the symbol that a paper has, or the form of data that
/// they are of, such as "tau: " or "csv: ".
TEST(Vocabulary, OptionsAreExplainedBySentences) {
  for (const NamedOption& option : all_options()) {
    const std::string& text = option.info.meaning;
    const std::size_t colon = text.find(": ");
    const bool has_symbol = colon != std::string::npos &&
                            (text.find(' ') > colon || option.place.starts_with("[data]"));
    ASSERT_FALSE(text.empty()) << option.info.name << " in " << option.place;
    EXPECT_TRUE(text.ends_with('.')) << option.info.name << " in " << option.place << ": " << text;
    const char first = text.front();
    const bool begins = (first >= 'A' && first <= 'Z') || first == '`' || has_symbol;
    EXPECT_TRUE(begins) << option.info.name << " in " << option.place << ": " << text;
  }
}

TEST(Vocabulary, CommonNamesOfMeasuresAreNamesOfNothingElse) {
  std::set<std::string, std::less<>> measures;
  for (const auto& experiment : registry()) {
    for (const auto& measure : experiment->schema().measures) measures.insert(measure.what.name);
  }
  for (const auto& [common, own] : metrics::common_names) {
    EXPECT_FALSE(measures.contains(common)) << common;
    EXPECT_TRUE(measures.contains(own)) << own;
    EXPECT_EQ(metrics::measure_called(common), own);
  }
  EXPECT_EQ(metrics::measure_called("error"), "error");
}

/// What a word means, by what its explanation must speak of.
struct Word {
  std::string_view name;
  std::vector<std::string_view> speaks_of;  ///< one of them
};

TEST(Vocabulary, AWordMeansOneThing) {
  const std::array words{
      Word{"confidence", {"onfidence"}},
      Word{"bound", {"ound of the gap", "`bound`"}},
      Word{"tolerance", {"at which", "ends when", "Largest stationarity"}},
      Word{"largest_multiplier", {"multipliers", "uals"}},
      Word{"scaling", {"Scaling of"}},
      Word{"fairness", {"nfairness", "to be close", "ifference"}},
      Word{"target", {"label is"}},
      Word{"seed", {"andom", "trials"}},
      Word{"levels", {"floors"}},
  };
  for (const NamedOption& option : all_options()) {
    const auto word = std::ranges::find(words, option.info.name, &Word::name);
    if (word == words.end()) continue;
    const bool means_it = std::ranges::any_of(word->speaks_of, [&](std::string_view text) {
      return option.info.meaning.find(text) != std::string::npos;
    });
    EXPECT_TRUE(means_it) << option.info.name << " in " << option.place << ": "
                          << option.info.meaning;
  }
}

TEST(Vocabulary, WordsThatWereGivenUpAreNoNames) {
  const std::array<std::string_view, 7> given_up{"level",       "dual_bound",    "multiplier_bound",
                                                 "standardise", "row_normalise", "relative_gap",
                                                 "gap"};
  for (const NamedOption& option : all_options()) {
    EXPECT_EQ(std::ranges::find(given_up, option.info.name), given_up.end())
        << option.info.name << " in " << option.place;
  }
}

TEST(Vocabulary, AFormerNameIsNotThatOfAnotherOptionOfItsSection) {
  for (const auto& experiment : registry()) {
    for (const config::Section& section : experiment->sections()) {
      const auto table = section.open();
      for (const base::OptionInfo& info : table->infos()) {
        for (const std::string& former : info.former) {
          EXPECT_FALSE(table->has(former)) << section.name << "." << former;
        }
      }
    }
  }
}

config::Config clustering_of(const std::string& sections) {
  const sweep::Experiment& clustering = find("clustering");
  return config::resolve(config::scan_config(sections + "[lloyd]\n", "test.ini"), "clustering",
                         clustering.sections());
}

TEST(Vocabulary, AnOptionThatMovedIsKnownInItsFormerSectionByItsFormerNames) {
  const config::Config config =
      clustering_of("[data]\nscaling = zscore\nrow_normalise = unit\n[clustering]\n");
  std::map<std::string, std::string> values;
  for (const config::ConfigOption& option : config.options) values[option.name()] = option.text();
  EXPECT_EQ(values.at("preparation.scaling"), "zscore");
  EXPECT_EQ(values.at("preparation.row_scaling"), "unit");
  EXPECT_FALSE(values.contains("data.scaling"));
  ASSERT_EQ(config.warnings.size(), 2u);
  EXPECT_EQ(config.warnings[0],
            "test.ini:2: 'data.scaling' is now called 'preparation.scaling'; the former name is "
            "accepted in this version");
  EXPECT_THROW((void)clustering_of("[data]\nscaling = none\n[preparation]\nscaling = zscore\n"),
               base::InputError)
      << "given twice";
}

}  // namespace
}  // namespace fairfront::experiments
