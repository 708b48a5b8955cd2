/// @file
/// Linear programs by GLPK, the opinion of others on ours.
#pragma once

#include <glpk.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "optimise/linear_program.hpp"

namespace fairfront::optimise::testing_glpk {

struct Answer {
  bool feasible = false;
  double value = 0;
  std::vector<double> x;
};

inline Answer minimise(const LinearProgram& program) {
  glp_term_out(GLP_OFF);
  glp_prob* problem = glp_create_prob();
  const auto rows = static_cast<int>(program.rows), columns = static_cast<int>(program.columns);
  glp_add_rows(problem, rows);
  glp_add_cols(problem, columns);
  for (int i = 1; i <= rows; ++i) {
    glp_set_row_bnds(problem, i, GLP_UP, 0, program.right[static_cast<std::size_t>(i - 1)]);
    std::vector<int> places{0};
    std::vector<double> values{0};
    for (int j = 1; j <= columns; ++j) {
      const auto k = static_cast<std::size_t>((i - 1) * columns + j - 1);
      if (program.matrix[k] == 0) continue;
      places.push_back(j);
      values.push_back(program.matrix[k]);
    }
    glp_set_mat_row(problem, i, static_cast<int>(places.size()) - 1, places.data(), values.data());
  }
  for (int j = 1; j <= columns; ++j) {
    glp_set_col_bnds(problem, j, GLP_LO, 0, 0);
    glp_set_obj_coef(problem, j, program.cost[static_cast<std::size_t>(j - 1)]);
  }
  glp_smcp options;
  glp_init_smcp(&options);
  options.msg_lev = GLP_MSG_OFF;
  options.tol_bnd = options.tol_dj = 1e-11;  // bounds as small as 2^-20 are to be kept
  const int status = glp_simplex(problem, &options);
  Answer answer{status == 0 && glp_get_status(problem) == GLP_OPT, glp_get_obj_val(problem), {}};
  for (int j = 1; j <= columns; ++j) answer.x.push_back(glp_get_col_prim(problem, j));
  glp_delete_prob(problem);
  if (status != 0) throw std::runtime_error("GLPK failed");
  return answer;
}

}  // namespace fairfront::optimise::testing_glpk
