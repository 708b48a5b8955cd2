#include "data/catalogue.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fairfront::data {

// One function per data set, each in a file of its own, set_<name>.cpp.
CatalogueEntry adult();
CatalogueEntry bank();
CatalogueEntry dutch();
CatalogueEntry acs_income();
CatalogueEntry credit_default();
CatalogueEntry german();
CatalogueEntry law_school();
CatalogueEntry student_mat();
CatalogueEntry student_por();
CatalogueEntry syn_equal_ds1();
CatalogueEntry syn_unequal_ds1();
CatalogueEntry syn_equal_ds2();
CatalogueEntry syn_unequal_ds2();

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries = {
      adult(),           bank(),          dutch(),           acs_income(),  credit_default(),
      german(),          law_school(),    student_mat(),     student_por(), syn_equal_ds1(),
      syn_unequal_ds1(), syn_equal_ds2(), syn_unequal_ds2(),
  };
  return entries;
}

const CatalogueEntry& catalogue_entry(std::string_view name) {
  std::vector<std::string> names{"csv", "arff"};
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw base::InputError(
      fmt::format("data.data = '{}' is no known data set{}", name, base::name_hint(name, names)));
}

}  // namespace fairfront::data
