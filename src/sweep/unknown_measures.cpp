#include "sweep/unknown_measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace fairfront::sweep {

std::vector<results::Measure> take_unknown_measures(results::Content& content,
                                                    const ResultSchema& schema) {
  const auto first = std::stable_partition(
      content.measures.begin(), content.measures.end(), [&](const results::Measure& measure) {
        return std::ranges::any_of(schema.measures, [&](const MeasuredQuantity& known) {
          return known.what.name == measure.what.name;
        });
      });
  std::vector<results::Measure> unknown(std::make_move_iterator(first),
                                        std::make_move_iterator(content.measures.end()));
  content.measures.erase(first, content.measures.end());
  return unknown;
}

std::string names_of(const std::vector<results::Measure>& measures) {
  std::vector<std::string> names;
  for (const results::Measure& measure : measures) {
    names.push_back(fmt::format("'{}'", measure.what.name));
  }
  return base::join(names, ", ");
}

}  // namespace fairfront::sweep
