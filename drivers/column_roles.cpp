#include "column_roles.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace fairfront::drivers {
namespace {

using Words = std::set<std::string>;

constexpr std::size_t most_groups = 10;

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// "native_country2" as "native", "country", in lower case; numbers behind words count models.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char letter : in_lower_case(name)) {
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
  if (!column.is_number() || column.is_constant()) return false;
  const bool is_zero_or_one = column.least == 0 && column.greatest == 1;
  return !column.has_two() || is_zero_or_one;
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
  return !column.many && !column.is_constant() && has_word(column.name, known);
}

PartNames part_names(const ColumnFacts& column) {
  static const Words train{"train", "training"}, test{"test", "testing"};
  static const Words validation{"validation", "valid", "val", "dev"};
  PartNames names;
  if (!looks_like_parts(column)) return names;
  for (const auto& [level, rows] : column.levels) {
    const std::string word = in_lower_case(level);
    if (train.contains(word)) {
      names.train.push_back(level);
    } else if (validation.contains(word)) {
      names.validation.push_back(level);
    } else if (test.contains(word)) {
      names.test.push_back(level);
    } else {
      return {};
    }
  }
  return names;
}

}  // namespace fairfront::drivers
