#include "results/choice_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace fairfront::results {
namespace {

/// Of the measures of randomised classifiers.
constexpr std::string_view randomised_prefix = "randomised_";

}  // namespace

ChoiceNames::ChoiceNames(const Content& content, const Wish& wish, const PointValues& values,
                         const std::vector<std::vector<PointPlace>>& problems,
                         std::string tested_on)
    : content_{content},
      wish_{wish},
      values_{values},
      problems_{problems},
      tested_on_{std::move(tested_on)} {}

const Measure* ChoiceNames::find(const std::string& name, NameUse use) const {
  if (is_objective(name)) {
    require_limit(name, use);
    return nullptr;
  }
  const Measure* const measure = values_.measure_called(name);
  if (measure == nullptr) {
    const std::vector<std::string> names = taken(use);
    if (wish_.randomised && names.empty()) {
      throw base::InputError(
          "the archive holds no randomised classifiers, which [reductions] makes: leave out "
          "--randomised");
    }
    throw base::InputError(fmt::format("there is no objective or measure '{}'{}{}", name,
                                       base::name_hint(name, names),
                                       base::nearest_name(name, names) ? "" : left_out(use)));
  }
  require_form(name, use);
  if (!is_decided(name)) {
    throw base::InputError(fmt::format("{} has no value on the {} part, which decides, only on: {}",
                                       name, values_.roles().decides,
                                       base::join(measure->parts, ", ")));
  }
  require_limit(name, use);
  return measure;
}

/// The objectives are the single classifier's.
bool ChoiceNames::is_objective(const std::string& name) const {
  return !wish_.randomised &&
         std::ranges::any_of(content_.fronts.front().objectives,
                             [&](const Quantity& what) { return what.name == name; });
}

bool ChoiceNames::needs_limit(NameUse use) const {
  return wish_.confidence && use != NameUse::as_best;
}

bool ChoiceNames::is_of_form(const std::string& name) const {
  return name.starts_with(randomised_prefix) == wish_.randomised && !says_several(name);
}

/// A measure of another rate at every point.
bool ChoiceNames::says_several(const std::string& name) const {
  const bool of_rate = name.ends_with("rate_ratio") || name.ends_with("rate_gap");
  return of_rate && std::ranges::any_of(content_.axes, [](const Axis& axis) {
           return axis.name == "reductions.rate" && axis.values.size() > 1;
         });
}

/// Whether it has a value on the part that decides.
bool ChoiceNames::is_decided(const std::string& name) const {
  if (is_objective(name)) return true;
  const Measure* const measure = values_.measure_called(name);
  return std::ranges::count(measure->parts, values_.roles().decides) > 0;
}

/// Whether the measures say something of every point.
bool ChoiceNames::is_measured() const {
  return std::ranges::all_of(problems_, [&](const std::vector<PointPlace>& points) {
    return std::ranges::all_of(points,
                               [&](const PointPlace& point) { return values_.is_measured(point); });
  });
}

ChoiceValue ChoiceNames::value_of(const PointPlace& place, const std::string& name) const {
  if (!is_objective(name)) return values_.of_measure(place, *values_.measure_called(name));
  const std::vector<Quantity>& objectives = content_.fronts.front().objectives;
  const auto found = std::ranges::find(objectives, name, &Quantity::name);
  return values_.of_objective(place, static_cast<std::size_t>(found - objectives.begin()));
}

bool ChoiceNames::has_limit(const std::string& name, NameUse use) const {
  const Measure* const measure = values_.measure_called(name);
  // What is known of one part alone decides there, and is tested on no other rows.
  if (!is_objective(name) && measure->parts.size() < 2) return false;
  // Of no point nothing is asked.
  if (std::ranges::all_of(problems_, &std::vector<PointPlace>::empty)) return true;
  return std::ranges::any_of(problems_, [&](const std::vector<PointPlace>& points) {
    return std::ranges::any_of(points, [&](const PointPlace& point) {
      const Measured tested = value_of(point, name).tested;
      return !std::isnan(use == NameUse::upper_bound ? tested.high : tested.low);
    });
  });
}

/// All that the wish's form of classifiers has, for that use.
std::vector<std::string> ChoiceNames::of_form(NameUse use) const {
  std::set<std::string> names;
  if (!wish_.randomised) {
    for (const Quantity& what : content_.fronts.front().objectives) names.insert(what.name);
  }
  for (const Measure& measure : values_.measures()) {
    const bool has_order = measure.what.direction != Direction::none;
    if (!is_of_form(measure.what.name) || !is_measured()) continue;
    if (use != NameUse::as_best || has_order) names.insert(measure.what.name);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> ChoiceNames::taken(NameUse use) const {
  std::vector<std::string> names = of_form(use);
  std::erase_if(names, [&](const std::string& name) {
    return !is_decided(name) || (needs_limit(use) && !has_limit(name, use));
  });
  return names;
}

/// Names that a list does not hold as no bound on them can be proven, and why; of a use that needs
/// no proof nothing.
std::string ChoiceNames::left_out(NameUse use) const {
  if (!needs_limit(use)) return "";
  std::vector<std::string> undecided, without_limit;
  for (const std::string& name : of_form(use)) {
    if (!is_decided(name)) {
      undecided.push_back(name);
    } else if (!has_limit(name, use)) {
      without_limit.push_back(name);
    }
  }
  std::vector<std::string> reasons;
  if (!without_limit.empty()) {
    reasons.push_back(fmt::format("without an interval on the {}: {}", tested_on_,
                                  base::list_some(without_limit)));
  }
  if (!undecided.empty()) {
    reasons.push_back(fmt::format("without a value on the {} part, which decides: {}",
                                  values_.roles().decides, base::list_some(undecided)));
  }
  if (reasons.empty()) return "";
  return fmt::format("; no bound can be proven on names {}", base::join(reasons, "; "));
}

void ChoiceNames::require_form(const std::string& name, NameUse use) const {
  const bool is_randomised = name.starts_with(randomised_prefix);
  if (is_randomised && !wish_.randomised) {
    throw base::InputError(
        fmt::format("{} is of the randomised classifiers, which --randomised chooses among", name));
  }
  if (!is_randomised && wish_.randomised) {
    const std::vector<std::string> names = taken(use);
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

void ChoiceNames::require_limit(const std::string& name, NameUse use) const {
  if (!needs_limit(use) || has_limit(name, use)) return;
  if (!is_objective(name)) {
    const std::vector<std::string>& parts = values_.measure_called(name)->parts;
    if (parts.size() < 2) {
      throw base::InputError(fmt::format(
          "{} is known of the part '{}' alone, which decides: a confidence needs rows that no "
          "selection has seen",
          name, parts.front()));
    }
  }
  const std::vector<std::string> names = taken(use);
  const std::string others = names.empty()
                                 ? ", nor has anything else"
                                 : fmt::format("; these have one: {}", base::list_some(names));
  throw base::InputError(fmt::format("{} has no interval on the {}{}", name, tested_on_, others));
}

}  // namespace fairfront::results
