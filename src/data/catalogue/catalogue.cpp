#include "data/catalogue/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "data/catalogue/catalogue_file.hpp"
#include "data/catalogue/synthetic_sets.hpp"

namespace fairfront::data {
namespace {

std::vector<CatalogueEntry> all_sets() {
  std::vector<CatalogueEntry> entries = read_catalogue(catalogue_text(), "catalogue.ini", {});
  std::ranges::move(synthetic_sets(), std::back_inserter(entries));
  return entries;
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries = all_sets();
  return entries;
}

bool is_generated(std::string_view name) {
  return std::ranges::any_of(catalogue(), [name](const CatalogueEntry& entry) {
    return entry.name == name && entry.generate;
  });
}

const CatalogueEntry& catalogue_entry(std::string_view name, const OwnSets& own) {
  std::vector<std::string> names{"csv", "arff", "libsvm"};
  const std::span<const CatalogueEntry> own_sets =
      own ? std::span{*own} : std::span<CatalogueEntry>{};
  for (const std::span<const CatalogueEntry> sets : {catalogue(), own_sets}) {
    for (const CatalogueEntry& entry : sets) {
      if (entry.name == name) return entry;
      names.push_back(entry.name);
    }
  }
  throw base::InputError(fmt::format("data.data = '{}' is no known data set{}{}",
                                     base::excerpt(name), base::name_hint(name, names),
                                     own ? "" : "; sets of your own are known by --catalogue"));
}

}  // namespace fairfront::data
