#include <utility>

#include "data/published_sets.hpp"

namespace fairfront::data {
namespace {

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
