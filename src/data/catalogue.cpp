#include "data/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/published_sets.hpp"

namespace fairfront::data {

namespace {

std::vector<CatalogueEntry> all_sets() {
  std::vector<CatalogueEntry> entries = published_sets();
  for (CatalogueEntry& entry : entries) add_tasks(entry);
  for (auto more : {labelled_sets(), synthetic_sets()}) {
    std::ranges::move(more, std::back_inserter(entries));
  }
  return entries;
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries = all_sets();
  return entries;
}

const CatalogueEntry& catalogue_entry(std::string_view name) {
  std::vector<std::string> names{"csv", "arff", "libsvm"};
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw base::InputError(
      fmt::format("data.data = '{}' is no known data set{}", name, base::name_hint(name, names)));
}

}  // namespace fairfront::data
