#include "experiments/optional_parts.hpp"

#include "data/split.hpp"

namespace fairfront::experiments {

bool asks_for_parts(const sweep::Task& task) {
  const auto is_given = [&](const char* name) {
    const auto found = task.values.find(name);
    return found != task.values.end() && !found->second.empty();
  };
  // Who names them wants them: rows that are to be tested on would be learnt from.
  if (is_given("data.split") || is_given("data.test_file")) return true;
  return data::makes_parts(sweep::read_section<data::OptionalSplitOptions>(task, "split"));
}

}  // namespace fairfront::experiments
