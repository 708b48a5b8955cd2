#include "results/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "data/split.hpp"
#include "models/fitted_model.hpp"
#include "results/choice_order.hpp"
#include "results/choice_rows.hpp"
#include "results/measure_cells.hpp"
#include "results/part_roles.hpp"

namespace fairfront::results {
namespace {

/// Of the measures of randomised classifiers.
constexpr std::string_view randomised_prefix = "randomised_";

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of all rows of a part.
Measured measured_of_all(const Measure& measure, std::size_t task, const std::string& name) {
  const auto all = std::ranges::find(measure.groups, MeasuredRows{}.group);
  const auto part = std::ranges::find(measure.parts, name);
  if (all == measure.groups.end() || part == measure.parts.end()) return {};
  const auto group = static_cast<std::size_t>(all - measure.groups.begin());
  const auto place = static_cast<std::size_t>(part - measure.parts.begin());
  return measured_at(measure, task, place * measure.groups.size() + group);
}

ChoiceValue value_of(const Measure& measure, std::size_t task, const PartRoles& roles) {
  return {measured_of_all(measure, task, roles.decides).value,
          measured_of_all(measure, task, roles.reported),
          measured_of_all(measure, task, roles.tests)};
}

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

/// Which part decides on the points of a task, where its method has an option for that; else empty.
std::string deciding_part(const Content& content, std::size_t task) {
  const std::string& method = content.tasks.method[task];
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const std::int32_t place = content.tasks.axis_index[a][task];
    if (content.axes[a].name != method + ".choose_on" || place < 0) continue;
    return content.axes[a].values[static_cast<std::size_t>(place)];
  }
  for (const ConfigEntry& option : content.config) {
    if (option.section == method && option.key == "choose_on") return option.value;
  }
  return {};
}

/// @throws base::InputError  the tasks' points were decided on different parts: what they are worth
///         there says nothing of which is better.
void require_one_deciding_part(const Content& content, const std::vector<std::size_t>& tasks) {
  std::set<std::string> parts;
  for (const std::size_t task : tasks) parts.insert(deciding_part(content, task));
  if (parts.size() < 2) return;
  throw base::InputError(
      fmt::format("the points were decided on different parts (choose_on = {}), on which they "
                  "cannot be compared: choose in an archive of one of them, or by --method",
                  base::join(std::vector(parts.begin(), parts.end()), ", ")));
}

/// One choice in the making: which names are looked at and where their values stand.
class Chooser {
 public:
  Chooser(const Content& content, const Wish& wish, double interval_confidence,
          const PointMeasures& points)
      : content_{content},
        wish_{wish},
        interval_confidence_{interval_confidence},
        points_{points},
        all_measures_{points.empty() ? content.measures : points.measures},
        roles_{part_roles_of(all_measures_, fronts_report(content.fronts))} {
    if (content.fronts.empty()) throw base::InputError("the archive holds no fronts");
    // The objectives are the single classifier's.
    if (!wish.randomised) {
      for (const Quantity& what : content.fronts.front().objectives) add_name(what, nullptr);
    }
    for (const std::string& name : choice_.names) named_like_.push_back(measure_of(name));
    for (const Bound& bound : wish.bounds) {
      bound_places_.push_back(place_of(bound.name, Use::in_bound));
    }
    best_ = wish.best.empty() ? 0 : place_of(wish.best, Use::as_best);
    name_parts();
    if (!wish.knee && choice_.directions[best_] == Direction::none) {
      throw base::InputError(
          fmt::format("{} is neither minimised nor maximised: it cannot be best", wish.best));
    }
    if (wish.knee && content.fronts.front().objectives.size() != 2) {
      throw base::InputError(
          "a knee is that of a front of two objectives; name what is to be best");
    }
  }

  Choice choose(const std::vector<std::size_t>& tasks) {
    const std::vector<std::size_t> wanted = tasks_to_choose_from(content_, tasks, wish_);
    require_one_deciding_part(content_, wanted);
    for (const std::size_t task : wanted) add_points_of(task);
    if (wish_.confidence) {
      certify();
    } else {
      put_in_order(choice_, rule(), [](const Candidate& candidate) { return candidate.keeps; });
    }
    return std::move(choice_);
  }

 private:
  enum class Use { in_bound, as_best };

  void add_name(const Quantity& what, const Measure* measure) {
    choice_.names.push_back(what.name);
    choice_.directions.push_back(what.direction);
    measures_.push_back(measure);
  }

  [[nodiscard]] const Measure* measure_of(const std::string& name) const {
    const auto found =
        std::ranges::find(all_measures_, name, [](const Measure& each) { return each.what.name; });
    return found == all_measures_.end() ? nullptr : &*found;
  }

  /// Of an objective. A measure of the same name that says the same of both parts has its
  /// intervals, and what else is measured.
  [[nodiscard]] ChoiceValue value_of_objective(const FrontGroup& group, std::size_t at,
                                               std::size_t objective, std::size_t row) const {
    ChoiceValue value{.decided = group.points[at]};
    if (!group.report.empty()) value.reported.value = group.report[at];
    value.tested = value.reported;
    const Measure* const measure = named_like_[objective];
    if (measure == nullptr || measure->parts.size() < 2) return value;
    const ChoiceValue measured = value_of(*measure, row, roles_);
    if (measured.decided != value.decided) return value;
    const bool reports = !group.report.empty() && !std::isnan(value.reported.value);
    if (reports && measured.reported.value != value.reported.value) return value;
    return measured;
  }

  /// Whether place_of() takes the measure.
  [[nodiscard]] bool is_taken(const Measure& measure, Use use) const {
    const std::string& name = measure.what.name;
    return name.starts_with(randomised_prefix) == wish_.randomised && !says_several(name) &&
           std::ranges::count(measure.parts, roles_.decides) > 0 &&
           (use == Use::in_bound || measure.what.direction != Direction::none);
  }
  /// What place_of() takes; the objectives among them.
  [[nodiscard]] std::vector<std::string> names_for(Use use) const {
    std::set<std::string> names;
    if (!wish_.randomised) {
      for (const Quantity& what : content_.fronts.front().objectives) names.insert(what.name);
    }
    for (const Measure& measure : all_measures_) {
      if (is_taken(measure, use)) names.insert(measure.what.name);
    }
    return {names.begin(), names.end()};
  }

  /// Of an objective, or of a measure, which is then looked at as well.
  std::size_t place_of(const std::string& name, Use use) {
    const auto known = std::ranges::find(choice_.names, name);
    if (known != choice_.names.end())
      return static_cast<std::size_t>(known - choice_.names.begin());
    const Measure* const measure = measure_of(name);
    if (measure == nullptr) {
      const std::vector<std::string> names = names_for(use);
      if (wish_.randomised && names.empty()) {
        throw base::InputError(
            "the archive holds no randomised classifiers, which [reductions] makes: leave out "
            "--randomised");
      }
      throw base::InputError(fmt::format("there is no objective or measure '{}'{}", name,
                                         base::name_hint(name, names)));
    }
    require_form(name, use);
    if (std::ranges::count(measure->parts, roles_.decides) == 0) {
      throw base::InputError(
          fmt::format("{} has no value on the {} part, which decides, only on: {}", name,
                      roles_.decides, base::join(measure->parts, ", ")));
    }
    add_name(measure->what, measure);
    return choice_.names.size() - 1;
  }

  /// A measure of another rate at every point.
  [[nodiscard]] bool says_several(const std::string& name) const {
    const bool of_rate = name.ends_with("rate_ratio") || name.ends_with("rate_gap");
    return of_rate && std::ranges::any_of(content_.axes, [](const Axis& axis) {
             return axis.name == "reductions.rate" && axis.values.size() > 1;
           });
  }

  /// @throws base::InputError  the name is of the other form of classifiers, or says several things
  ///         of the points.
  void require_form(const std::string& name, Use use) const {
    const bool is_randomised = name.starts_with(randomised_prefix);
    if (is_randomised && !wish_.randomised) {
      throw base::InputError(fmt::format(
          "{} is of the randomised classifiers, which --randomised chooses among", name));
    }
    if (!is_randomised && wish_.randomised) {
      const std::vector<std::string> names = names_for(use);
      const std::string own = fmt::format("{}{}", randomised_prefix, name);
      throw base::InputError(
          fmt::format("{} is not of the randomised classifiers{}", name,
                      base::name_hint(std::ranges::count(names, own) > 0 ? own : name, names)));
    }
    if (!says_several(name)) return;
    if (name.ends_with("rate_ratio")) {
      throw base::InputError(fmt::format(
          "{} is of another rate at every value of reductions.rate: choose in an archive of one of "
          "them",
          name));
    }
    const std::string prefix{is_randomised ? randomised_prefix : ""};
    throw base::InputError(fmt::format(
        "{} is of another rate at every value of reductions.rate: name {}independence_gap, "
        "{}separation_gap, {}true_positive_gap, {}false_positive_gap or {}error_gap",
        name, prefix, prefix, prefix, prefix, prefix));
  }

  void add_points_of(std::size_t task) {
    for (const FrontGroup& group : content_.fronts) {
      const auto first = static_cast<std::size_t>(group.offsets[task]);
      const auto count = static_cast<std::size_t>(group.offsets[task + 1]) - first;
      for (std::size_t point = 0; point < count; ++point) add(group, task, first, point, count);
    }
  }

  void add(const FrontGroup& group, std::size_t task, std::size_t first, std::size_t point,
           std::size_t count) {
    Candidate candidate{.task = task, .point = point, .of = count, .values = {}};
    const std::size_t objectives = group.objectives.size();
    const std::size_t row = row_of(candidate);
    for (std::size_t i = 0; i < choice_.names.size(); ++i) {
      if (measures_[i] == nullptr) {
        candidate.values.push_back(
            value_of_objective(group, (first + point) * objectives + i, i, row));
      } else if (count == 1 || !points_.empty()) {
        candidate.values.push_back(value_of(*measures_[i], row, roles_));
      } else {
        throw base::InputError(fmt::format(
            "{} is a measure of a task's one model, and task {} has a front of {} points: name "
            "objectives ({}), or other methods",
            choice_.names[i], task, count, base::join(names_of(group.objectives), ", ")));
      }
    }
    candidate.excess = wish_.bounds.empty() ? 0 : -infinity;
    for (std::size_t b = 0; b < wish_.bounds.size(); ++b) {
      const double over = excess_of(b, candidate.values[bound_places_[b]].decided);
      candidate.excess = std::isnan(over) ? infinity : std::max(candidate.excess, over);
      if (std::isnan(over)) break;
    }
    candidate.keeps = candidate.excess <= 0;
    choice_.candidates.push_back(std::move(candidate));
  }

  /// Of the measures.
  [[nodiscard]] std::size_t row_of(const Candidate& candidate) const {
    if (points_.empty()) return candidate.task;
    return points_.row.at({candidate.task, candidate.point});
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

  void certify() {
    require_intervals();
    std::ranges::sort(choice_.candidates, [](const Candidate& a, const Candidate& b) {
      return std::tuple{a.excess, a.task, a.point} < std::tuple{b.excess, b.task, b.point};
    });
    std::set<std::pair<std::size_t, std::size_t>> passed;
    for (const Candidate& candidate : choice_.candidates) {
      if (!passes(candidate)) break;
      passed.emplace(candidate.task, candidate.point);
    }
    choice_.certified = passed.size();
    const auto first = choice_.candidates.empty()
                           ? std::pair{std::size_t{0}, std::size_t{0}}
                           : std::pair{choice_.candidates[0].task, choice_.candidates[0].point};
    put_in_order(choice_, rule(), [&](const Candidate& candidate) {
      return passed.contains({candidate.task, candidate.point});
    });
    if (choice_.chosen || choice_.candidates.empty()) return;
    const auto found = std::ranges::find_if(choice_.candidates, [&](const Candidate& candidate) {
      return std::pair{candidate.task, candidate.point} == first;
    });
    choice_.first_tested = static_cast<std::size_t>(found - choice_.candidates.begin());
    choice_.rows_needed = rows_needed_by(*found);
    choice_.nearest = nearest();
  }

  /// The place of the candidate whose limits are least beyond the bounds.
  [[nodiscard]] std::size_t nearest() const {
    const auto beyond = [&](const Candidate& candidate) {
      double most = -infinity;
      for (std::size_t b = 0; b < wish_.bounds.size(); ++b) {
        const double over = excess_of(b, limit_of(candidate, b));
        most = std::max(most, std::isnan(over) ? infinity : over);
      }
      return most;
    };
    const auto least = std::ranges::min_element(choice_.candidates, {}, beyond);
    return static_cast<std::size_t>(least - choice_.candidates.begin());
  }

  /// Whether there are rows for nothing but these tests.
  [[nodiscard]] bool tests_apart() const {
    return std::ranges::any_of(all_measures_, [](const Measure& measure) {
      return std::ranges::count(measure.parts, data::name_of(data::Part::choice)) > 0;
    });
  }

  /// Of one end of an interval of the tested part.
  [[nodiscard]] double confidence_of_limits() const {
    return tests_apart() ? interval_confidence_ : (1 + interval_confidence_) / 2;
  }

  void name_parts() {
    const bool known = roles_.decides != roles_.reported;
    choice_.decided_on = known ? roles_.decides + " part" : "part that decides";
    choice_.tested_on = known && !roles_.tests.empty() ? roles_.tests + " part" : "reported part";
  }

  void require_intervals() const {
    if (wish_.bounds.empty()) throw base::InputError("a confidence is that of a bound; give one");
    const double one_sided = confidence_of_limits();
    if (*wish_.confidence > one_sided) {
      const double needed = tests_apart() ? *wish_.confidence : 2 * *wish_.confidence - 1;
      throw base::InputError(fmt::format(
          "the archive's intervals of confidence {} prove a bound with a confidence of at most {}; "
          "for {} they would have to be intervals of confidence {}",
          interval_confidence_, one_sided, *wish_.confidence, needed));
    }
    for (std::size_t b = 0; b < wish_.bounds.size(); ++b) {
      const Measure* const measure = measures_[bound_places_[b]];
      if (measure != nullptr && measure->parts.size() < 2) {
        throw base::InputError(fmt::format(
            "{} is known of the part '{}' alone, which decides: a confidence needs rows that no "
            "selection has seen",
            wish_.bounds[b].name, measure->parts.front()));
      }
      const bool known = std::ranges::any_of(choice_.candidates, [&](const Candidate& candidate) {
        return !std::isnan(limit_of(candidate, b));
      });
      if (known || choice_.candidates.empty()) continue;
      throw base::InputError(fmt::format("{} has no interval on the {}{}", wish_.bounds[b].name,
                                         choice_.tested_on, with_intervals()));
    }
  }

  [[nodiscard]] std::string with_intervals() const {
    std::vector<std::string> names;
    for (const Measure& measure : all_measures_) {
      const bool has = std::ranges::any_of(choice_.candidates, [&](const Candidate& candidate) {
        return !std::isnan(value_of(measure, row_of(candidate), roles_).tested.high);
      });
      if (has) names.push_back(measure.what.name);
    }
    if (names.empty()) return ", nor has anything else";
    return fmt::format("; these have one: {}", base::join(names, ", "));
  }

  [[nodiscard]] double rows_needed_by(const Candidate& candidate) const {
    std::vector<FailedBound> failed;
    for (std::size_t b = 0; b < wish_.bounds.size(); ++b) {
      const ChoiceValue& value = candidate.values[bound_places_[b]];
      failed.push_back({wish_.bounds[b], value.decided, value.tested});
    }
    return rows_needed(failed, all_measures_, roles_, row_of(candidate), confidence_of_limits());
  }

  const Content& content_;
  const Wish& wish_;
  double interval_confidence_;
  const PointMeasures& points_;
  const std::vector<Measure>& all_measures_;
  PartRoles roles_;
  Choice choice_;
  std::vector<const Measure*> measures_;    ///< per name; null: the objective of that place
  std::vector<const Measure*> named_like_;  ///< per objective; null: no measure has its name
  std::vector<std::size_t> bound_places_;
  std::size_t best_ = 0;
};

}  // namespace

bool learnt_from_deciding(const Content& content, std::size_t task) {
  const auto used = std::ranges::find(content.metrics, "deciding_labels_used",
                                      [](const Metric& metric) { return metric.what.name; });
  return used != content.metrics.end() && used->values[task] > 0;
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
    if (wanted && !learnt_from_deciding(content, task)) found.push_back(task);
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

bool wants_points(const Content& content, const std::vector<std::size_t>& tasks, const Wish& wish) {
  const auto has_several = [&](std::size_t task) {
    return std::ranges::any_of(content.fronts, [&](const FrontGroup& group) {
      return group.offsets[task + 1] - group.offsets[task] > 1;
    });
  };
  if (std::ranges::none_of(tasks_to_choose_from(content, tasks, wish), has_several)) return false;
  if (wish.confidence) return !wish.bounds.empty();
  const std::vector<std::string> objectives = names_of(content.fronts.front().objectives);
  const auto is_measure = [&](const std::string& name) {
    return !name.empty() && std::ranges::count(objectives, name) == 0;
  };
  return is_measure(wish.best) || std::ranges::any_of(wish.bounds, is_measure, &Bound::name);
}

Choice choose(const Content& content, const std::vector<std::size_t>& tasks, const Wish& wish,
              double interval_confidence, const PointMeasures& points) {
  return Chooser(content, wish, interval_confidence, points).choose(tasks);
}

}  // namespace fairfront::results
