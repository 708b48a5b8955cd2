/// @file
/// Names that a choice takes, and what it says of others.
#pragma once

#include <string>
#include <vector>

#include "results/choice.hpp"
#include "results/choice_values.hpp"
#include "results/content.hpp"

namespace fairfront::results {

/// What a name is given for.
enum class NameUse { upper_bound, lower_bound, as_best };

/// Names of objectives and measures in a choice among points of several problems. A list in a
/// message holds those that are taken for that use in each of them.
class ChoiceNames {
 public:
  /// @param tested_on  the part in words on which bounds are tested.
  /// All but `tested_on` must outlive it.
  ChoiceNames(const Content& content, const Wish& wish, const PointValues& values,
              const std::vector<std::vector<PointPlace>>& problems, std::string tested_on);

  /// The measure, or null: it is an objective.
  /// @throws base::InputError  there is no such name, it is of the other form of classifiers, says
  ///         several things of the points, has no value on the part that decides; or the wish has a
  ///         confidence, and there are points of which none has that end of an interval where
  ///         bounds are tested.
  [[nodiscard]] const Measure* find(const std::string& name, NameUse use) const;

 private:
  [[nodiscard]] bool is_objective(const std::string& name) const;
  [[nodiscard]] bool needs_limit(NameUse use) const;
  [[nodiscard]] bool is_of_form(const std::string& name) const;
  [[nodiscard]] bool says_several(const std::string& name) const;
  [[nodiscard]] bool is_decided(const std::string& name) const;
  [[nodiscard]] bool is_measured() const;
  [[nodiscard]] ChoiceValue value_of(const PointPlace& place, const std::string& name) const;
  [[nodiscard]] bool has_limit(const std::string& name, NameUse use) const;
  [[nodiscard]] std::vector<std::string> of_form(NameUse use) const;
  [[nodiscard]] std::vector<std::string> taken(NameUse use) const;
  [[nodiscard]] std::string left_out(NameUse use) const;
  void require_form(const std::string& name, NameUse use) const;
  void require_limit(const std::string& name, NameUse use) const;

  const Content& content_;
  const Wish& wish_;
  const PointValues& values_;
  const std::vector<std::vector<PointPlace>>& problems_;
  std::string tested_on_;
};

}  // namespace fairfront::results
