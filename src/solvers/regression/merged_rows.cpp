#include "solvers/regression/merged_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace fairfront::regression {
namespace {

std::vector<double> means_of_tilts(const PredictedRows& rows) {
  std::vector<double> means(static_cast<std::size_t>(rows.groups), 0.0);
  for (std::size_t i = 0; i < rows.tilt.size(); ++i) means[i % means.size()] += rows.tilt[i];
  for (double& mean : means) mean /= static_cast<double>(rows.rows());
  return means;
}

/// Numbers of the rows, neighbours beside each other.
std::vector<std::int64_t> in_slabs(const PredictedRows& rows, std::int64_t slabs) {
  std::vector<std::int64_t> order(rows.eta.size());
  std::iota(order.begin(), order.end(), 0);
  const auto eta = [&](std::int64_t i) { return rows.eta[static_cast<std::size_t>(i)]; };
  std::ranges::stable_sort(order, {}, eta);
  const auto first_tilt = [&](std::int64_t i) { return rows.tilts(i)[0]; };
  for (std::int64_t slab = 0; slab < slabs; ++slab) {
    const auto begin = order.begin() + slab * rows.rows() / slabs;
    const auto end = order.begin() + (slab + 1) * rows.rows() / slabs;
    std::stable_sort(begin, end,
                     [&](std::int64_t a, std::int64_t b) { return first_tilt(a) < first_tilt(b); });
  }
  return order;
}

}  // namespace

PredictedRows merged_rows(const PredictedRows& rows, std::int64_t count) {
  if (count < 1 || count > rows.rows()) {
    throw std::invalid_argument("merged_rows: count must be in 1 .. N");
  }
  const auto slabs = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const std::vector<std::int64_t> order = in_slabs(rows, slabs);
  const auto groups = static_cast<std::size_t>(rows.groups);
  PredictedRows merged{rows.groups, {}, {}, rows.shares};
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t begin = k * rows.rows() / count, end = (k + 1) * rows.rows() / count;
    double eta = 0;
    std::vector<double> tilt(groups, 0.0);
    for (std::int64_t j = begin; j < end; ++j) {
      const std::int64_t i = order[static_cast<std::size_t>(j)];
      eta += rows.eta[static_cast<std::size_t>(i)];
      for (std::size_t s = 0; s < groups; ++s) tilt[s] += rows.tilts(i)[s];
    }
    const auto size = static_cast<double>(end - begin);
    merged.eta.push_back(eta / size);
    for (const double sum : tilt) merged.tilt.push_back(sum / size);
  }
  // Where not all of them stand for the same number of rows the means have moved a little.
  const std::vector<double> wanted = means_of_tilts(rows), found = means_of_tilts(merged);
  for (std::size_t i = 0; i < merged.tilt.size(); ++i) {
    merged.tilt[i] += wanted[i % groups] - found[i % groups];
  }
  return merged;
}

}  // namespace fairfront::regression
