#include "data/catalogue.hpp"

namespace fairfront::data {

CatalogueEntry dutch();

/// Dutch Virtual Census of 2001. Le Quy et al. (2022) give label and sensitive attribute; a choice
/// of numeric columns is not published, so the three columns whose codes are ordered are taken.
/// Codes of household size skip numbers (111 to 114, 125, 126), hence its places in that order.
CatalogueEntry dutch() {
  CatalogueEntry entry;
  entry.name = "dutch";
  entry.title = "Dutch Virtual Census of 2001";
  entry.source =
      "Statistics Netherlands, IPUMS; file of Le Quy et al. (2022), GitHub "
      "tailequy/fairness_dataset";
  entry.licence = "none published";
  entry.recipe = "all rows in file order";
  entry.file = {
      .path = "dutch-census/dutch_census_2001.arff",
      .sha256 = "0e7e3f32668919c239db820f625815e1ea834c71402cdea595e03ef08c8616ef",
      .rows = 60420,
  };
  entry.kind = FileKind::arff;
  entry.level_orders = {
      {"sex", {"1", "2"}, {"male", "female"}},
      {"country_birth", {"1", "2", "3"}},
      {"citizenship", {"1", "2", "3"}},
      {"occupation", {"5_4_9", "2_1"}},  // low, high
  };
  entry.ordinals = {{"household_size", {"111", "112", "113", "114", "125", "126"}}};
  entry.features = {"age", "household_size", "edu_level"};
  entry.sensitive = {"sex"};
  entry.sensitive_choices = {"sex", "country_birth", "citizenship"};
  entry.label = "occupation";
  entry.standardise = Scaling::zscore;
  entry.row_normalise = RowNorm::unit;
  return entry;
}

}  // namespace fairfront::data
