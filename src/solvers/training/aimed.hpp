/// @file
/// Bounds on rows that are not learnt from: gaps of the training part are aimed beside zero by as
/// much as those of held-out rows were found to lie there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/training/certified.hpp"

namespace fairfront::training {

/// A cell of which too few rows were held out to say where its mean loss lies.
struct UnsureCell {
  std::size_t cell = 0;
  std::int64_t rows = 0;  ///< that were held out
  double error = 0;       ///< standard error of their mean loss
};

struct AimedResult {
  TrainingResult result;  ///< evaluations are those of all runs
  /// Mean losses of the cells over rows that the runs before had not learnt from, shape (cells,);
  /// empty where nothing was aimed.
  std::vector<double> held_out;
  std::vector<double> offset;  ///< f L, as far as the last run has reached it
  double factor = 0;           ///< f, likewise
  Tightening tightening{};
  RandomisedClassifier draw{};     ///< where one is asked for
  std::vector<UnsureCell> unsure;  ///< of held_out, ascending
};

/// Certified, where options.shift asks for it behind others without a shift.
///
/// Networks keep gaps within delta on the rows that they learn from, and on other rows they have
/// others, all to the same side. Runs before the last measure these: of each fold of the training
/// part by a run that learns from the other folds, or of the validation part by one that learns
/// from the training part. Let L be their mean losses by cell, less the mean of these, weighed by 1
/// over their variances, and shrunk towards it as far as their standard errors ask for (W. James,
/// C. Stein, 1961), so that the noise of small groups is not aimed at. Few rows that all agree have
/// no variance of their own: a standard error is by their variance together with that of the rows
/// of all cells, worth four rows (G. K. Smyth, 2004), and the deviation of the true means by means
/// that are weighed by these (R. DerSimonian, N. Laird, 1986). Two or three means say little of
/// that, and of small tables those would be aimed at that lie apart by chance: so L is the mean
/// over deviations t of density .02 / (.02 + t)^2 beforehand (W. DuMouchel, 1994), and 0 where
/// moments find no more than noise. The last run adds f L to the cell losses of the training part
/// wherever bounds are meant, so that its gaps are within delta of -f D L.
///
/// f is shift_factor, or else what a second round of such runs, aimed with f = 3, calls for: where
/// the held-out gaps go along f as far as they did from 0 to 3, f makes them as small as can be by
/// least squares, within [0, 3]; what they went by has the standard error of the same rows'
/// changes, whose square is added to that of the way, so that f is the smaller the less is known of
/// it. Folds are made cell by cell and serve both rounds.
///
/// Named as unsure are cells whose mean has a standard error above delta and above the deviation of
/// the true means, as shrinking has it: more than half of what it says is noise, and no aim keeps
/// the cell's loss within delta of the others' on rows to come. That error is by the variance of
/// the rows of all cells together, as few rows may all agree.
///
/// Every run has the whole budget. A checkpoint has the run that goes on and the sums so far.
/// Local.
///
/// @param start  of every run.
/// @throws as train().
[[nodiscard]] AimedResult aimed_training(const Problem& problem, const CertifiedOptions& options,
                                         const Address& address, const std::vector<double>& start,
                                         const RunOptions& run,
                                         const solvers::Control& control = {});

/// Runs that aimed_training() makes.
[[nodiscard]] std::int64_t runs_of(const CertifiedOptions& options);

}  // namespace fairfront::training
