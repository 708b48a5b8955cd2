#include "data/catalogue.hpp"

namespace fairfront::data {

CatalogueEntry adult();

/// Census income, as fair clustering prepares it (Liu, Vicente 2021; Ziko et al. 2021): five
/// numeric columns of adult.data, all rows in file order.
CatalogueEntry adult() {
  CatalogueEntry entry;
  entry.name = "adult";
  entry.title = "UCI Adult (census income), training file";
  entry.source =
      "Becker, Kohavi (1996), UCI Machine Learning Repository, "
      "https://archive.ics.uci.edu/dataset/2/adult";
  entry.licence = "CC BY 4.0";
  entry.recipe = "all rows of adult.data in file order";
  entry.file = {
      .path = "adult/adult.data",
      .sha256 = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
      .rows = 32561,
      .url = "https://archive.ics.uci.edu/static/public/2/adult.zip",
  };
  entry.format = {
      .header = false,
      .comment = "|",  // adult.test begins with such a line
      .names = {"age", "workclass", "fnlwgt", "education", "education-num", "marital-status",
                "occupation", "relationship", "race", "sex", "capital-gain", "capital-loss",
                "hours-per-week", "native-country", "income"},
  };
  entry.level_orders = {{"sex", {"Male", "Female"}}, {"income", {"<=50K", ">50K"}}};
  entry.features = {"age", "fnlwgt", "education-num", "capital-gain", "hours-per-week"};
  entry.sensitive = {"sex"};
  entry.sensitive_choices = {"sex", "race"};
  entry.label = "income";
  entry.standardise = Scaling::zscore;
  entry.row_normalise = RowNorm::unit;
  return entry;
}

}  // namespace fairfront::data
