#include "print_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/text.hpp"
#include "problem_name.hpp"
#include "results/json_number.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

using Json = nlohmann::ordered_json;
using results::Candidate;
using results::Choice;
using results::Content;

/// The values on the axes that make no problem, as "epsilon=0.25".
std::string axes_of(const Content& content, std::size_t task) {
  std::vector<std::string> values;
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const std::int32_t place = content.tasks.axis_index[a][task];
    const results::Axis& axis = content.axes[a];
    if (place < 0 || makes_problems(content, axis)) continue;
    values.push_back(fmt::format("{}={}", axis.name, axis.values[static_cast<std::size_t>(place)]));
  }
  return base::join(values, ", ");
}

std::string name_of(const Content& content, const Candidate& candidate) {
  const std::string axes = axes_of(content, candidate.task);
  return fmt::format("task {}, point {}: [{}]{}", candidate.task, candidate.point,
                     content.tasks.method[candidate.task], axes.empty() ? "" : " " + axes);
}

std::string with_ends(const results::Measured& measured) {
  if (std::isnan(measured.low) || std::isnan(measured.high)) return format_value(measured.value);
  return fmt::format("{} [{}, {}]", format_value(measured.value), format_value(measured.low),
                     format_value(measured.high));
}

bool is_reported(const Choice& choice, std::size_t name) {
  return std::ranges::any_of(choice.candidates, [&](const Candidate& candidate) {
    return !std::isnan(candidate.values[name].reported.value);
  });
}

/// Whether it is bounded, and tested on other rows than those that are reported.
bool is_tested_apart(const Choice& choice, const results::Wish& wish, std::size_t name) {
  if (!wish.confidence ||
      std::ranges::count(wish.bounds, choice.names[name], &results::Bound::name) == 0) {
    return false;
  }
  return std::ranges::any_of(choice.candidates, [&](const Candidate& candidate) {
    const results::ChoiceValue& value = candidate.values[name];
    return !std::isnan(value.tested.value) && value.tested.value != value.reported.value;
  });
}

std::size_t place_of(const Choice& choice, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(choice.names, name) - choice.names.begin());
}

/// Whether the part that decides has no value of it there.
bool is_unknown(const Choice& choice, const Candidate& candidate, const std::string& name) {
  return std::isnan(candidate.values[place_of(choice, name)].decided);
}

std::string standing_of(const Choice& choice, const results::Wish& wish, std::size_t place) {
  const Candidate& candidate = choice.candidates[place];
  if (place == 0 && choice.chosen) return "chosen";
  if (wish.confidence && place >= choice.certified) return "not certified";
  if (candidate.keeps) return "next";
  const bool unknown = std::ranges::any_of(wish.bounds, [&](const results::Bound& bound) {
    return is_unknown(choice, candidate, bound.name);
  });
  return unknown ? "not known" : "breaks a bound";
}

/// What is bounded, or best, and of how many points it is not known, where it is known of others.
std::map<std::string, std::int64_t> unknown_points(const Choice& choice,
                                                   const results::Wish& wish) {
  std::vector<std::string> names{wish.best};
  for (const results::Bound& bound : wish.bounds) names.push_back(bound.name);
  std::map<std::string, std::int64_t> points;
  for (const std::string& name : names) {
    if (place_of(choice, name) == choice.names.size()) continue;
    const auto unknown = std::ranges::count_if(choice.candidates, [&](const Candidate& candidate) {
      return is_unknown(choice, candidate, name);
    });
    if (unknown > 0 && unknown < std::ssize(choice.candidates)) points[name] = unknown;
  }
  return points;
}

/// Lines for people, who would take such points for bad ones.
std::string unknown_points_text(const Choice& choice, const results::Wish& wish) {
  std::string text;
  for (const auto& [name, points] : unknown_points(choice, wish)) {
    text += fmt::format(
        "  {} is not known of {} of {} points, which therefore cannot be chosen; what a "
        "version that did not measure it has left out, `fairfront measure` adds\n",
        name, points, choice.candidates.size());
  }
  return text;
}

/// The chosen point and what is next to it, a row each; columns for what decided, what was tested
/// on rows of its own, and what is reported.
std::string table_of(const Content& content, const Choice& choice, const results::Wish& wish,
                     std::size_t rows) {
  struct Shown {
    bool tested, reported;
  };
  std::vector<Shown> shown;  // per name; looks at all points
  std::vector<std::string> header{""};
  for (std::size_t k = 0; k < choice.names.size(); ++k) {
    shown.push_back({is_tested_apart(choice, wish, k), is_reported(choice, k)});
    header.push_back(choice.names[k]);
    if (shown[k].tested) header.push_back(choice.names[k] + ", tested");
    if (shown[k].reported) header.push_back(choice.names[k] + ", reported");
  }
  header.emplace_back("point");
  Table table(std::move(header));
  for (std::size_t i = 0; i < rows; ++i) {
    const Candidate& candidate = choice.candidates[i];
    std::vector<std::string> row{standing_of(choice, wish, i)};
    for (std::size_t k = 0; k < choice.names.size(); ++k) {
      row.push_back(format_value(candidate.values[k].decided));
      if (shown[k].tested) row.push_back(with_ends(candidate.values[k].tested));
      if (shown[k].reported) row.push_back(with_ends(candidate.values[k].reported));
    }
    row.push_back(name_of(content, candidate));
    table.add(std::move(row));
  }
  return table.text();
}

/// The end of a point's interval that a bound was compared with.
double limit_of(const Choice& choice, const Candidate& candidate, const results::Bound& bound) {
  const results::Measured& tested = candidate.values[place_of(choice, bound.name)].tested;
  return bound.at_most ? tested.high : tested.low;
}

/// Which point's limits come nearest to the bounds, and what the rows show of it.
std::string nearest_of(const Content& content, const Choice& choice, const results::Wish& wish) {
  const Candidate& nearest = choice.candidates[*choice.nearest];
  std::vector<std::string> limits;
  for (const results::Bound& bound : wish.bounds) {
    limits.push_back(fmt::format("{} {} {}", bound.name, bound.at_most ? "<=" : ">=",
                                 format_value(limit_of(choice, nearest, bound))));
  }
  if (choice.nearest_passes) {
    return fmt::format(
        "{}, keeps every bound by itself ({}), but the tests go in the order of the part that "
        "decides, and end at the first point that fails",
        name_of(content, nearest), base::join(limits, ", "));
  }
  return fmt::format("{}, comes nearest and shows {}", name_of(content, nearest),
                     base::join(limits, ", "));
}

/// What bounds are on, of which the first point tested has no limit.
std::vector<std::string> names_without_limit(const Choice& choice, const results::Wish& wish) {
  const Candidate& first = choice.candidates[*choice.first_tested];
  std::vector<std::string> names;
  for (const results::Bound& bound : wish.bounds) {
    if (std::isnan(limit_of(choice, first, bound))) names.push_back(bound.name);
  }
  return names;
}

/// Tasks that the wish would have looked at.
std::int64_t failed_tasks(const Content& content, const results::Wish& wish) {
  std::int64_t failed = 0;
  for (std::size_t task = 0; task < content.tasks.status.size(); ++task) {
    const bool is_wanted =
        wish.methods.empty() || std::ranges::count(wish.methods, content.tasks.method[task]) > 0;
    if (is_wanted && content.tasks.status[task] == results::TaskStatus::failed) ++failed;
  }
  return failed;
}

/// Where there is nothing by which to choose among the points that keep the bounds.
std::string unknown_text(const Choice& choice, const results::Wish& wish) {
  if (choice.knows_best) return "";
  return fmt::format("{} is not known on the {} of any point{}: name another --best",
                     wish.best.empty() ? choice.names.front() : wish.best, choice.decided_on,
                     wish.bounds.empty() ? "" : " that keeps every bound");
}

/// Why there is no point of a problem without candidates.
std::string reason_without_points(const Content& content, const results::Wish& wish) {
  if (wish.randomised) {
    return "no point: no task with a randomised classifier, such as of [reductions], is done and "
           "may be compared, and of other methods' decisions --randomised chooses none";
  }
  const std::int64_t failed = failed_tasks(content, wish);
  const std::string first = failed == 0
                                ? "no task"
                                : fmt::format("{} task{} failed, as `show` tells, and no other",
                                              failed, failed == 1 ? "" : "s");
  const std::vector<std::string> alone = results::methods_to_ask_for_alone(content);
  if (!alone.empty() && wish.methods.empty()) {
    return fmt::format(
        "no point: {} is done that has not learnt from the part that decides; with "
        "--method {}, which has learnt from its groups, points of this method "
        "alone are compared",
        first, alone.front());
  }
  return fmt::format("no point: {} is done that has seen no labels of the part that decides",
                     first);
}

/// Why nothing has passed the tests.
std::string reason_of_tests(const Content& content, const Choice& choice,
                            const results::Wish& wish) {
  if (std::isnan(choice.rows_needed)) {
    return fmt::format(
        "nothing can be certified: {}, the first point tested, has no interval of {} on the {}",
        name_of(content, choice.candidates[*choice.first_tested]),
        base::join(names_without_limit(choice, wish), ", "), choice.tested_on);
  }
  const std::string nearest = nearest_of(content, choice, wish);
  if (std::isinf(choice.rows_needed)) {
    return fmt::format(
        "nothing can be certified: by what is known of it, the first point tested breaks a bound "
        "itself; {}",
        nearest);
  }
  return fmt::format(
      "nothing can be certified: {}; the first point tested "
      "would need some {:.1f} times the rows of the {}{}",
      nearest, std::max(1.1, std::ceil(10 * choice.rows_needed) / 10), choice.tested_on,
      choice.needs_roughly ? ", a rough number, as it was fitted to the rows that decide" : "");
}

/// Why none is chosen; empty where one is.
std::string reason_of(const Content& content, const Choice& choice, const results::Wish& wish) {
  if (choice.candidates.empty()) return reason_without_points(content, wish);
  if (!choice.has_knee) return "no knee: no point lies below the line between the front's ends";
  if (const std::string unknown = unknown_text(choice, wish); !unknown.empty()) return unknown;
  if (choice.chosen) return "";
  return wish.confidence ? reason_of_tests(content, choice, wish) : "no point keeps every bound";
}

std::string verdict_of(const Content& content, const Choice& choice, const results::Wish& wish) {
  const std::string reason = reason_of(content, choice, wish);
  if (choice.candidates.empty() || !choice.has_knee) return reason;
  if (!wish.confidence) {
    const bool none_keeps = !choice.chosen && choice.knows_best;
    return none_keeps ? reason + "; these miss them least:" : reason;
  }
  if (choice.certified == 0) return reason;
  return fmt::format(
      "{} of {} points keep every bound in the population, with a confidence of "
      "{} for all of them together; {}",
      choice.certified, choice.candidates.size(), *wish.confidence,
      reason.empty() ? "the best of these:" : reason);
}

/// At which truth how many rows let the first point tested pass; empty where something is
/// certified, or no number helps.
std::string rows_at_truths_text(const Choice& choice, const results::Wish& wish) {
  if (choice.rows_at_truths.empty() || !std::isfinite(choice.rows_needed)) return "";
  std::vector<std::string> texts;
  for (const results::RowsAtTruth& at : choice.rows_at_truths) {
    std::vector<std::string> truths;
    for (std::size_t b = 0; b < wish.bounds.size(); ++b) {
      const bool again = wish.bounds.size() == 1 && !texts.empty();
      truths.push_back(
          fmt::format("{} is {:.3g}", again ? "it" : wish.bounds[b].name, at.truth[b]));
    }
    texts.push_back(fmt::format("{:.1f} times if {}", std::max(1.0, std::ceil(10 * at.times) / 10),
                                base::join(truths, " and ")));
  }
  return fmt::format("  with 9 chances in 10, were the truth known: {}\n", base::join(texts, ", "));
}

Json json_of(const Content& content, const Choice& choice, std::size_t place, bool tested) {
  const Candidate& candidate = choice.candidates[place];
  Json values = Json::object();
  for (std::size_t i = 0; i < choice.names.size(); ++i) {
    const results::ChoiceValue& value = candidate.values[i];
    values[choice.names[i]] = {{"decided", results::json_number(value.decided)},
                               {"reported", results::json_number(value.reported.value)},
                               {"low", results::json_number(value.reported.low)},
                               {"high", results::json_number(value.reported.high)}};
    if (!tested) continue;
    values[choice.names[i]]["tested"] = {{"value", results::json_number(value.tested.value)},
                                         {"low", results::json_number(value.tested.low)},
                                         {"high", results::json_number(value.tested.high)}};
  }
  Json axes = Json::object();
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const std::int32_t at = content.tasks.axis_index[a][candidate.task];
    if (at >= 0) axes[content.axes[a].name] = content.axes[a].values[static_cast<std::size_t>(at)];
  }
  Json told = {{"task", candidate.task},
               {"point", candidate.point},
               {"key", content.tasks.key[candidate.task]},
               {"method", content.tasks.method[candidate.task]},
               {"axes", axes},
               {"keeps_bounds", candidate.keeps}};
  if (tested) told["certified"] = place < choice.certified;
  told["values"] = values;
  return told;
}

Json rows_at_truths_json(const Choice& choice) {
  Json found = Json::array();
  for (const results::RowsAtTruth& at : choice.rows_at_truths) {
    Json truths = Json::array();
    for (const double truth : at.truth) truths.push_back(results::json_number(truth));
    found.push_back({{"truth", truths}, {"times", results::json_number(at.times)}});
  }
  return found;
}

}  // namespace

std::string choice_text(const Content& content, const std::string& problem, const Choice& choice,
                        const results::Wish& wish, std::size_t most) {
  const std::size_t rows = std::min(choice.candidates.size(), most);
  const std::string verdict = verdict_of(content, choice, wish);
  return fmt::format("{}\n{}{}{}{}", problem, verdict.empty() ? "" : "  " + verdict + "\n",
                     rows_at_truths_text(choice, wish), unknown_points_text(choice, wish),
                     rows > 0 ? table_of(content, choice, wish, rows) : "");
}

nlohmann::ordered_json choice_json(const Content& content, const std::string& problem,
                                   const Choice& choice, const results::Wish& wish,
                                   std::size_t most) {
  const bool tested = wish.confidence.has_value();
  Json found = {{"problem", problem},
                {"points", choice.candidates.size()},
                {"decided_on", choice.decided_on},
                {"chosen", choice.chosen ? json_of(content, choice, 0, tested) : Json(nullptr)}};
  if (tested) {
    found["confidence"] = *wish.confidence;
    found["tested_on"] = choice.tested_on;
    found["certified"] = choice.certified;
  }
  if (!choice.chosen) found["reason"] = reason_of(content, choice, wish);
  if (const auto unknown = unknown_points(choice, wish); !unknown.empty()) {
    found["unknown"] = unknown;
  }
  if (choice.first_tested) {
    found["rows_needed"] = results::json_number(choice.rows_needed);
    found["rows_at_truths"] = rows_at_truths_json(choice);
    found["nearest"] = json_of(content, choice, *choice.nearest, tested);
  }
  Json next = Json::array();
  const std::size_t rows = std::min(choice.candidates.size(), most);
  for (std::size_t i = choice.chosen ? 1 : 0; i < rows; ++i) {
    next.push_back(json_of(content, choice, i, tested));
  }
  found["next"] = next;
  return found;
}

}  // namespace fairfront::drivers
