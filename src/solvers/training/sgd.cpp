#include "solvers/training/sgd.hpp"

#include <algorithm>

#include "solvers/training/options.hpp"

namespace fairfront::training {

base::OptionTable options_of(SgdOptions& options) {
  base::OptionTable table("sgd");
  table.add("step", options.step, base::above(0.0), "", "A step is this long.");
  table.add("batch", options.batch, base::between<std::int64_t>(1, 1'000'000), "rows",
            "A step draws this many rows.");
  add_sampling(table, options.sampling);
  table.assign_role(base::Role::tuning, {"step"});
  return table;
}

Sgd::Sgd(const Problem& problem, const SgdOptions& options, const Address& address)
    : options_{options},
      source_{problem.train.rows, address.key("objective"), options.sampling},
      pass_{problem},
      gradient_(problem.parameters()) {
  base::validate(options);
  factors_.assign(static_cast<std::size_t>(options.batch), 1 / static_cast<double>(options.batch));
}

bool Sgd::step(std::span<double> w, Allowance& allowance) {
  if (!allowance.spend(options_.batch)) return false;
  rows_.clear();
  source_.append(options_.batch, rows_);
  pass_.forward(w, rows_);
  std::ranges::fill(gradient_, 0.0);
  pass_.backward(w, factors_, gradient_);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] -= options_.step * gradient_[j];
  return true;
}

}  // namespace fairfront::training
