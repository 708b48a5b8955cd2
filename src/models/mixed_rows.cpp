#include "models/mixed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/index.hpp"
#include "base/stop.hpp"
#include "models/kernels.hpp"
#include "optimise/eigen.hpp"

namespace fairfront::models {
namespace {

using base::at;

constexpr std::int64_t rows_between_looks = 4096;

/// The values of a column, as far as they are two.
struct TwoValues {
  double first = 0, second = 0;
  std::int64_t firsts = 0, seconds = 0;
  bool are_all = true;

  void add(double value) {
    if (firsts == 0 || value == first) {
      first = value;
      ++firsts;
    } else if (seconds == 0 || value == second) {
      second = value;
      ++seconds;
    } else {
      are_all = false;
    }
  }
};

}  // namespace

MixedRows::MixedRows(const Rows& rows) : rows_{rows} {
  place_columns();
  fill_rows();
}

void MixedRows::place_columns() {
  std::vector<TwoValues> seen(at(rows_.columns()));
  for (std::int64_t i = 0; i < rows_.size(); ++i) {
    if (i % rows_between_looks == 0) base::stop_point();
    const double* row = rows_.row(i);
    for (std::size_t j = 0; j < seen.size(); ++j) {
      if (seen[j].are_all) seen[j].add(row[j]);
    }
  }
  const double most = rare * static_cast<double>(rows_.size());
  const auto is_listed = [&](const TwoValues& of) {
    return of.are_all && static_cast<double>(std::min(of.firsts, of.seconds)) <= most;
  };
  columns_.resize(seen.size() + 1);
  for (std::size_t j = 0; j < seen.size(); ++j) {
    if (!is_listed(seen[j])) columns_[j + 1].place = ++many_;
  }
  std::size_t place = many_;
  for (std::size_t j = 0; j < seen.size(); ++j) {
    if (!is_listed(seen[j])) continue;
    const bool first_is_usual = seen[j].firsts >= seen[j].seconds;
    const double usual = first_is_usual ? seen[j].first : seen[j].second;
    const double other = first_is_usual ? seen[j].second : seen[j].first;
    const bool is_constant = seen[j].seconds == 0;
    columns_[j + 1] = {++place, usual, is_constant ? 0 : other - usual};
  }
}

void MixedRows::fill_rows() {
  begins_.assign(1, 0);
  if (many_ + 1 == columns_.size()) return;  // rows_ itself has all values
  values_.reserve(at(rows_.size()) * many_);
  begins_.reserve(at(rows_.size()) + 1);
  for (std::int64_t i = 0; i < rows_.size(); ++i) {
    if (i % rows_between_looks == 0) base::stop_point();
    const double* row = rows_.row(i);
    for (std::size_t j = 1; j < columns_.size(); ++j) {
      const Column& column = columns_[j];
      if (column.place <= many_) {
        values_.push_back(row[j - 1]);
      } else if (row[j - 1] != column.usual) {
        listed_.push_back(static_cast<std::int32_t>(column.place));
      }
    }
    begins_.push_back(std::ssize(listed_));
  }
}

std::span<const std::int32_t> MixedRows::listed(std::int64_t row) const {
  if (begins_.size() == 1) return {};
  return std::span(listed_).subspan(at(begins_[at(row)]),
                                    at(begins_[at(row) + 1] - begins_[at(row)]));
}

std::vector<double> MixedRows::weights_of_coded(std::span<const double> w) const {
  std::vector<double> coded(w.size(), 0.0);
  coded[0] = w[0];
  for (std::size_t j = 1; j < w.size(); ++j) {
    coded[0] += columns_[j].usual * w[j];
    coded[columns_[j].place] = columns_[j].step * w[j];
  }
  return coded;
}

void MixedRows::add_from_coded(std::span<const double> sums, std::span<double> out) const {
  for (std::size_t j = 0; j < out.size(); ++j) {
    const auto& [place, usual, step] = columns_[j];
    out[j] += usual * sums[0] + step * sums[place];
  }
}

void MixedRows::square_from_coded(std::span<const double> sums, std::span<double> out) const {
  const std::size_t n = columns_.size();
  const auto sum = [&](std::size_t a, std::size_t b) {
    return sums[std::max(a, b) * n + std::min(a, b)];
  };
  for (std::size_t j = 0; j < n; ++j) {
    const Column& a = columns_[j];
    for (std::size_t k = 0; k <= j; ++k) {
      const Column& b = columns_[k];
      const double value = a.step * (b.step * sum(a.place, b.place) + b.usual * sum(a.place, 0)) +
                           a.usual * (b.step * sum(b.place, 0) + b.usual * sums[0]);
      out[j * n + k] = out[k * n + j] = value;
    }
  }
}

void MixedRows::scores(std::span<const double> coded, std::int64_t first,
                       std::span<double> out) const {
  const auto count = std::ssize(out);
  if (begins_.size() == 1) return dots(rows_.part(first, count), &coded[1], coded[0], out);
  std::ranges::fill(out, coded[0]);
  if (many_ > 0) {
    const Rows values = Rows(values_, static_cast<std::int64_t>(many_)).part(first, count);
    dots(values, &coded[1], coded[0], out);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = 0;
    for (const std::int32_t place : listed(first + static_cast<std::int64_t>(i))) {
      sum += coded[at(place)];
    }
    out[i] += sum;
  }
}

void MixedRows::add_rows(std::int64_t first, std::span<const double> factors,
                         std::span<double> sums) const {
  for (const double factor : factors) sums[0] += factor;
  const auto count = std::ssize(factors);
  if (begins_.size() == 1) return add_weighted_rows(rows_.part(first, count), factors, &sums[1]);
  if (many_ > 0) {
    const Rows values = Rows(values_, static_cast<std::int64_t>(many_)).part(first, count);
    add_weighted_rows(values, factors, &sums[1]);
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (const std::int32_t place : listed(first + static_cast<std::int64_t>(i))) {
      sums[at(place)] += factors[i];
    }
  }
}

void MixedRows::add_squares(std::int64_t first, std::span<const double> factors,
                            std::span<double> sums) const {
  const auto width = static_cast<Eigen::Index>(many_ + 1);
  const auto n = static_cast<Eigen::Index>(columns_.size());
  const auto row_of = [&](std::size_t i) {
    return values_.empty() ? rows_.row(first + static_cast<std::int64_t>(i))
                           : &values_[(at(first) + i) * many_];
  };
  Eigen::MatrixXd scaled(width, std::ssize(factors));
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double root = std::sqrt(factors[i]);
    const auto column = static_cast<Eigen::Index>(i);
    scaled(0, column) = root;
    for (Eigen::Index j = 1; j < width; ++j) scaled(j, column) = root * row_of(i)[j - 1];
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<RowMajor> all(sums.data(), n, n);
  all.topLeftCorner(width, width).selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto places = listed(first + static_cast<std::int64_t>(i));
    for (std::size_t a = 0; a < places.size(); ++a) {
      double* const row = &sums[at(places[a]) * columns_.size()];
      row[0] += factors[i];
      for (std::size_t j = 0; j < many_; ++j) row[j + 1] += factors[i] * row_of(i)[j];
      for (std::size_t b = 0; b <= a; ++b) row[places[b]] += factors[i];
    }
  }
}

}  // namespace fairfront::models
