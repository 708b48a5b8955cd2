/// @file
/// Every cluster of a tiny problem, and the linear relaxation of set partitioning over them.
#pragma once

#include <glpk.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "data/dataset.hpp"

namespace fairfront::clustering {

/// A cluster by its definition, in the data set's row order.
struct TinyCluster {
  std::vector<int> members;
  double cost = 0;  ///< sum of squared distances to the mean
};

inline bool holds_floor(const data::Dataset& dataset, std::uint32_t members, double floor) {
  std::vector<int> counts(dataset.group_names.size(), 0);
  for (std::size_t p = 0; p < dataset.group.size(); ++p) {
    counts[static_cast<std::size_t>(dataset.group[p])] += (members >> p) & 1;
  }
  const auto [least, most] = std::ranges::minmax(counts);
  return floor * most - least <= 1e-9;
}

/// All nonempty clusters whose balance is at least the floor; at most 16 points.
inline std::vector<TinyCluster> all_clusters(const data::Dataset& dataset, double floor) {
  const auto columns = static_cast<std::size_t>(dataset.columns);
  std::vector<TinyCluster> all;
  for (std::uint32_t bits = 1; bits < (1U << dataset.rows); ++bits) {
    if (!holds_floor(dataset, bits, floor)) continue;
    TinyCluster cluster;
    for (int p = 0; p < dataset.rows; ++p) {
      if (((bits >> p) & 1) != 0) cluster.members.push_back(p);
    }
    for (std::size_t i = 0; i < columns; ++i) {
      double mean = 0;
      const auto x = [&](int p) {
        return dataset.features[static_cast<std::size_t>(p) * columns + i];
      };
      for (const int p : cluster.members) mean += x(p) / double(cluster.members.size());
      for (const int p : cluster.members) cluster.cost += (x(p) - mean) * (x(p) - mean);
    }
    all.push_back(cluster);
  }
  return all;
}

/// min_C cost(C) - sum_{p in C} pi_p. @param potentials  by row.
inline double least_value(const std::vector<TinyCluster>& clusters,
                          std::span<const double> potentials) {
  double least = std::numeric_limits<double>::infinity();
  for (const TinyCluster& cluster : clusters) {
    double value = cluster.cost;
    for (const int p : cluster.members) value -= potentials[static_cast<std::size_t>(p)];
    least = std::min(least, value);
  }
  return least;
}

/// The least sum of costs of K clusters with weights >= 0 that cover every point once, by GLPK.
inline double partitioning_relaxation(const std::vector<TinyCluster>& clusters, std::int64_t points,
                                      std::int64_t number) {
  glp_term_out(GLP_OFF);
  glp_prob* program = glp_create_prob();
  const int rows = static_cast<int>(points) + 1;
  glp_add_rows(program, rows);
  for (int i = 1; i < rows; ++i) glp_set_row_bnds(program, i, GLP_FX, 1, 1);
  glp_set_row_bnds(program, rows, GLP_FX, double(number), double(number));
  glp_add_cols(program, static_cast<int>(clusters.size()));
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    const int column = static_cast<int>(k) + 1;
    std::vector<int> places{0};
    for (const int p : clusters[k].members) places.push_back(p + 1);
    places.push_back(rows);
    const std::vector<double> ones(places.size(), 1.0);
    glp_set_mat_col(program, column, static_cast<int>(places.size()) - 1, places.data(),
                    ones.data());
    glp_set_col_bnds(program, column, GLP_LO, 0, 0);
    glp_set_obj_coef(program, column, clusters[k].cost);
  }
  glp_smcp options;
  glp_init_smcp(&options);
  options.msg_lev = GLP_MSG_OFF;
  const int status = glp_simplex(program, &options);
  const bool optimal = status == 0 && glp_get_status(program) == GLP_OPT;
  const double value = glp_get_obj_val(program);
  glp_delete_prob(program);
  if (!optimal) throw std::runtime_error("GLPK found no optimum");
  return value;
}

}  // namespace fairfront::clustering
