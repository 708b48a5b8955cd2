#include "data/sklearn_split.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "data/numpy_draw.hpp"

namespace fairfront::data {
namespace {

using Counts = std::vector<std::int64_t>;
using Rows = std::vector<std::int64_t>;

/// How many of `draws` rows come from each stratum: the whole parts of the expectations, and the
/// rest by the largest remainders, in the random order of equal ones (scikit-learn's
/// _approximate_mode).
Counts sizes_in_strata(const Counts& rows, std::int64_t draws, NumpyRandom& random) {
  const auto all = static_cast<double>(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}));
  Counts sizes;
  std::vector<double> remainders;
  for (const std::int64_t count : rows) {
    const double expected = static_cast<double>(count) / all * static_cast<double>(draws);
    const double whole = std::floor(expected);
    sizes.push_back(static_cast<std::int64_t>(whole));
    remainders.push_back(expected - whole);
  }
  std::int64_t left = draws - std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  std::vector<double> values = remainders;
  std::ranges::sort(values, std::greater<>());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (const double value : values) {
    if (left <= 0) break;
    std::vector<std::size_t> equal;
    for (std::size_t i = 0; i < remainders.size(); ++i) {
      if (remainders[i] == value) equal.push_back(i);
    }
    random.shuffle(std::span{equal});
    equal.resize(std::min(equal.size(), static_cast<std::size_t>(left)));
    for (const std::size_t i : equal) ++sizes[i];
    left -= std::ssize(equal);
  }
  return sizes;
}

/// Strata without rows are left out: they would take part in the draw of ties.
std::vector<Rows> rows_of_strata(std::span<const std::int32_t> stratum) {
  std::vector<Rows> rows;
  for (std::size_t i = 0; i < stratum.size(); ++i) {
    if (stratum[i] < 0) throw std::invalid_argument("sklearn_split: a stratum is below 0");
    const auto code = static_cast<std::size_t>(stratum[i]);
    if (code >= rows.size()) rows.resize(code + 1);
    rows[code].push_back(static_cast<std::int64_t>(i));
  }
  std::erase_if(rows, [](const Rows& of_stratum) { return of_stratum.empty(); });
  return rows;
}

Counts counts_of(const std::vector<Rows>& strata) {
  Counts counts;
  for (const Rows& rows : strata) counts.push_back(std::ssize(rows));
  return counts;
}

TwoParts draw_from_strata(std::vector<Rows> strata, std::int64_t train_rows, std::int64_t test_rows,
                          NumpyRandom& random) {
  Counts counts = counts_of(strata);
  const Counts train = sizes_in_strata(counts, train_rows, random);
  for (std::size_t s = 0; s < counts.size(); ++s) counts[s] -= train[s];
  const Counts test = sizes_in_strata(counts, test_rows, random);
  TwoParts parts;
  for (std::size_t s = 0; s < strata.size(); ++s) {
    random.shuffle(std::span{strata[s]});
    const auto middle = strata[s].begin() + train[s];
    parts.train.insert(parts.train.end(), strata[s].begin(), middle);
    parts.test.insert(parts.test.end(), middle, middle + test[s]);
  }
  random.shuffle(std::span{parts.train});
  random.shuffle(std::span{parts.test});
  return parts;
}

}  // namespace

TwoParts sklearn_split(std::span<const std::int32_t> stratum, double share, std::uint32_t seed) {
  const auto rows = std::ssize(stratum);
  // As scikit-learn does, with the rounding of doubles: 0.07 of 100 rows are 8.
  const auto test_rows = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(rows)));
  if (!(test_rows >= 1 && test_rows < rows)) {
    throw std::invalid_argument("sklearn_split: both parts must have a row");
  }
  std::vector<Rows> strata = rows_of_strata(stratum);
  NumpyRandom random(seed);
  if (strata.size() > 1) {
    return draw_from_strata(std::move(strata), rows - test_rows, test_rows, random);
  }
  Rows& all = strata.front();
  random.shuffle(std::span{all});
  const auto middle = all.begin() + test_rows;
  return {.train = {middle, all.end()}, .test = {all.begin(), middle}};
}

}  // namespace fairfront::data
