#include "data/catalogue.hpp"

namespace fairfront::data {

CatalogueEntry credit_default();

/// Credit card clients in Taiwan: amounts, months in arrears and age against a default next month.
CatalogueEntry credit_default() {
  CatalogueEntry entry;
  entry.name = "credit_default";
  entry.title = "UCI Default of Credit Card Clients";
  entry.source =
      "Yeh, Lien (2009), UCI Machine Learning Repository, dataset 350; csv form of Le Quy et al. "
      "(2022), GitHub tailequy/fairness_dataset";
  entry.licence = "CC BY 4.0";
  entry.recipe = "all rows in file order";
  entry.file = {
      .path = "credit-default/credit-card-clients.csv",
      .sha256 = "7cfc3bb35b6986be40cccb5d490806f082b46f93afafdce27fd7f409eb5abb02",
      .rows = 30000,
  };
  entry.level_orders = {{"SEX", {"1", "2"}, {"male", "female"}}};
  entry.features = {"LIMIT_BAL", "AGE",       "PAY_0",     "PAY_2",     "PAY_3",
                    "PAY_4",     "PAY_5",     "PAY_6",     "BILL_AMT1", "BILL_AMT2",
                    "BILL_AMT3", "BILL_AMT4", "BILL_AMT5", "BILL_AMT6", "PAY_AMT1",
                    "PAY_AMT2",  "PAY_AMT3",  "PAY_AMT4",  "PAY_AMT5",  "PAY_AMT6"};
  entry.sensitive = {"SEX"};
  entry.sensitive_choices = {"SEX", "MARRIAGE", "EDUCATION"};
  entry.label = "default payment";
  entry.standardise = Scaling::zscore;
  return entry;
}

}  // namespace fairfront::data
