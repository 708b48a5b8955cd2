#include "data/subsample.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "data/numpy_draw.hpp"

namespace fairfront::data {

std::vector<std::int64_t> drawn_rows(const SupervisedOptions& options, std::int64_t rows) {
  if (options.subsample > rows) {
    throw base::InputError(fmt::format("data.subsample = {}, must be <= {}, the rows of '{}'",
                                       options.subsample, rows, options.data));
  }
  const auto seed = static_cast<std::uint32_t>(options.subsample_seed);
  if (options.subsample_rule == SubsampleRule::train_test_split) {
    auto all = numpy_permutation(rows, seed);
    all.erase(all.begin(), all.end() - options.subsample);
    return all;
  }
  auto drawn = numpy_choice(rows, options.subsample, seed);
  if (options.subsample_rule == SubsampleRule::choice) std::ranges::sort(drawn);
  return drawn;
}

void require_every_group(std::span<const std::int32_t> group, std::span<const std::string> names) {
  std::vector<bool> occurs(names.size(), false);
  for (const std::int32_t code : group) occurs[static_cast<std::size_t>(code)] = true;
  const auto absent = std::ranges::find(occurs, false);
  if (absent == occurs.end()) return;
  throw base::InputError(fmt::format(
      "data.subsample: group '{}' has no member among the {} rows drawn; draw more rows or use "
      "another data.subsample_seed",
      names[static_cast<std::size_t>(absent - occurs.begin())], group.size()));
}

std::string recipe_of_draw(const SupervisedOptions& options) {
  if (options.subsample_rule == SubsampleRule::train_test_split) {
    return fmt::format("; {} rows drawn by scikit-learn's train_test_split(random_state={})",
                       options.subsample, options.subsample_seed);
  }
  return fmt::format("; {} rows drawn by numpy.random.RandomState({}).choice{}", options.subsample,
                     options.subsample_seed,
                     options.subsample_rule == SubsampleRule::choice ? ", in file order" : "");
}

}  // namespace fairfront::data
