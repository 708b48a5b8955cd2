#include <algorithm>
#include <utility>

#include "data/published_sets.hpp"

namespace fairfront::data {
namespace {

/// The 14 columns and the label of UCI Adult.
const std::vector<std::string> adult_names{"age",
                                           "workclass",
                                           "fnlwgt",
                                           "education",
                                           "education-num",
                                           "marital-status",
                                           "occupation",
                                           "relationship",
                                           "race",
                                           "sex",
                                           "capital-gain",
                                           "capital-loss",
                                           "hours-per-week",
                                           "native-country",
                                           "income"};

/// The 122 predictive columns of Communities and Crime and, last, the label. The raw file has five
/// more in front, which name the community.
const std::vector<std::string> communities_names{"population",
                                                 "householdsize",
                                                 "racepctblack",
                                                 "racePctWhite",
                                                 "racePctAsian",
                                                 "racePctHisp",
                                                 "agePct12t21",
                                                 "agePct12t29",
                                                 "agePct16t24",
                                                 "agePct65up",
                                                 "numbUrban",
                                                 "pctUrban",
                                                 "medIncome",
                                                 "pctWWage",
                                                 "pctWFarmSelf",
                                                 "pctWInvInc",
                                                 "pctWSocSec",
                                                 "pctWPubAsst",
                                                 "pctWRetire",
                                                 "medFamInc",
                                                 "perCapInc",
                                                 "whitePerCap",
                                                 "blackPerCap",
                                                 "indianPerCap",
                                                 "AsianPerCap",
                                                 "OtherPerCap",
                                                 "HispPerCap",
                                                 "NumUnderPov",
                                                 "PctPopUnderPov",
                                                 "PctLess9thGrade",
                                                 "PctNotHSGrad",
                                                 "PctBSorMore",
                                                 "PctUnemployed",
                                                 "PctEmploy",
                                                 "PctEmplManu",
                                                 "PctEmplProfServ",
                                                 "PctOccupManu",
                                                 "PctOccupMgmtProf",
                                                 "MalePctDivorce",
                                                 "MalePctNevMarr",
                                                 "FemalePctDiv",
                                                 "TotalPctDiv",
                                                 "PersPerFam",
                                                 "PctFam2Par",
                                                 "PctKids2Par",
                                                 "PctYoungKids2Par",
                                                 "PctTeen2Par",
                                                 "PctWorkMomYoungKids",
                                                 "PctWorkMom",
                                                 "NumIlleg",
                                                 "PctIlleg",
                                                 "NumImmig",
                                                 "PctImmigRecent",
                                                 "PctImmigRec5",
                                                 "PctImmigRec8",
                                                 "PctImmigRec10",
                                                 "PctRecentImmig",
                                                 "PctRecImmig5",
                                                 "PctRecImmig8",
                                                 "PctRecImmig10",
                                                 "PctSpeakEnglOnly",
                                                 "PctNotSpeakEnglWell",
                                                 "PctLargHouseFam",
                                                 "PctLargHouseOccup",
                                                 "PersPerOccupHous",
                                                 "PersPerOwnOccHous",
                                                 "PersPerRentOccHous",
                                                 "PctPersOwnOccup",
                                                 "PctPersDenseHous",
                                                 "PctHousLess3BR",
                                                 "MedNumBR",
                                                 "HousVacant",
                                                 "PctHousOccup",
                                                 "PctHousOwnOcc",
                                                 "PctVacantBoarded",
                                                 "PctVacMore6Mos",
                                                 "MedYrHousBuilt",
                                                 "PctHousNoPhone",
                                                 "PctWOFullPlumb",
                                                 "OwnOccLowQuart",
                                                 "OwnOccMedVal",
                                                 "OwnOccHiQuart",
                                                 "RentLowQ",
                                                 "RentMedian",
                                                 "RentHighQ",
                                                 "MedRent",
                                                 "MedRentPctHousInc",
                                                 "MedOwnCostPctInc",
                                                 "MedOwnCostPctIncNoMtg",
                                                 "NumInShelters",
                                                 "NumStreet",
                                                 "PctForeignBorn",
                                                 "PctBornSameState",
                                                 "PctSameHouse85",
                                                 "PctSameCity85",
                                                 "PctSameState85",
                                                 "LemasSwornFT",
                                                 "LemasSwFTPerPop",
                                                 "LemasSwFTFieldOps",
                                                 "LemasSwFTFieldPerPop",
                                                 "LemasTotalReq",
                                                 "LemasTotReqPerPop",
                                                 "PolicReqPerOffic",
                                                 "PolicPerPop",
                                                 "RacialMatchCommPol",
                                                 "PctPolicWhite",
                                                 "PctPolicBlack",
                                                 "PctPolicHisp",
                                                 "PctPolicAsian",
                                                 "PctPolicMinor",
                                                 "OfficAssgnDrugUnits",
                                                 "NumKindsDrugsSeiz",
                                                 "PolicAveOTWorked",
                                                 "LandArea",
                                                 "PopDens",
                                                 "PctUsePubTrans",
                                                 "PolicCars",
                                                 "PolicOperBudg",
                                                 "LemasPctPolicOnPatr",
                                                 "LemasGangUnitDeploy",
                                                 "LemasPctOfficDrugUn",
                                                 "PolicBudgPerPop",
                                                 "ViolentCrimesPerPop"};

constexpr const char* communities_groups =
    "largest(racepctblack, racePctWhite, racePctAsian, racePctHisp)";

std::vector<std::string> without(std::vector<std::string> names,
                                 const std::vector<std::string>& those) {
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::find(those, name) != those.end();
  });
  return names;
}

/// Numeric and categorical columns, in one list.
std::vector<std::string> joined(std::vector<std::string> numbers,
                                const std::vector<std::string>& names) {
  numbers.insert(numbers.end(), names.begin(), names.end());
  return numbers;
}

/// Income above 50,000 dollars from all columns but sex, on the census bureau's own two files.
SupervisedTask adult_classification() {
  SupervisedTask task;
  task.name = "classification";
  task.recipe = "adult.data and adult.test in file order";
  task.file = adult_file();
  task.test_file = CatalogueFile{
      .path = "adult/adult.test",
      .sha256 = "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
      .rows = 16281,
      .url = "https://archive.ics.uci.edu/static/public/2/adult.zip",
  };
  task.format = {.header = false, .comment = "|", .names = adult_names};
  task.features = without(adult_names, {"sex", "income"});
  task.categorical = {"workclass",    "education", "marital-status", "occupation",
                      "relationship", "race",      "native-country"};
  task.sensitive = {"sex"};
  task.group_map = {"Male:Male", "Female:Female"};
  task.label = "income";
  task.label_map = {"<=50K:0", ">50K:1", "<=50K.:0", ">50K.:1"};  // adult.test ends them in a dot
  task.missing = MissingPolicy::drop;
  task.paper.scaling = FittedScaling::zscore;
  return task;
}

/// Age as a share of a century, as Agarwal, Dudik, Wu (2019) and Chzhen, Hebiri, Taturyan (2024):
/// the numeric columns and the income, log(1 + x) of those with more than two values.
SupervisedTask adult_regression() {
  SupervisedTask task;
  task.name = "regression";
  task.target = TargetKind::real;
  task.recipe = "rows of adult.data without a missing cell, in file order";
  task.file = adult_file();
  task.format = {.header = false, .comment = "|", .names = adult_names};
  task.features = {"fnlwgt",       "education-num",  "capital-gain",
                   "capital-loss", "hours-per-week", "income"};
  task.categorical = {"income"};
  task.sensitive = {"sex"};
  task.group_map = {"Female:Female", "Male:Male"};  // s = 1: male
  task.label = "age";
  task.label_divisor = 100;
  task.missing = MissingPolicy::drop;
  task.required = without(adult_names, joined(task.features, {"sex", "age"}));
  task.paper = {
      .one_hot = OneHot::drop_first,
      .log1p = {"fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}};
  return task;
}

/// Undergraduate grades, of 4, from the rest: the two papers above.
SupervisedTask law_school_regression() {
  SupervisedTask task;
  task.name = "regression";
  task.target = TargetKind::real;
  task.recipe = "rows of lawschool.csv without a missing cell, in file order";
  task.file = {
      .path = "law-school/lawschool.csv",
      .sha256 = "417f7e65505e87cfc2b952b8b06287f02bcc1702508315e8a8d843b046e59606",
      .rows = 27478,
  };
  task.format = {.missing = {"NA"}};
  task.features = {"cluster",  "lsat",    "zfygpa", "zgpa",  "bar1",
                   "fulltime", "fam_inc", "age",    "gender"};
  task.categorical = {"bar1", "gender"};
  task.sensitive = {"race"};
  task.group_map = {"*:not White", "7:White"};
  task.label = "ugpa";
  task.label_divisor = 4;
  task.missing = MissingPolicy::drop;
  task.paper.one_hot = OneHot::drop_first;
  return task;
}

/// Passing the bar, on the cleaned table.
SupervisedTask law_school_classification(const CatalogueEntry& entry) {
  SupervisedTask task;
  task.name = "classification";
  task.recipe = "all rows of law_school_clean.csv in file order";
  task.file = *entry.file;
  task.features = entry.features;
  task.sensitive = {"race"};
  task.group_map = {"Non-White:Non-White", "White:White"};
  task.label = "pass_bar";
  task.paper.scaling = FittedScaling::zscore;
  return task;
}

/// Violent crimes: missing cells are 0, communities without any are left out, and the shares of
/// four races give the group and are no features (Chzhen, Hebiri, Taturyan, 2024).
SupervisedTask communities_task() {
  SupervisedTask task;
  task.name = "regression";
  task.target = TargetKind::real;
  task.recipe = "rows with a label above 0, in file order; missing cells are 0";
  task.features = without(communities_names, {"racepctblack", "racePctWhite", "racePctAsian",
                                              "racePctHisp", "ViolentCrimesPerPop"});
  task.sensitive = {communities_groups};
  task.group_map = {"*:not White", "racePctWhite:White"};
  task.label = "ViolentCrimesPerPop";
  task.missing = MissingPolicy::zero;
  task.where = {"ViolentCrimesPerPop != 0"};
  return task;
}

/// The persons of the American Community Survey with ACSIncome's nine features as numbers, codes
/// too, against white and other, as Kliachkin et al. (2025).
SupervisedTask acs_task(CatalogueFile file, const std::string& marital, const std::string& race) {
  SupervisedTask task;
  task.name = "classification";
  task.recipe = "all rows in file order";
  task.file = std::move(file);
  task.features = {"AGEP", "COW", "SCHL", marital, "OCCP", "POBP", "RELP", "WKHP", "SEX"};
  task.sensitive = {race};
  task.group_map = {"*:not White", "1:White"};
  task.label = "INC50K";
  task.paper.scaling = FittedScaling::zscore;
  return task;
}

/// A term deposit: all columns but the label, `unknown` a level of its own, people of working age
/// against others (Yao, Lin, Yang, 2023, whose 54 columns are not recoverable; ours are 54, too).
SupervisedTask bank_classification(const CatalogueEntry& entry) {
  const std::vector<std::string> numbers{
      "age",          "duration",       "campaign",      "pdays",     "previous",
      "emp.var.rate", "cons.price.idx", "cons.conf.idx", "euribor3m", "nr.employed"};
  SupervisedTask task;
  task.name = "classification";
  task.recipe = "all rows in file order";
  task.file = *entry.file;
  task.format = {.separator = ';', .missing = {}};
  task.categorical = {"job",  "marital", "education", "default",     "housing",
                      "loan", "contact", "month",     "day_of_week", "poutcome"};
  task.features = joined(numbers, task.categorical);
  task.sensitive = {"25 <= age <= 60"};
  task.label = std::string{"y"};  // a bare "y" makes GCC 12 warn falsely
  task.positive = {"yes"};
  task.paper = {
      .scaling = FittedScaling::zscore, .one_hot = OneHot::drop_first, .group_feature = true};
  return task;
}

/// A new offence against Caucasian and other; without the scores that the courts used.
SupervisedTask compas_task() {
  const std::vector<std::string> numbers{"age", "juv_fel_count", "juv_misd_count",
                                         "juv_other_count", "priors_count"};
  SupervisedTask task;
  task.name = "classification";
  task.recipe = "all rows in file order; rows without a case found count as negative";
  task.file = {
      .path = "compas/compas-scores.csv",
      .sha256 = "c9864c9e48c0a9e32ab23f7ad05a454d7624a4625c2a54d4447921de544fd8a2",
      .rows = 11757,
  };
  task.categorical = {"age_cat", "sex", "c_charge_degree"};
  task.features = joined(numbers, task.categorical);
  task.sensitive = {"race"};
  task.group_map = {"*:other", "Caucasian:Caucasian"};
  task.label = "is_recid";
  task.positive = {"1"};
  task.paper = {.scaling = FittedScaling::zscore, .group_feature = true};
  return task;
}

/// UCI Adult in 123 indicators; feature 72 is Female, 73 Male.
SupervisedTask a9a_task() {
  SupervisedTask task;
  task.name = "classification";
  task.recipe = "a9a and a9a.t in file order";
  task.kind = FileKind::libsvm;
  task.file = {
      .path = "a9a/a9a",
      .sha256 = "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",
      .rows = 32561,
  };
  task.test_file = CatalogueFile{
      .path = "a9a/a9a.t",
      .sha256 = "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9",
      .rows = 16281,
  };
  task.columns = 123;
  task.sensitive = {"72"};
  task.group_map = {"0:male", "1:female"};
  return task;
}

/// Readmission within 30 days. `?` is a level of race; weight, payer and diagnoses are left out.
SupervisedTask diabetes_task() {
  const std::vector<std::string> numbers{
      "time_in_hospital",  "num_lab_procedures", "num_procedures",   "num_medications",
      "number_outpatient", "number_emergency",   "number_inpatient", "number_diagnoses"};
  SupervisedTask task;
  task.name = "classification";
  task.recipe = "rows with a known gender, in file order";
  task.file = {
      .path = "diabetes-130us/diabetic_data.csv.gz",
      .sha256 = "0689e7ec031237dc63031b938805c48377748761a3b26acab621567afa24df97",
      .rows = 101766,
      .url =
          "https://archive.ics.uci.edu/static/public/296/"
          "diabetes+130-us+hospitals+for+years+1999-2008.zip",
      .stored_sha256 = "16209e462b906f828e2423f7a9f783f4c4472ad81abd7d653f4e19b46da76e82",
  };
  task.format = {.missing = {}};
  task.categorical = {"race",
                      "age",
                      "admission_type_id",
                      "discharge_disposition_id",
                      "admission_source_id",
                      "max_glu_serum",
                      "A1Cresult",
                      "metformin",
                      "insulin",
                      "change",
                      "diabetesMed"};
  task.features = joined(numbers, task.categorical);
  task.sensitive = {"gender"};
  task.group_map = {"Male:male", "Female:female"};
  task.label = "readmitted";
  task.positive = {"<30"};
  task.where = {"gender != Unknown/Invalid"};
  task.paper.scaling = FittedScaling::zscore;
  return task;
}

/// The entry's own numeric columns, file, groups and label.
SupervisedTask plain_task(const CatalogueEntry& entry, TargetKind target) {
  SupervisedTask task;
  task.name = target == TargetKind::real ? "regression" : "classification";
  task.target = target;
  task.recipe = entry.recipe;
  task.file = *entry.file;
  task.kind = entry.kind;
  task.format = entry.format;
  task.ordinals = entry.ordinals;
  task.level_orders = entry.level_orders;
  task.features = entry.features;
  task.sensitive = entry.sensitive;
  task.label = entry.label;
  task.paper.scaling = FittedScaling::zscore;
  return task;
}

SupervisedTask german_classification(const CatalogueEntry& entry) {
  SupervisedTask task = plain_task(entry, TargetKind::binary);
  task.categorical = {"status",     "history", "purpose",   "savings",
                      "employment", "debtors", "property",  "other_plans",
                      "housing",    "job",     "telephone", "foreign_worker"};
  task.features = joined(entry.features, task.categorical);
  return task;
}

/// A set that only serves experiments with labels.
CatalogueEntry labelled_set(std::string name, std::string title, std::string source,
                            std::string licence, SupervisedTask task) {
  CatalogueEntry entry;
  entry.name = std::move(name);
  entry.title = std::move(title);
  entry.source = std::move(source);
  entry.licence = std::move(licence);
  entry.recipe = task.recipe;
  entry.tasks.push_back(std::move(task));
  return entry;
}

CatalogueEntry communities() {
  SupervisedTask task = communities_task();
  task.file = {
      .path = "communities-crime/communities.data",
      .sha256 = "09e0b5c07eae24c1efab19b2edee05e160e7f5743b6f31e31eec3d73624da2ea",
      .rows = 1994,
      .url = "https://archive.ics.uci.edu/static/public/183/communities+and+crime.zip",
  };
  task.format = {.header = false,
                 .names = joined({"state", "county", "community", "communityname", "fold"},
                                 communities_names)};
  CatalogueEntry entry =
      labelled_set("communities", "UCI Communities and Crime",
                   "Redmond (2009), UCI Machine Learning Repository, "
                   "https://archive.ics.uci.edu/dataset/183/communities+and+crime",
                   "CC BY 4.0", std::move(task));
  entry.sensitive_choices = {communities_groups};
  return entry;
}

/// The same rows as a table with a header, as the regression papers' programs read it.
CatalogueEntry communities_csv() {
  SupervisedTask task = communities_task();
  task.file = {
      .path = "communities-crime/communities.csv",
      .sha256 = "b97393d2700dd0a320f609762b34ea7a8eccccada9f5bdfdeafbdb5bf8e32110",
      .rows = 1994,
  };
  CatalogueEntry entry = labelled_set(
      "communities_csv", "UCI Communities and Crime, without the columns that name the community",
      "Redmond (2009), UCI, dataset 183; GitHub steven7woo/fair_regression_reduction and "
      "taturyan/unaware-fair-reg",
      "CC BY 4.0", std::move(task));
  entry.sensitive_choices = {communities_groups};
  return entry;
}

CatalogueEntry compas() {
  CatalogueEntry entry = labelled_set("compas", "ProPublica COMPAS, all people screened",
                                      "GitHub propublica/compas-analysis, compas-scores.csv",
                                      "no licence file in that repository", compas_task());
  entry.sensitive_choices = {"race", "sex"};
  return entry;
}

CatalogueEntry a9a() {
  CatalogueEntry entry =
      labelled_set("a9a", "LIBSVM a9a: UCI Adult in 123 indicators",
                   "LIBSVM Data, binary classification, a9a; Platt (1998)",
                   "none stated there; derived from UCI Adult (CC BY 4.0)", a9a_task());
  entry.sensitive_choices = {"72", "67", "71"};  // female, White, Black
  return entry;
}

CatalogueEntry diabetes() {
  CatalogueEntry entry =
      labelled_set("diabetes", "UCI Diabetes 130-US hospitals, 1999-2008",
                   "Strack et al. (2014), UCI Machine Learning Repository, dataset 296",
                   "CC BY 4.0", diabetes_task());
  entry.sensitive_choices = {"gender", "race"};
  return entry;
}

/// One state in a file of its own.
CatalogueEntry acs_state(const std::string& letters, const std::string& state,
                         const std::string& github, SupervisedTask task) {
  CatalogueEntry entry = labelled_set(
      "acs_income_" + letters, "ACSIncome 2018, one year: " + state,
      "US Census Bureau, ACS PUMS 2018, filtered as folktables' ACSIncome; GitHub " + github,
      "public domain (work of the US government); none stated for the derived file",
      std::move(task));
  entry.sensitive_choices = {"SEX", entry.tasks[0].sensitive[0]};
  return entry;
}

}  // namespace

CatalogueFile adult_file() {
  return {
      .path = "adult/adult.data",
      .sha256 = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
      .rows = 32561,
      .url = "https://archive.ics.uci.edu/static/public/2/adult.zip",
  };
}

void add_tasks(CatalogueEntry& entry) {
  if (entry.name == "adult") entry.tasks = {adult_classification(), adult_regression()};
  if (entry.name == "bank") entry.tasks = {bank_classification(entry)};
  if (entry.name == "law_school") {
    entry.tasks = {law_school_regression(), law_school_classification(entry)};
  }
  if (entry.name == "acs_income") entry.tasks = {acs_task(*entry.file, "MAR2", "RACE5")};
  if (entry.name == "german") entry.tasks = {german_classification(entry)};
  if (entry.name == "credit_default" || entry.name == "dutch") {
    entry.tasks = {plain_task(entry, TargetKind::binary)};
  }
  if (entry.name.starts_with("student")) entry.tasks = {plain_task(entry, TargetKind::real)};
}

std::vector<CatalogueEntry> labelled_sets() {
  const auto file = [](const std::string& state, const std::string& sha256, std::int64_t rows) {
    return CatalogueFile{
        .path = "acs-income/acsincome_2018_1y_" + state + ".csv", .sha256 = sha256, .rows = rows};
  };
  return {
      communities(),
      communities_csv(),
      compas(),
      a9a(),
      diabetes(),
      acs_state(
          "ok", "Oklahoma", "xheilmann/FeDa4Fair",
          acs_task(
              file("OK", "93eca601e4d5d99cb25b4a77e9c015d25bfbe155a7b44a9abd9723e697da0615", 17917),
              "MAR2", "RACE5")),
      acs_state(
          "co", "Colorado", "GhizlaneBadaoui/supervisedML and ispex1/app_sup",
          acs_task(
              file("CO", "93d3a6e0619bc01230485a484b28f229eb09639645b111da083f2dbb83b7336d", 31306),
              "MAR", "RAC1P")),
      acs_state(
          "ne", "Nebraska", "GhizlaneBadaoui/supervisedML and ispex1/app_sup",
          acs_task(
              file("NE", "772f080382e9f88d49f09e362b5aa808d360eca5a3d192b8533be602cd27c7e2", 10785),
              "MAR", "RAC1P")),
  };
}

}  // namespace fairfront::data
