#include "column_roles.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.hpp"

namespace fairfront::drivers {
namespace {

using Words = std::set<std::string>;

constexpr std::size_t most_groups = 10;

/// "native_country2" as "native", "country", in lower case; numbers behind words count models.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char letter : base::in_lower_case(name)) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      words.back() += letter;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.size() > 1 && words.back().empty()) words.pop_back();
  for (std::string& word : words) {
    const std::size_t last = word.find_last_not_of("0123456789");
    if (last != std::string::npos) word.erase(last + 1);
  }
  return words;
}

bool has_word(const std::string& name, const Words& known) {
  return std::ranges::any_of(words_of(name),
                             [&](const std::string& word) { return known.contains(word); });
}

const Words train_words{"train", "training"};
const Words validation_words{"validation", "valid", "val", "dev"};
const Words test_words{"test", "testing", "holdout", "heldout", "outofsample"};

/// Whether the name says one part and nothing else, such as "is_test" or "holdout": "blood_test" is
/// no part.
bool names_one_part(const std::string& name) {
  static const Words beside{"is", "in", "hold", "out", "held", "flag", "sample"};
  const std::vector<std::string> words = words_of(name);
  const auto is_part = [](const std::string& word) {
    return word == "hold" || word == "held" || train_words.contains(word) ||
           test_words.contains(word);
  };
  return std::ranges::any_of(words, is_part) && std::ranges::all_of(words, [&](const auto& word) {
           return is_part(word) || beside.contains(word);
         });
}

/// Of two values, of which one says that the row is of the part.
bool is_yes(const std::string& level) {
  static const Words yes{"1", "true", "yes", "t", "y"};
  return yes.contains(base::in_lower_case(level));
}

bool is_no(const std::string& level) {
  static const Words no{"0", "false", "no", "f", "n"};
  return no.contains(base::in_lower_case(level));
}

/// A column such as "is_test": whether a row is of the part that its name says.
bool is_one_part(const ColumnFacts& column) {
  if (!column.has_two() || !names_one_part(column.name)) return false;
  return std::ranges::all_of(
      column.levels, [](const auto& level) { return is_yes(level.first) || is_no(level.first); });
}

PartNames names_of_one_part(const ColumnFacts& column) {
  const std::vector<std::string> words = words_of(column.name);
  const bool says_train = std::ranges::any_of(
      words, [](const std::string& word) { return train_words.contains(word); });
  PartNames names;
  for (const auto& [level, rows] : column.levels) {
    (is_yes(level) == says_train ? names.train : names.test).push_back(level);
  }
  return names;
}

}  // namespace

bool looks_like_groups(const ColumnFacts& column) {
  static const Words known{"sex",      "gender",      "race",       "ethnicity", "ethnic",
                           "religion", "nationality", "disability", "disabled",  "orientation",
                           "marital",  "citizen",     "group"};
  return has_word(column.name, known) && !column.is_constant() && !column.many &&
         column.levels.size() <= most_groups;
}

bool is_named_truth(const ColumnFacts& column) {
  static const Words known{"true", "truth", "actual", "actuals", "observed"};
  return has_word(column.name, known) && !column.is_constant() && !is_named_prediction(column);
}

bool looks_like_label(const ColumnFacts& column) {
  static const Words known{"label", "target",   "outcome", "class",  "y",
                           "hired", "approved", "default", "income", "decision"};
  return has_word(column.name, known) && !column.is_constant() && !is_named_prediction(column);
}

bool looks_like_target(const ColumnFacts& column) {
  static const Words known{"salary", "wage",    "wages",    "earnings", "pay",
                           "price",  "charges", "expenses", "grade",    "gpa"};
  return has_word(column.name, known) && column.is_number() && !column.is_constant();
}

bool is_named_prediction(const ColumnFacts& column) {
  static const Words alone{"pred",        "preds", "predict", "predicted", "prediction",
                           "predictions", "proba", "yhat",    "logit"};
  static const Words of_y{"score", "scores", "prob", "probs", "hat"};
  if (column.is_constant()) return false;
  return has_word(column.name, alone) ||
         (words_of(column.name).front() == "y" && has_word(column.name, of_y));
}

bool may_be_prediction(const ColumnFacts& column) {
  static const Words known{"score", "scores", "prob", "probs", "probability", "risk", "model"};
  return is_decision_or_number(column) && column.least >= 0 && column.greatest <= 1 &&
         has_word(column.name, known);
}

bool is_decision_or_number(const ColumnFacts& column) {
  constexpr double threshold = 0.5;  // the default of an audit
  if (!column.is_number() || column.is_constant()) return false;
  return !column.has_two() || (column.least < threshold && column.greatest >= threshold);
}

bool is_decision_by_value(const ColumnFacts& column) {
  if (!column.has_two() || is_decision_or_number(column)) return false;
  return column.is_number() ? column.whole : column.numbers == 0;
}

bool looks_like_number_of_row(const ColumnFacts& column, std::int64_t rows) {
  static const Words known{"id", "index", "key", "uuid", ""};
  if (column.is_number() && !column.whole) return false;  // a body mass index
  const bool is_named_so = has_word(column.name, known);
  if (column.many) return is_named_so;  // not all of its values were compared
  return std::ssize(column.levels) == rows && (is_named_so || !column.is_number());
}

bool looks_like_parts(const ColumnFacts& column) {
  static const Words known{"split", "part", "partition", "fold", "set", "subset", "dataset"};
  if (column.many || column.is_constant()) return false;
  return has_word(column.name, known) || !part_names(column).test.empty();
}

bool first_line_looks_like_row(const TableFacts& table) {
  const auto cells = std::ranges::count_if(table.columns, [](const ColumnFacts& column) {
    if (column.levels.contains(column.name)) return true;
    const auto number = base::parse_double(column.name);
    return number && column.is_number() && *number >= column.least && *number <= column.greatest;
  });
  return 2 * cells >= std::ssize(table.columns);
}

PartNames part_names(const ColumnFacts& column) {
  if (column.many || column.is_constant()) return {};
  if (is_one_part(column)) return names_of_one_part(column);
  PartNames names;
  for (const auto& [level, rows] : column.levels) {
    std::string word = base::in_lower_case(level);
    std::erase_if(word,
                  [](char letter) { return letter == '-' || letter == '_' || letter == ' '; });
    if (train_words.contains(word)) {
      names.train.push_back(level);
    } else if (validation_words.contains(word)) {
      names.validation.push_back(level);
    } else if (test_words.contains(word)) {
      names.test.push_back(level);
    } else {
      return {};
    }
  }
  return names;
}

}  // namespace fairfront::drivers
