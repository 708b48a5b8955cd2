/// @file
/// The fields of base models' predictions and of the parts made of them, for base::PageWriter and
/// base::PageReader: what ranks of a node share. A field that is added and not named here does not
/// compile.
#pragma once

#include "data/shared_fields.hpp"
#include "experiments/regression.hpp"
#include "experiments/regression_base.hpp"

namespace fairfront::experiments {

/// All but options and set, which a taker has of its own.
template <class Pages, base::IsOf<BasePredictions> S>
void walk_fields(Pages& pages, S& all) {
  auto& [options, set, models, fits, target_evaluations, group_evaluations, split, label, group,
         group_names, eta, tau, unit, group_rules, provenance, warnings] = all;
  auto& [columns, groups, of_target, of_groups] = models;
  auto& [names, steps, values, seconds] = fits;
  auto& [scale, log1p, divisor] = unit;
  pages(columns, groups, of_target, of_groups);
  pages(names, steps, values, seconds);
  pages(scale, log1p, divisor, target_evaluations, group_evaluations);
  pages(split, label, group, group_names, eta, tau, group_rules, provenance, warnings);
}

template <class Pages, base::IsOf<RegressionPart> S>
void walk_fields(Pages& pages, S& part) {
  auto& [predicted, label, group] = part;
  auto& [groups, eta, tilt, shares] = predicted;
  pages(groups, eta, tilt, shares, label, group);
}

/// All but what follows from the task alone, and the optima that a rank comes to know.
template <class Pages, base::IsOf<RegressionProblem> S>
void walk_fields(Pages& pages, S& problem) {
  auto& [base, options, scale, grid, beta, shares, atoms, unlabelled, unlabelled_file, test, choice,
         constant_risk, constant_risk_test, reference, optima] = problem;
  auto& [half, bound] = grid;
  pages(scale, half, bound, beta, shares, atoms, unlabelled, test, choice);
  pages(constant_risk, constant_risk_test, reference);
}

}  // namespace fairfront::experiments
