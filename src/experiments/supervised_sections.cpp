#include "experiments/supervised_sections.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/split.hpp"
#include "data/supervised_options.hpp"

namespace fairfront::experiments {
namespace {

config::Section preparation_section() {
  return config::make_section<data::PreparationOptions>(
      {.name = "preparation", .title = "encoding and scaling of features"});
}

}  // namespace

std::vector<config::Section> supervised_sections(const std::string& table, const std::string& parts,
                                                 std::vector<config::Section> own) {
  std::vector<config::Section> sections{
      config::make_section<data::SupervisedOptions>(
          {.name = "data", .title = "the table: " + table}),
      config::make_section<data::SplitOptions>({.name = "split", .title = parts}),
      preparation_section()};
  std::ranges::move(own, std::back_inserter(sections));
  return sections;
}

std::vector<config::Section> whole_set_sections(const std::string& table,
                                                std::vector<config::Section> own) {
  std::vector<config::Section> sections{
      config::make_section<data::WholeSetOptions>({.name = "data", .title = table}),
      preparation_section()};
  std::ranges::move(own, std::back_inserter(sections));
  return sections;
}

}  // namespace fairfront::experiments
