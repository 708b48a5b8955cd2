#include "data/catalogue.hpp"

namespace fairfront::data {

CatalogueEntry german();

/// Credit risk in Germany. Sex is part of the code of personal status.
CatalogueEntry german() {
  CatalogueEntry entry;
  entry.name = "german";
  entry.title = "UCI Statlog German Credit";
  entry.source = "Hofmann (1994), UCI Machine Learning Repository, dataset 144";
  entry.licence = "CC BY 4.0";
  entry.recipe = "all rows in file order";
  entry.file = {
      .path = "german-credit/german.data",
      .sha256 = "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
      .rows = 1000,
  };
  entry.format = {
      .separator = ' ',
      .header = false,
      .names = {"status",     "duration",        "history", "purpose", "amount",    "savings",
                "employment", "instalment_rate", "sex",     "debtors", "residence", "property",
                "age",        "other_plans",     "housing", "credits", "job",       "dependants",
                "telephone",  "foreign_worker",  "risk"},
  };
  entry.level_orders = {
      {"sex", {"A91", "A93", "A94", "A92", "A95"}, {"male", "male", "male", "female", "female"}},
      {"foreign_worker", {"A202", "A201"}, {"no", "yes"}},
      {"risk", {"1", "2"}},  // good, bad
  };
  entry.features = {"duration", "amount",  "instalment_rate", "residence",
                    "age",      "credits", "dependants"};
  entry.sensitive = {"sex"};
  entry.sensitive_choices = {"sex", "foreign_worker"};
  entry.label = "risk";
  entry.standardise = Scaling::zscore;
  return entry;
}

}  // namespace fairfront::data
