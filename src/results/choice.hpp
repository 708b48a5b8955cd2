/// @file
/// Choosing one point of what a sweep has found: decided on the part that decides, reported on the
/// other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/content.hpp"
#include "results/point_measures.hpp"
#include "results/task_record.hpp"

namespace fairfront::results {

/// Whether the task has learnt from labels or groups of the part that decides, which then says
/// nothing of how it compares with others.
[[nodiscard]] bool learnt_from_deciding(const Content& content, std::size_t task);

/// Methods of tasks that are done and have learnt from groups of the part that decides, and not
/// from its labels: their points are chosen among where no other method is asked for.
[[nodiscard]] std::vector<std::string> methods_to_ask_for_alone(const Content& content);

/// What a person asks a point to keep: `value of name <= limit`, or >=.
struct Bound {
  std::string name;  ///< of an objective or a measure
  bool at_most = true;
  double limit = 0;
};

/// "NAME<=X" or "NAME>=X"; blanks around the sign are left out.
/// @throws base::InputError  it is none.
[[nodiscard]] Bound parse_bound(std::string_view text);

/// What is asked for.
struct Wish {
  std::vector<Bound> bounds{};
  std::string best{};  ///< the objective or measure that is to be best; empty: the first objective
  bool knee = false;   ///< in place of `best`: the corner of the front of two objectives
  std::vector<std::string> methods{};  ///< only of these; empty: of all
  /// The bounds hold for the population with this confidence; none: on the part that decides.
  std::optional<double> confidence{};
  /// Among the randomised classifiers, by their own measures; `best` is one, and no knee is wanted.
  bool randomised = false;
};

/// The wish with objectives in full where it has words of their names and nothing is called so:
/// `balance` of "balance by the first attribute" and "balance by the second attribute". A bound is
/// then on each of them.
/// @throws base::InputError  what is to be best may be several of them.
[[nodiscard]] Wish with_full_names(const Content& content, const Wish& wish);

/// What is known of one name at one point.
struct ChoiceValue {
  double decided = 0;   ///< on the part that decides
  Measured reported{};  ///< on the part that is reported, with its interval
  Measured tested{};    ///< on the part `choice` where there is one, else what is reported
};

/// A point that can be chosen.
struct Candidate {
  std::size_t task = 0;
  std::size_t point = 0;            ///< of the task's front
  std::size_t of = 1;               ///< points that this front has
  std::vector<ChoiceValue> values;  ///< per name of the Choice
  bool keeps = false;               ///< every bound, on the part that decides
  /// How far it is from the bounds there, as the largest of value - limit: 0 or less if it keeps
  /// them. Of several bounds each counts in units of how far the problem's points lie apart in what
  /// it is on. Points are tested in ascending order of it.
  double excess = 0;
};

/// How many times the tested rows let a point pass all bounds, if it is in truth so far from them.
struct RowsAtTruth {
  std::vector<double> truth;  ///< of what each bound is on
  double times = 0;  ///< with a probability of about .9; fewer rows than there are: below 1
};

/// One problem's points, and which of them is chosen.
struct Choice {
  std::vector<std::string> names;  ///< the objectives, then the measures that the wish has
  std::vector<Direction> directions;
  std::string decided_on;             ///< a part in words, as "validation part"
  std::string tested_on;              ///< where a wish has a confidence
  std::vector<Candidate> candidates;  ///< the best ones first, those that break a bound at last
  std::optional<std::size_t> chosen;  ///< place in `candidates`
  bool has_knee = true;  ///< false: a knee is wished, and no point lies below the line of the ends
  bool knows_best = true;  ///< false: points keep the bounds, of none is known what is to be best
  std::size_t certified = 0;  ///< how many have passed the tests, where a wish has them
  /// Where none has passed: of the first one tested the place in `candidates` and how many times
  /// the tested rows would let it pass with a probability of about .9; infinite where the mean of
  /// what both parts say of it breaks the bound.
  std::optional<std::size_t> first_tested;
  double rows_needed = 0;                   ///< NaN: it has no interval there of what a bound is on
  std::vector<RowsAtTruth> rows_at_truths;  ///< of the same point, see results::rows_at_truths()
  bool needs_roughly = false;               ///< of a point that was fitted to the rows that decide
  std::optional<std::size_t> nearest;  ///< then: the one whose limits come nearest to the bounds
  bool nearest_passes = false;         ///< by itself, and stands behind one that fails
};

/// Chooses among the points of tasks of one problem.
///
/// Without a confidence: the best point among those that keep every bound on the part that decides.
/// With one: points are sorted by `excess` on the part that decides, and tested in this order on
/// rows that no selection has seen, until the first that fails: a fixed sequence, so that all that
/// pass keep every bound at once with that confidence. These rows are the part `choice`, whose
/// intervals of confidence c have ends that are one-sided limits of confidence c each; without that
/// part the reported one, where an end is a one-sided limit of confidence (1 + c) / 2. A point
/// passes if that end keeps the bound, for each bound: of several, and of a gap, the largest
/// contrast of all pairs of groups, it needs no correction (intersection-union). The best of those
/// that pass on the part that decides is chosen. Laufer-Goldshtein and others (2023), "Pareto
/// testing"; Maurer, Hothorn, Lehmacher (1995); Berger (1982).
///
/// @param tasks     indices; those that are not done, or learnt from labels of the part that
///                  decides, are left out, and where other methods are asked for, too, those that
///                  learnt from its groups.
/// @param interval_confidence  of the intervals that the archive has.
/// @param points    what was measured of every point of these tasks, see wants_points(); empty: the
///                  measures of the archive are those of the points.
/// @throws base::InputError  a name that no point has, or only tasks with more than one point; with
///         a confidence: a bound on what has no interval, or intervals of a smaller confidence. The
///         names that are offered instead are taken.
[[nodiscard]] Choice choose(const Content& content, const std::vector<std::size_t>& tasks,
                            const Wish& wish, double interval_confidence,
                            const PointMeasures& points = {});

/// A choice for each of several problems, by names that are taken in all of them; see choose().
[[nodiscard]] std::vector<Choice> choose_each(const Content& content,
                                              const std::vector<std::vector<std::size_t>>& problems,
                                              const Wish& wish, double interval_confidence,
                                              const PointMeasures& points = {});

/// Gives the chosen point's objectives their intervals.
/// @param choice  among objectives alone.
/// @param points  measured of the chosen point; where they say something else, nothing is changed.
void add_intervals(const Content& content, Choice& choice, const PointMeasures& points);

/// Those of the tasks whose points can be chosen.
[[nodiscard]] std::vector<std::size_t> tasks_to_choose_from(const Content& content,
                                                            const std::vector<std::size_t>& tasks,
                                                            const Wish& wish);

/// Whether the archive says nothing of the points of a done task but their objectives: there are
/// several, its measures are of another model, see measures_are_of_point(), or there are none.
[[nodiscard]] bool points_need_measures(const Content& content, std::size_t task);

/// Whether the wish needs measures of points, and the archive has none: points of one of the tasks
/// need them, and the wish names a measure or has a confidence.
[[nodiscard]] bool wants_points(const Content& content, const std::vector<std::size_t>& tasks,
                                const Wish& wish);

}  // namespace fairfront::results
