#include "data/catalogue.hpp"

namespace fairfront::data {

CatalogueEntry acs_income();

/// Persons of the American Community Survey 2018 with ACSIncome's filter (Ding et al. 2021): 49
/// states and Puerto Rico. The features are the columns that count something: age, years and
/// degrees of schooling as ordered codes, hours of work a week.
CatalogueEntry acs_income() {
  CatalogueEntry entry;
  entry.name = "acs_income";
  entry.title = "ACSIncome 2018, one year: 49 states and Puerto Rico";
  entry.source =
      "US Census Bureau, ACS PUMS 2018, filtered as folktables' ACSIncome; GitHub "
      "xheilmann/FeDa4Fair";
  entry.licence = "public domain (work of the US government); none stated for the derived file";
  entry.recipe =
      "all rows in file order; no California, no DC, a third of Florida's rows, and 21 rows of "
      "other states are not in the file";
  entry.file = {
      .path = "acs-income/acsincome_2018_1y_49states_PR.csv.gz",
      .sha256 = "f5ec8d6445678901b809320183c60ea284ef54f762d9182b830db659a1a2da52",
      .rows = 1402864,
      .stored_sha256 = "340747c864437ec85a526fe5edaff4f771908010f57f58b326e93f29e3c76a33",
  };
  entry.level_orders = {
      {"SEX", {"1", "2"}, {"male", "female"}},
      {"RACE5",
       {"1", "2", "3", "4", "5", "0"},
       {"White", "Black", "Asian", "American Indian", "other", "not White, unknown"}},
  };
  entry.features = {"AGEP", "SCHL", "WKHP"};
  entry.sensitive = {"SEX"};
  entry.sensitive_choices = {"SEX", "RACE5", "MAR2"};
  entry.label = "INC50K";
  entry.standardise = Scaling::zscore;
  entry.row_normalise = RowNorm::unit;
  return entry;
}

}  // namespace fairfront::data
