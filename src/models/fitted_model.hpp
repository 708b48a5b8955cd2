/// @file
/// A fitted model as a value: all that predicts rows that come later, and no row that it was fitted
/// to. A problem's models share how rows become features; each has a text, which says what kind it
/// is and which numbers it reads, and numbers, which are solutions of its task.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/category.hpp"
#include "data/fitted_preparation.hpp"
#include "data/group_rules.hpp"

namespace fairfront::models {

/// What all models of a problem share, fitted on its training rows.
struct SharedFit {
  data::FittedPreparation preparation;
  std::vector<std::string> groups;  ///< their names, by number
  /// What the kinds of models say that they read, such as the "mean" of every feature.
  std::map<std::string, std::vector<double>> numbers{};
  std::vector<data::GroupRule> group_rules{};  ///< find a row's group; empty: nobody knows how
};

/// The unit that a real target has in its table, where the models predict another one.
struct TargetUnit {
  data::Affine scale;  ///< was taken at last
  bool log1p = false;  ///< was taken before
  double divisor = 1;  ///< of the table's numbers, at first

  [[nodiscard]] bool is_prepared() const noexcept {
    return scale.shift == 0 && scale.divisor == 1 && !log1p && divisor == 1;
  }
  /// A prepared number in the table's unit.
  [[nodiscard]] double operator()(double prepared) const noexcept;
};

/// The unit among the shared numbers, "target_unit"; nothing where it is the prepared one.
/// @throws base::DamagedError  no such numbers.
[[nodiscard]] std::optional<TargetUnit> target_unit_of(const SharedFit& fit);
void set_target_unit(SharedFit& fit, const TargetUnit& unit);

/// As JSON, with every bit of the numbers.
[[nodiscard]] std::string text_of(const SharedFit& fit);
/// @throws base::DamagedError  no such text.
[[nodiscard]] SharedFit shared_fit_of(const std::string& text);

/// The number of every row's group by its name, which is one of `fit.groups`: a category that is
/// read as a stream numbers names as they come.
[[nodiscard]] std::vector<std::int32_t> group_numbers(const SharedFit& fit,
                                                      const data::Category& names);

/// What a model is: a kind and its options, words without blanks.
struct ModelText {
  std::string kind;
  std::map<std::string, std::string> options{};

  /// "kind name=value name=value", options in the order of their names.
  [[nodiscard]] std::string text() const;
  /// @throws base::DamagedError  no such text.
  [[nodiscard]] static ModelText parse(const std::string& text);

  /// @throws base::DamagedError  there is no such option.
  [[nodiscard]] const std::string& at(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const { return options.contains(name); }
};

/// Says where `text` finds what its problem's models share: the data set with this digest.
[[nodiscard]] std::string with_data(const std::string& text, const std::string& digest);

/// The randomised classifier, a draw among several models, beside the single one that `text` is.
/// @throws base::InputError  there is none.
[[nodiscard]] ModelText randomised(const ModelText& text);

/// What decisions that are drawn are drawn from.
inline constexpr std::array<double, 2> binary_decisions{0, 1};

/// The vectors of a solution, by its name.
using NamedNumbers = std::function<std::vector<std::vector<double>>(const std::string& name)>;

/// Predicts rows by their features.
class FittedModel {
 public:
  virtual ~FittedModel() = default;

  /// Names of what is said of a row, such as "score".
  [[nodiscard]] virtual std::vector<std::string> outputs() const = 0;
  /// Beside what the preparation needs.
  [[nodiscard]] virtual bool needs_group() const { return false; }
  /// Has the bits from which the run computed its measures; those of a row do not depend on the
  /// rows beside it.
  /// @param features  row-major, shape (n, d).
  /// @param groups    shape (n,), by number; empty where none are needed.
  /// @return row-major, shape (n, outputs), valid until the next call.
  [[nodiscard]] virtual std::span<const double> predict(std::span<const double> features,
                                                        std::span<const std::int32_t> groups) = 0;

  /// What predictions are drawn from, ascending; empty: they are not drawn.
  [[nodiscard]] virtual std::span<const double> atoms() const { return {}; }
  /// Of the last predict(): probabilities of the atoms, row-major, shape (n, atoms).
  [[nodiscard]] virtual std::span<const double> distribution() const { return {}; }

  /// Number of the centres, of which predict() takes the nearest; 0: there are none.
  [[nodiscard]] virtual std::int64_t centres() const { return 0; }
  /// Squared distances to the centres, row-major, shape (n, centres()), valid until the next call;
  /// predict() says the square root of the smallest.
  [[nodiscard]] virtual std::span<const double> squared_distances(
      std::span<const double> /*features*/) {
    return {};
  }

 protected:
  FittedModel() = default;
  FittedModel(const FittedModel&) = default;
  FittedModel& operator=(const FittedModel&) = default;
};

/// @param shared   must outlive the model.
/// @param numbers  of the model's task.
/// @throws base::DamagedError  a kind that there is not, or numbers that do not fit.
[[nodiscard]] std::unique_ptr<FittedModel> make_model(const SharedFit& shared,
                                                      const ModelText& text,
                                                      const NamedNumbers& numbers);

}  // namespace fairfront::models
