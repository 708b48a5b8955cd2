#include "data/catalogue.hpp"

namespace fairfront::data {

CatalogueEntry student_mat();
CatalogueEntry student_por();

namespace {

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

}  // namespace

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

}  // namespace fairfront::data
