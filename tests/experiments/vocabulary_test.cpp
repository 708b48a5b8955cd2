// One word means one thing: what an option's name says is the same in every section.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
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

/// Verbs that the first clause of an explanation may have; a new one joins them.
const std::set<std::string, std::less<>>& verbs() {
  static const std::set<std::string, std::less<>> all{
      "aims",    "are",    "become",  "becomes",  "begin",  "begins", "bounds", "calls",
      "chooses", "come",   "comes",   "count",    "counts", "decays", "define", "defines",
      "differ",  "do",     "does",    "draw",     "draws",  "end",    "ends",   "exchanges",
      "find",    "finds",  "follows", "get",      "gets",   "gives",  "goes",   "has",
      "have",    "hold",   "holds",   "is",       "keep",   "keeps",  "lie",    "learns",
      "lies",    "looks",  "make",    "makes",    "may",    "mean",   "means",  "move",
      "must",    "name",   "names",   "relabels", "should", "spend",  "stand",  "stands",
      "start",   "starts", "swaps",   "take",     "takes",  "tries",  "was"};
  return all;
}

/// The words of the text up to the first mark after which something else may begin.
std::vector<std::string> first_clause(const std::string& text) {
  std::vector<std::string> words(1);
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool last = k + 1 == text.size() || text[k + 1] == ' ';
    if (last && (text[k] == '.' || text[k] == ';' || text[k] == ':')) break;
    if (text[k] == ' ') {
      words.emplace_back();
    } else if (text[k] != ',') {
      words.back() += text[k];
    }
  }
  return words;
}

/// Whole sentences: no symbol of a paper in front ("tau: ..."), no form of data ("csv: ..."), no
/// value with a colon behind it ("0: none"), and a verb before anything else.
TEST(Vocabulary, OptionsAreExplainedBySentences) {
  for (const NamedOption& option : all_options()) {
    const std::string& text = option.info.meaning;
    const std::string what = option.info.name + " in " + option.place + ": " + text;
    ASSERT_FALSE(text.empty()) << what;
    EXPECT_TRUE(text.ends_with('.')) << what;
    EXPECT_TRUE((text.front() >= 'A' && text.front() <= 'Z') || text.front() == '`') << what;
    const std::vector<std::string> clause = first_clause(text);
    EXPECT_GT(clause.size(), 1u) << what << " (begins with a symbol)";
    EXPECT_TRUE(
        std::ranges::any_of(clause, [](const std::string& word) { return verbs().contains(word); }))
        << what << " (its first clause has no verb)";
    for (std::size_t at = 0; (at = text.find(": ", at)) != std::string::npos; ++at) {
      const std::size_t begin = text.find_last_of(" ", at);
      EXPECT_TRUE(begin != std::string::npos && begin > 0 && text[begin - 1] != '.' &&
                  text[begin - 1] != ';')
          << what << " (a value with a colon is no clause)";
    }
  }
}

/// Whether the sentence that begins here is a question without its question mark: "Which column is
/// predicted", "On which rows ...", "For which c ...". `Where` may begin a later sentence that goes
/// on behind a comma: "Where there is none, nothing is compared."
bool is_indirect_question(std::string_view sentence, bool is_first) {
  const std::set<std::string, std::less<>> question{"how",     "what",  "when",
                                                    "whether", "which", "who"};
  std::vector<std::string> words = first_clause(std::string(sentence));
  words.resize(std::min<std::size_t>(words.size(), 3));
  for (std::string& word : words)
    word.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(word.front())));
  if (words.front() == "where") {
    return is_first || sentence.substr(0, sentence.find(". ")).find(", ") == std::string_view::npos;
  }
  const std::set<std::string, std::less<>> before{"about", "after", "at",   "by",   "for",
                                                  "from",  "in",    "into", "on",   "over",
                                                  "to",    "under", "up",   "with", "within"};
  const auto asks = [&](const std::string& word) { return question.contains(word); };
  return asks(words.front()) ||
         (before.contains(words.front()) && std::ranges::any_of(words, asks));
}

/// The first sentence may have been the rest of "--option: ", such as "Which column is predicted.".
TEST(Vocabulary, OptionsAreNotExplainedByQuestions) {
  for (const NamedOption& option : all_options()) {
    const std::string& text = option.info.meaning;
    const std::string what = option.info.name + " in " + option.place + ": " + text;
    EXPECT_GT(std::ranges::count(text, ' '), 2) << what << " (three words say too little)";
    for (std::size_t begin = 0; begin < text.size();) {
      EXPECT_FALSE(is_indirect_question(std::string_view(text).substr(begin), begin == 0)) << what;
      const std::size_t end = text.find(". ", begin);
      begin = end == std::string::npos ? text.size() : end + 2;
    }
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
      Word{"margin", {"difference of scores"}},
      Word{"reserve", {"inside the bounds"}},
      Word{"spacing", {"on the front", "front's"}},
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
    // A gap is the unfairness between two groups, which options bound: none has it in its own name.
    EXPECT_FALSE(option.info.name.ends_with("_gap")) << option.info.name << " in " << option.place;
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
