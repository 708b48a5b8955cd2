#include "experiments/supervised_sections.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/split.hpp"
#include "data/supervised_options.hpp"

namespace fairfront::experiments {

std::vector<config::Section> supervised_sections(const std::string& table, const std::string& parts,
                                                 std::vector<config::Section> own) {
  std::vector<config::Section> sections{
      config::make_section<data::SupervisedOptions>(
          {.name = "data", .title = "the table: " + table}),
      config::make_section<data::SplitOptions>({.name = "split", .title = parts}),
      config::make_section<data::PreparationOptions>(
          {.name = "preparation", .title = "encoding and scaling of features"})};
  std::ranges::move(own, std::back_inserter(sections));
  return sections;
}

}  // namespace fairfront::experiments
