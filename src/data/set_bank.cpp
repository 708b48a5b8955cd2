#include "data/catalogue.hpp"

namespace fairfront::data {

CatalogueEntry bank();

/// Bank telephone marketing, as fair clustering prepares it (Liu, Vicente 2021; Ziko et al. 2021).
CatalogueEntry bank() {
  CatalogueEntry entry;
  entry.name = "bank";
  entry.title = "UCI Bank Marketing, bank-additional-full";
  entry.source =
      "Moro, Cortez, Rita (2014), UCI Machine Learning Repository, "
      "https://archive.ics.uci.edu/dataset/222/bank+marketing";
  entry.licence = "CC BY 4.0";
  entry.recipe =
      "rows with unknown marital status dropped, the others in blocks: divorced, single, married";
  entry.file = {
      .path = "bank-marketing/bank-additional-full.csv.gz",
      .sha256 = "74adfc578bf77a7ff4bb1ba4a9f8709d9e3c6907342959c2c8416847e0afb4d8",
      .rows = 41188,
      .url = "https://archive.ics.uci.edu/static/public/222/bank+marketing.zip",
      .stored_sha256 = "25ef5a7f820659c9010405d079b068761b9e4a75c232a6271ee6a77fc3de52ae",
  };
  entry.format = {.separator = ';', .missing = "unknown"};
  entry.level_orders = {{"marital", {"divorced", "single", "married"}}, {"y", {"no", "yes"}}};
  entry.block_column = "marital";
  entry.features = {"age", "duration", "euribor3m", "nr.employed", "cons.price.idx", "campaign"};
  entry.sensitive = {"marital"};
  entry.sensitive_choices = {"marital", "education"};
  entry.label = std::string{"y"};  // a bare "y" makes GCC 12 warn falsely
  entry.standardise = Scaling::zscore;
  entry.row_normalise = RowNorm::unit;
  return entry;
}

}  // namespace fairfront::data
