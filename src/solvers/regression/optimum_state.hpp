/// @file
/// Optima and what is proven of them as parts of a state.
#pragma once

#include "solvers/common/eigen_state.hpp"
#include "solvers/common/state.hpp"
#include "solvers/regression/certificate.hpp"
#include "solvers/regression/optimum.hpp"

namespace fairfront::regression {

template <solvers::MaybeConst<Optimum> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.beta, self.v, self.value, self.gradient_norm, self.converged, self.iterations,
        self.evaluations);
}

template <solvers::MaybeConst<Certificate> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.lower, self.upper, self.share, self.risk, self.excess);
}

}  // namespace fairfront::regression
