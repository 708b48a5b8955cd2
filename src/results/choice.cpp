#include "results/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "models/fitted_model.hpp"
#include "results/choice_names.hpp"
#include "results/choice_order.hpp"
#include "results/choice_rows.hpp"
#include "results/choice_values.hpp"
#include "results/measure_cells.hpp"
#include "results/method_option.hpp"
#include "results/part_roles.hpp"
#include "results/stored_model.hpp"

namespace fairfront::results {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> names_of(const std::vector<Quantity>& quantities) {
  std::vector<std::string> names;
  for (const Quantity& what : quantities) names.push_back(what.name);
  return names;
}

std::vector<std::string> known_names(const Content& content, const std::vector<Measure>& measures) {
  std::set<std::string> names;
  for (const FrontGroup& group : content.fronts) {
    for (const Quantity& what : group.objectives) names.insert(what.name);
  }
  for (const Measure& measure : measures) names.insert(measure.what.name);
  return {names.begin(), names.end()};
}

/// @param done  what is done to the points on it, as "decided".
/// @throws base::InputError  the tasks' methods do it on different parts.
void require_one_part(const Content& content, const std::vector<std::size_t>& tasks,
                      std::string_view key, std::string_view done) {
  std::set<std::string> parts, methods;
  for (const std::size_t task : tasks) {
    const std::string part = method_option(content, task, key);
    if (part == "none") continue;
    parts.insert(part);
    methods.insert(content.tasks.method[task]);
  }
  if (parts.size() < 2) return;
  throw base::InputError(
      fmt::format("the points were {} on different parts ({} = {}), on which they cannot be "
                  "compared: choose in an archive of one of them{}",
                  done, key, base::join(std::vector(parts.begin(), parts.end()), ", "),
                  methods.size() > 1 ? ", or by --method" : ""));
}

constexpr const char* part_that_decides = "part that decides";

/// Choices in the making: which names are looked at, and what each problem's points have of them.
class Chooser {
 public:
  Chooser(const Content& content, const std::vector<std::vector<std::size_t>>& problems,
          const Wish& wish, double interval_confidence, const PointMeasures& points)
      : content_{content},
        wish_{wish},
        interval_confidence_{interval_confidence},
        values_{content, points} {
    if (content.fronts.empty()) throw base::InputError("the archive holds no fronts");
    if (wish.confidence) require_confidence();
    for (const std::vector<std::size_t>& tasks : problems) {
      const std::vector<std::size_t> wanted = tasks_to_choose_from(content, tasks, wish);
      require_one_part(content, wanted, "choose_on", "decided");
      require_one_part(content, wanted, "report_on", "reported");
      problems_.push_back(values_.places_of(wanted));
    }
    name_parts();
    add_names();
    if (!is_decided_by_measures()) choice_.decided_on = part_that_decides;
    if (!wish.knee && choice_.directions[best_] == Direction::none) {
      throw base::InputError(
          fmt::format("{} is neither minimised nor maximised: it cannot be best", wish.best));
    }
    if (wish.knee && content.fronts.front().objectives.size() != 2) {
      throw base::InputError(
          "a knee is that of a front of two objectives; name what is to be best");
    }
  }

  [[nodiscard]] Choice choose(std::size_t problem) const {
    Choice choice = choice_;
    for (const PointPlace& place : problems_[problem]) {
      choice.candidates.push_back(candidate_of(place));
    }
    if (wish_.bounds.size() > 1) take_excess_in_units(choice);
    if (wish_.confidence) {
      certify(choice);
    } else {
      put_in_order(choice, rule(), [](const Candidate& candidate) { return candidate.keeps; });
    }
    return choice;
  }

 private:
  /// The objectives, unless randomised classifiers are chosen, and what the wish names.
  void add_names() {
    const ChoiceNames names(content_, wish_, values_, problems_, choice_.tested_on);
    if (!wish_.randomised) {
      for (const Quantity& what : content_.fronts.front().objectives) add_name(what, nullptr);
    }
    for (const Bound& bound : wish_.bounds) {
      bound_places_.push_back(
          place_of(names, bound.name, bound.at_most ? NameUse::upper_bound : NameUse::lower_bound));
    }
    best_ = wish_.best.empty() ? 0 : place_of(names, wish_.best, NameUse::as_best);
  }

  void add_name(const Quantity& what, const Measure* measure) {
    choice_.names.push_back(what.name);
    choice_.directions.push_back(what.direction);
    measures_.push_back(measure);
  }

  /// Of an objective, or of a measure, which is then looked at as well.
  std::size_t place_of(const ChoiceNames& names, const std::string& name, NameUse use) {
    const Measure* const measure = names.find(name, use);
    const auto known = std::ranges::find(choice_.names, name);
    if (known != choice_.names.end()) {
      return static_cast<std::size_t>(known - choice_.names.begin());
    }
    add_name(measure->what, measure);
    return choice_.names.size() - 1;
  }

  /// Objectives that are no measures, such as those of `alternating`, may be of another part.
  [[nodiscard]] bool is_decided_by_measures() const {
    std::vector<std::size_t> looked_at = bound_places_;
    if (!wish_.knee) looked_at.push_back(best_);
    if (wish_.knee) looked_at.insert(looked_at.end(), {0, 1});
    return std::ranges::all_of(looked_at, [&](std::size_t place) {
      return measures_[place] != nullptr || values_.measure_called(choice_.names[place]) != nullptr;
    });
  }

  [[nodiscard]] Candidate candidate_of(const PointPlace& place) const {
    Candidate candidate{.task = place.task, .point = place.point, .of = place.of, .values = {}};
    for (std::size_t i = 0; i < choice_.names.size(); ++i) {
      if (measures_[i] == nullptr) {
        candidate.values.push_back(values_.of_objective(place, i));
        continue;
      }
      if (!values_.is_measured(place)) {
        const std::string why =
            place.of > 1 ? fmt::format("task {} has a front of {} points", place.task, place.of)
                         : fmt::format("the point of task {} has another one", place.task);
        throw base::InputError(fmt::format(
            "{} is a measure of a task's one model, and {}: name objectives ({}), or other methods",
            choice_.names[i], why, base::join(names_of(place.front->objectives), ", ")));
      }
      candidate.values.push_back(values_.of_measure(place, *measures_[i]));
    }
    candidate.excess = wish_.bounds.empty() ? 0 : -infinity;
    for (std::size_t b = 0; b < wish_.bounds.size(); ++b) {
      const double over = excess_of(b, candidate.values[bound_places_[b]].decided);
      candidate.excess = std::isnan(over) ? infinity : std::max(candidate.excess, over);
      if (std::isnan(over)) break;
    }
    candidate.keeps = candidate.excess <= 0;
    return candidate;
  }

  /// By how far the points lie apart in what a bound is on: the unit in which several are compared,
  /// as a year and a share have none in common.
  [[nodiscard]] double unit_of(const Choice& choice, std::size_t bound) const {
    double least = infinity, greatest = -infinity;
    for (const Candidate& candidate : choice.candidates) {
      const double value = candidate.values[bound_places_[bound]].decided;
      if (!std::isfinite(value)) continue;
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
    return greatest > least ? greatest - least : 0;
  }

  /// Where all points are level there is no unit: they break the bound, or none comes near it.
  static double in_units(double over, double unit) {
    if (std::isnan(over)) return infinity;
    if (unit > 0) return over / unit;
    return over > 0 ? infinity : -infinity;
  }

  void take_excess_in_units(Choice& choice) const {
    for (Candidate& candidate : choice.candidates) candidate.excess = -infinity;
    for (std::size_t b = 0; b < wish_.bounds.size(); ++b) {
      const double unit = unit_of(choice, b);
      for (Candidate& candidate : choice.candidates) {
        const double over = excess_of(b, candidate.values[bound_places_[b]].decided);
        candidate.excess = std::max(candidate.excess, in_units(over, unit));
      }
    }
  }

  [[nodiscard]] double excess_of(std::size_t bound, double value) const {
    const Bound& kept = wish_.bounds[bound];
    return kept.at_most ? value - kept.limit : kept.limit - value;
  }

  /// The end of the interval that a bound looks at.
  [[nodiscard]] double limit_of(const Candidate& candidate, std::size_t bound) const {
    const Measured& tested = candidate.values[bound_places_[bound]].tested;
    return wish_.bounds[bound].at_most ? tested.high : tested.low;
  }

  [[nodiscard]] bool passes(const Candidate& candidate) const {
    for (std::size_t b = 0; b < wish_.bounds.size(); ++b) {
      if (!(excess_of(b, limit_of(candidate, b)) <= 0)) return false;  // no interval: no proof
    }
    return true;
  }

  [[nodiscard]] OrderRule rule() const { return {.best = best_, .knee = wish_.knee}; }

  void certify(Choice& choice) const {
    std::ranges::sort(choice.candidates, [](const Candidate& a, const Candidate& b) {
      return std::tuple{a.excess, a.task, a.point} < std::tuple{b.excess, b.task, b.point};
    });
    std::set<std::pair<std::size_t, std::size_t>> passed;
    for (const Candidate& candidate : choice.candidates) {
      if (!passes(candidate)) break;
      passed.emplace(candidate.task, candidate.point);
    }
    choice.certified = passed.size();
    const auto first = choice.candidates.empty()
                           ? std::pair{std::size_t{0}, std::size_t{0}}
                           : std::pair{choice.candidates[0].task, choice.candidates[0].point};
    put_in_order(choice, rule(), [&](const Candidate& candidate) {
      return passed.contains({candidate.task, candidate.point});
    });
    if (choice.certified > 0 || choice.candidates.empty()) return;
    const auto found = std::ranges::find_if(choice.candidates, [&](const Candidate& candidate) {
      return std::pair{candidate.task, candidate.point} == first;
    });
    choice.first_tested = static_cast<std::size_t>(found - choice.candidates.begin());
    tell_rows(*found, choice);
    choice.needs_roughly = is_fitted_to_deciding(found->task);
    choice.nearest = nearest(choice);
    choice.nearest_passes = passes(choice.candidates[*choice.nearest]);
  }

  /// The place of the candidate whose limits are least beyond the bounds.
  [[nodiscard]] std::size_t nearest(const Choice& choice) const {
    std::vector<double> units(wish_.bounds.size(), 1.0);
    if (units.size() > 1) {
      for (std::size_t b = 0; b < units.size(); ++b) units[b] = unit_of(choice, b);
    }
    const auto beyond = [&](const Candidate& candidate) {
      double most = -infinity;
      for (std::size_t b = 0; b < wish_.bounds.size(); ++b) {
        most = std::max(most, in_units(excess_of(b, limit_of(candidate, b)), units[b]));
      }
      return most;
    };
    const auto least = std::ranges::min_element(choice.candidates, {}, beyond);
    return static_cast<std::size_t>(least - choice.candidates.begin());
  }

  /// Of one end of an interval of the tested part.
  [[nodiscard]] double confidence_of_limits() const {
    return values_.tests_apart() ? interval_confidence_ : (1 + interval_confidence_) / 2;
  }

  void name_parts() {
    const PartRoles& roles = values_.roles();
    const bool known = roles.decides != roles.reported;
    choice_.decided_on = known ? roles.decides + " part" : part_that_decides;
    choice_.tested_on = known && !roles.tests.empty() ? roles.tests + " part" : "reported part";
  }

  /// Before names are looked at: no other name would help.
  void require_confidence() const {
    if (wish_.bounds.empty()) throw base::InputError("a confidence is that of a bound; give one");
    const double one_sided = confidence_of_limits();
    if (*wish_.confidence <= one_sided) return;
    const double needed = values_.tests_apart() ? *wish_.confidence : 2 * *wish_.confidence - 1;
    throw base::InputError(fmt::format(
        "the archive's intervals of confidence {} prove a bound with a confidence of at most {}; "
        "for {} they would have to be intervals of confidence {}",
        interval_confidence_, one_sided, *wish_.confidence, needed));
  }

  /// How many would let the candidate pass; NaN where it has no limit, whatever the rows.
  void tell_rows(const Candidate& candidate, Choice& choice) const {
    std::vector<FailedBound> failed;
    for (std::size_t b = 0; b < wish_.bounds.size(); ++b) {
      const ChoiceValue& value = candidate.values[bound_places_[b]];
      choice.rows_needed = limit_of(candidate, b);
      if (std::isnan(choice.rows_needed)) return;
      failed.push_back({wish_.bounds[b], value.decided, value.tested});
    }
    const std::size_t row = values_.row_of(candidate.task, candidate.point);
    choice.rows_needed = rows_needed(failed, values_.measures(), values_.roles(), row,
                                     confidence_of_limits(), is_fitted_to_deciding(candidate.task));
    choice.rows_at_truths =
        rows_at_truths(failed, values_.measures(), values_.roles(), row, confidence_of_limits());
  }

  /// Whether the method fits its points, such as thresholds, to the rows that decide.
  [[nodiscard]] bool is_fitted_to_deciding(std::size_t task) const {
    return std::ranges::any_of(content_.config, [&](const ConfigEntry& entry) {
      return entry.section == content_.tasks.method[task] && entry.key == "choose_on";
    });
  }

  const Content& content_;
  const Wish& wish_;
  double interval_confidence_;
  PointValues values_;
  std::vector<std::vector<PointPlace>> problems_;
  Choice choice_;                         ///< of every problem, without its points
  std::vector<const Measure*> measures_;  ///< per name; null: the objective of that place
  std::vector<std::size_t> bound_places_;
  std::size_t best_ = 0;
};

}  // namespace

/// Whether the task says that it has used some of that.
static bool has_used(const Content& content, std::size_t task, std::string_view metric) {
  const auto used = std::ranges::find(content.metrics, metric,
                                      [](const Metric& known) { return known.what.name; });
  return used != content.metrics.end() && used->values[task] > 0;
}

static bool learnt_from_deciding_groups(const Content& content, std::size_t task) {
  return has_used(content, task, "deciding_groups_used");
}

static bool learnt_from_deciding_labels(const Content& content, std::size_t task) {
  return has_used(content, task, "deciding_labels_used");
}

bool learnt_from_deciding(const Content& content, std::size_t task) {
  return learnt_from_deciding_labels(content, task) || learnt_from_deciding_groups(content, task);
}

std::vector<std::string> methods_to_ask_for_alone(const Content& content) {
  std::vector<std::string> found;
  for (std::size_t task = 0; task < content.tasks.status.size(); ++task) {
    if (content.tasks.status[task] != TaskStatus::done) continue;
    if (!learnt_from_deciding_groups(content, task) || learnt_from_deciding_labels(content, task)) {
      continue;
    }
    const std::string& method = content.tasks.method[task];
    if (std::ranges::count(found, method) == 0) found.push_back(method);
  }
  return found;
}

/// Where no other method is asked for, nothing is compared that has not seen the same groups.
static bool is_asked_for_alone(const Wish& wish, const std::string& method) {
  return std::ranges::all_of(wish.methods, [&](const auto& name) { return name == method; }) &&
         !wish.methods.empty();
}

/// Whether the task's model is the best one of a randomised classifier.
static bool has_randomised(const Content& content, std::size_t task) {
  const std::string& model = content.tasks.model[task];
  return !model.empty() && models::ModelText::parse(model).has("members");
}

Bound parse_bound(std::string_view text) {
  for (const std::string_view sign : {"<=", ">="}) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    const std::string name{base::trim(text.substr(0, at))};
    const auto limit = base::parse_double(base::trim(text.substr(at + sign.size())));
    if (name.empty() || !limit || !std::isfinite(*limit)) break;
    return {name, sign == "<=", *limit};
  }
  throw base::InputError(
      fmt::format("the bound '{}' must be NAME<=NUMBER or NAME>=NUMBER", base::printable(text)));
}

std::vector<std::size_t> tasks_to_choose_from(const Content& content,
                                              const std::vector<std::size_t>& tasks,
                                              const Wish& wish) {
  std::vector<std::size_t> found;
  for (const std::size_t task : tasks) {
    if (content.tasks.status[task] != TaskStatus::done) continue;
    const bool wanted =
        wish.methods.empty() || std::ranges::count(wish.methods, content.tasks.method[task]) > 0;
    if (wish.randomised && !has_randomised(content, task)) continue;
    if (!wanted || learnt_from_deciding_labels(content, task)) continue;
    if (learnt_from_deciding_groups(content, task) &&
        !is_asked_for_alone(wish, content.tasks.method[task])) {
      continue;
    }
    found.push_back(task);
  }
  return found;
}

Wish with_full_names(const Content& content, const Wish& wish) {
  if (content.fronts.empty() || wish.randomised) return wish;
  const std::vector<std::string> known = known_names(content, content.measures);
  const std::vector<std::string> objectives = names_of(content.fronts.front().objectives);
  const auto meant = [&](const std::string& name) -> std::vector<std::string> {
    std::vector<std::string> found;
    if (name.empty() || std::ranges::count(known, name) > 0) return {name};
    for (const std::string& full : objectives) {
      const std::string words = " " + full + " ";
      if (words.find(" " + name + " ") != std::string::npos) found.push_back(full);
    }
    return found.empty() ? std::vector{name} : found;
  };
  Wish full = wish;
  full.bounds.clear();
  for (const Bound& bound : wish.bounds) {
    for (std::string& name : meant(bound.name)) {
      full.bounds.push_back({std::move(name), bound.at_most, bound.limit});
    }
  }
  const std::vector<std::string> best = meant(wish.best);
  if (best.size() > 1) {
    throw base::InputError(
        fmt::format("'{}' is of several objectives, of which one is to be best: {}", wish.best,
                    base::join(best, ", ")));
  }
  full.best = best.front();
  return full;
}

static bool has_points(const Content& content, std::size_t task) {
  return std::ranges::any_of(content.fronts, [&](const FrontGroup& group) {
    return group.offsets[task + 1] > group.offsets[task];
  });
}

/// Whether the archive has a model of the task's one point, and says nothing of it.
static bool is_unmeasured(const Content& content, std::size_t task) {
  return !content.tasks.model[task].empty() &&
         std::ranges::none_of(content.measures,
                              [&](const Measure& measure) { return is_known_at(measure, task); });
}

bool points_need_measures(const Content& content, std::size_t task) {
  return has_points(content, task) &&
         (!measures_are_of_point(content, task) || is_unmeasured(content, task));
}

bool wants_points(const Content& content, const std::vector<std::size_t>& tasks, const Wish& wish) {
  const auto needs_measures = [&](std::size_t task) { return points_need_measures(content, task); };
  const std::vector<std::size_t> wanted = tasks_to_choose_from(content, tasks, wish);
  if (std::ranges::none_of(wanted, needs_measures)) return false;
  if (wish.confidence) return !wish.bounds.empty();
  const std::vector<std::string> objectives = names_of(content.fronts.front().objectives);
  const auto is_measure = [&](const std::string& name) {
    return !name.empty() && std::ranges::count(objectives, name) == 0;
  };
  return is_measure(wish.best) || std::ranges::any_of(wish.bounds, is_measure, &Bound::name);
}

std::vector<Choice> choose_each(const Content& content,
                                const std::vector<std::vector<std::size_t>>& problems,
                                const Wish& wish, double interval_confidence,
                                const PointMeasures& points) {
  const Chooser chooser(content, problems, wish, interval_confidence, points);
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < problems.size(); ++i) choices.push_back(chooser.choose(i));
  return choices;
}

void add_intervals(const Content& content, Choice& choice, const PointMeasures& points) {
  Candidate& chosen = choice.candidates[*choice.chosen];
  const PointValues values(content, points);
  for (const PointPlace& place : values.places_of({chosen.task})) {
    if (place.point != chosen.point) continue;
    for (std::size_t i = 0; i < choice.names.size(); ++i) {
      chosen.values[i] = values.of_objective(place, i);
    }
  }
}

Choice choose(const Content& content, const std::vector<std::size_t>& tasks, const Wish& wish,
              double interval_confidence, const PointMeasures& points) {
  return choose_each(content, {tasks}, wish, interval_confidence, points).front();
}

}  // namespace fairfront::results
