#include "solvers/training/samples.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"

namespace fairfront::training {

void RowSource::append(std::int64_t size, std::vector<std::int64_t>& out) {
  if (sampling_ == Sampling::replacement) {
    const auto rows = batches_.draw(size);
    out.insert(out.end(), rows.begin(), rows.end());
    return;
  }
  while (size > 0) {
    const auto rows = batches_.next(size);
    out.insert(out.end(), rows.begin(), rows.end());
    size -= std::ssize(rows);
  }
}

void RowSource::unpack(solvers::Unpacker& unpacker) {
  try {
    batches_.go_to(unpacker.number<solvers::Batches::Place>());
  } catch (const std::invalid_argument&) {
    throw base::CheckpointError("a checkpoint has a place where no batches come to");
  }
}

CellSource::CellSource(const Problem& problem, const Address& address, std::string_view purpose,
                       Sampling sampling) {
  for (const auto& rows : problem.train.of_cell) {
    const std::string own = std::string(purpose) + "/" + std::to_string(cells_.size());
    cells_.emplace_back(rows, address.key(own), sampling);
  }
}

std::span<const double> BatchGaps::operator()(std::span<const double> losses) {
  const std::size_t size = losses.size() / of_cell_.size();
  for (std::size_t k = 0; k < of_cell_.size(); ++k) {
    double sum = 0;
    for (const double loss : losses.subspan(k * size, size)) sum += loss;
    of_cell_[k] = sum / static_cast<double>(size);
  }
  constraints_.gaps_of(of_cell_, gaps_);
  return gaps_;
}

void BatchGaps::factors(std::span<const double> y, std::span<double> of_rows) {
  constraints_.pull_back(y, of_cell_);
  const std::size_t size = of_rows.size() / of_cell_.size();
  for (std::size_t k = 0; k < of_cell_.size(); ++k) {
    std::ranges::fill(of_rows.subspan(k * size, size), of_cell_[k] / static_cast<double>(size));
  }
}

}  // namespace fairfront::training
