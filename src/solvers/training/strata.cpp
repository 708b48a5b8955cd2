#include "solvers/training/strata.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairfront::training {

Strata::Strata(const Problem& problem, const Address& address, Sampling sampling)
    : problem_{problem}, offsets_{address.key("strata")} {
  const Part& part = problem.train;
  const std::size_t cells = part.of_cell.size();
  std::vector<std::vector<std::int64_t>> members(cells + 1);
  for (std::size_t i = 0; i < part.cell.size(); ++i) {
    const std::size_t k = part.cell[i] < 0 ? cells : static_cast<std::size_t>(part.cell[i]);
    members[k].push_back(static_cast<std::int64_t>(i));
  }
  if (members.back().empty()) members.pop_back();
  constexpr double even = 0.1;  // share that all cells have alike
  const double of_rows = cells == 0 ? 1 : 1 - even;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const double p = static_cast<double>(members[k].size()) / static_cast<double>(part.size());
    const double q = of_rows * p + (k < cells ? even / static_cast<double>(cells) : 0);
    share_.push_back(q);
    weight_.push_back(p / q);
    sources_.emplace_back(std::move(members[k]), address.key(fmt::format("stratum/{}", k)),
                          sampling);
  }
}

std::span<const std::int64_t> Strata::draw(std::int64_t size) {
  base::Stream stream(offsets_, batches_++);
  const double u = stream.uniform();
  positions_.clear();
  double cumulated = 0;
  std::int64_t taken = 0;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    cumulated += share_[k] * static_cast<double>(size);
    const bool last = k + 1 == sources_.size();  // rounding must lose none
    std::int64_t count = 0;
    while (taken + count < size && (last || u + static_cast<double>(taken + count) < cumulated)) {
      ++count;
    }
    if (count > 0) sources_[k].append(count, positions_);
    taken += count;
  }
  return positions_;
}

void Strata::pack(solvers::Packer& packer) const {
  packer.number(batches_);
  for (const RowSource& source : sources_) source.pack(packer);
}

void Strata::unpack(solvers::Unpacker& unpacker) {
  batches_ = unpacker.number<std::uint64_t>();
  for (RowSource& source : sources_) source.unpack(unpacker);
}

}  // namespace fairfront::training
