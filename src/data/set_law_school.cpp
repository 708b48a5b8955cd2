#include "data/catalogue.hpp"

namespace fairfront::data {

CatalogueEntry law_school();

/// Law students and whether they pass the bar: the cleaned table of Le Quy et al. (2022).
CatalogueEntry law_school() {
  CatalogueEntry entry;
  entry.name = "law_school";
  entry.title = "Law School, LSAC National Longitudinal Bar Passage Study, cleaned";
  entry.source = "LSAC; file of Le Quy et al. (2022), GitHub tailequy/fairness_dataset";
  entry.licence = "none published";
  entry.recipe = "all rows in file order";
  entry.file = {
      .path = "law-school/law_school_clean.csv",
      .sha256 = "23c1b173f3480beb7afc4957b107a9917dfc4a8dc9d87ea6034ec35222152452",
      .rows = 20798,
  };
  entry.level_orders = {{"race", {"White", "Non-White"}},
                        {"male", {"1.0", "0.0"}, {"male", "female"}}};
  entry.features = {"decile1b", "decile3",  "lsat",    "ugpa", "zfygpa",
                    "zgpa",     "fulltime", "fam_inc", "tier"};
  entry.sensitive = {"race"};
  entry.sensitive_choices = {"race", "male"};
  entry.label = "pass_bar";
  entry.standardise = Scaling::zscore;
  return entry;
}

}  // namespace fairfront::data
