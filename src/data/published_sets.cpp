#include "data/published_sets.hpp"

#include <utility>

namespace fairfront::data {
namespace {

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
  entry.file = adult_file();
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
  entry.format = {.separator = ';', .missing = {"unknown"}};
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

/// The numeric columns but the grades of the first two periods, against the final grade.
CatalogueEntry student(const std::string& name, const std::string& subject, CatalogueFile file) {
  CatalogueEntry entry;
  entry.name = name;
  entry.title = "UCI Student Performance, " + subject;
  entry.source = "Cortez, Silva (2008), UCI Machine Learning Repository, dataset 320";
  entry.licence = "CC BY 4.0";
  entry.recipe = "all rows in file order";
  entry.file = std::move(file);
  entry.format = {.separator = ';'};
  entry.level_orders = {{"sex", {"M", "F"}, {"male", "female"}}};
  entry.features = {"age",      "Medu",  "Fedu", "traveltime", "studytime", "failures", "famrel",
                    "freetime", "goout", "Dalc", "Walc",       "health",    "absences"};
  entry.sensitive = {"sex"};
  entry.sensitive_choices = {"sex"};
  entry.label = "G3";
  entry.standardise = Scaling::zscore;
  return entry;
}

CatalogueEntry student_mat() {
  return student("student_mat", "mathematics",
                 {.path = "student/student-mat.csv",
                  .sha256 = "e47f9ee225e1ee6e69b7564e6dac7123e80b8486677fe111f351964cef5dec80",
                  .rows = 395});
}

CatalogueEntry student_por() {
  return student("student_por", "Portuguese",
                 {.path = "student/student-por.csv",
                  .sha256 = "a7594a11d7771c0efe1a740824e0e833da9c4cad07c39a9766a874575563fb3f",
                  .rows = 649});
}

}  // namespace

std::vector<CatalogueEntry> published_sets() {
  return {adult(),  bank(),       dutch(),       acs_income(), credit_default(),
          german(), law_school(), student_mat(), student_por()};
}

}  // namespace fairfront::data
