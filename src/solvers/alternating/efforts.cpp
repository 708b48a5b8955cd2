#include "solvers/alternating/efforts.hpp"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

#include "base/text.hpp"

namespace fairfront::alternating {

std::vector<double> weights_of(std::span<const std::int64_t> efforts) {
  const auto total = std::accumulate(efforts.begin(), efforts.end(), std::int64_t{0});
  std::vector<double> weights;
  for (const std::int64_t steps : efforts) {
    weights.push_back(static_cast<double>(steps) / static_cast<double>(total));
  }
  return weights;
}

std::int64_t lattice_size(std::int64_t total, std::int64_t objectives) {
  constexpr std::int64_t most = 1'000'000'000;
  if (total < 0 || objectives < 1 || total > most) {
    throw std::invalid_argument("a lattice needs a total >= 0 and <= 10^9 and an objective");
  }
  std::int64_t ways = 1;  // (total + k choose k) after the k-th turn: always a whole number
  for (std::int64_t k = 1; k < objectives; ++k) {
    ways = ways * (total + k) / k;
    if (ways > most) throw std::invalid_argument("the lattice has more than 10^9 points");
  }
  return ways;
}

Efforts lattice_point(std::int64_t index, std::int64_t total, std::int64_t objectives) {
  if (index < 0 || index >= lattice_size(total, objectives)) {
    throw std::invalid_argument(
        fmt::format("lattice point {} of {}", index, lattice_size(total, objectives)));
  }
  Efforts efforts;
  for (std::int64_t left = objectives; left > 1; --left) {
    std::int64_t steps = 0;
    // All splits of the rest that begin with `steps` come before those that begin with more.
    for (auto below = lattice_size(total, left - 1); index >= below;
         below = lattice_size(total - steps, left - 1)) {
      index -= below;
      ++steps;
    }
    efforts.push_back(steps);
    total -= steps;
  }
  efforts.push_back(total);
  return efforts;
}

Efforts parse_efforts(std::string_view text) {
  constexpr const char* rule = "\"(n_1,n_2,...)\" of integers >= 0, not all of them 0";
  text = base::trim(text);
  if (!text.starts_with('(') || !text.ends_with(')')) throw std::invalid_argument(rule);
  Efforts efforts;
  for (const std::string& part : base::split_outside_parentheses(text.substr(1, text.size() - 2))) {
    const auto steps = base::parse_int64(part);
    if (!steps || *steps < 0 || *steps > 1'000'000'000) throw std::invalid_argument(rule);
    efforts.push_back(*steps);
  }
  const auto total = std::accumulate(efforts.begin(), efforts.end(), std::int64_t{0});
  if (efforts.size() < 2 || total == 0) throw std::invalid_argument(rule);
  return efforts;
}

std::string format_efforts(std::span<const std::int64_t> efforts) {
  std::vector<std::string> parts;
  for (const std::int64_t steps : efforts) parts.push_back(std::to_string(steps));
  return fmt::format("({})", base::join(parts, ","));
}

}  // namespace fairfront::alternating
