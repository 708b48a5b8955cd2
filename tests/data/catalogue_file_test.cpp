#include "data/catalogue/catalogue_file.hpp"

#include "base/sha256.hpp"
#include "data/load_raw.hpp"
#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string patients =
    "age,ward,sex,readmitted\n40,a,f,yes\n50,b,m,no\n60,a,m,yes\n30,b,f,no\n";

/// A catalogue of one set over `patients`.
std::string catalogue_of_patients(const std::string& more = "") {
  return "# my own\n[file patients.csv]\nsha256 = " + base::sha256_of(patients) +
         "\nrows = 4\n\n[set patients]\ntitle = Patients\n\n[task patients readmission]\n"
         "file = patients.csv\nfeatures = *\ncategorical = auto\nsensitive = sex\n"
         "group_map = m:male, f:female\nlabel = readmitted\npositive = yes\nscaling = zscore\n" +
         more;
}

SupervisedOptions patients_of(const std::string& task) {
  SupervisedOptions options;
  options.data = "patients";
  options.task = task;
  return options;
}

std::string error_of(const std::string& text) {
  return input_error([&] { (void)read_catalogue(text, "my.ini", catalogue()); });
}

/// A user's folder with catalogue and data, away from the data directory.
struct OwnFolder {
  explicit OwnFolder(const std::string& catalogue, const std::string& content = patients) {
    folder.write("patients.csv", content);
    data_dir.own_sets = read_own_catalogue(folder.write("my.ini", catalogue));
  }
  [[nodiscard]] RawTable raw(const std::string& task = "") const {
    return load_raw(patients_of(task), data_dir, false);
  }

  TemporaryFolder folder;
  DataFolder data_dir{"/no/such/folder"};
};

TEST(OwnCatalogue, ASetIsKnownByNameAndItsFileStandsBesideTheCatalogue) {
  const OwnFolder own(catalogue_of_patients());
  const RawTable raw = own.raw();
  EXPECT_EQ(raw.rows, 4);
  EXPECT_EQ(raw.columns.size(), 2u);
  EXPECT_TRUE(raw.columns[1].categorical);
  EXPECT_THAT(raw.group_names, ElementsAre("male", "female"));
  EXPECT_THAT(raw.label, ElementsAre(1, 0, 1, 0));
  EXPECT_EQ(raw.paper.scaling, FittedScaling::zscore);
  EXPECT_EQ(raw.provenance.name, "patients");
  const Dataset set = load(patients_of(""), own.data_dir, false);
  EXPECT_THAT(set.feature_names, ElementsAre("age", "ward=a", "ward=b"));
}

TEST(OwnCatalogue, TheDataDirectoryComesBeforeTheFolderOfTheCatalogue) {
  OwnFolder own(catalogue_of_patients(), "something else");
  EXPECT_THAT(input_error([&] { (void)own.raw(); }),
              AllOf(HasSubstr("data set 'patients'"), HasSubstr("expected SHA-256")));
  const TemporaryFolder data;
  data.write("patients.csv", patients);
  own.data_dir.path = data.path();
  EXPECT_EQ(own.raw().rows, 4);
}

TEST(OwnCatalogue, ATaskMayBeLikeAnother) {
  const OwnFolder own(
      catalogue_of_patients("[task patients age]\nlike = readmission\nfeatures = ward\n"
                            "label = age\npositive =\ntarget = real\nlabel_divisor = 10\n"));
  const RawTable raw = own.raw("age");
  EXPECT_THAT(raw.label, ElementsAre(4, 5, 6, 3));
  EXPECT_EQ(raw.columns.size(), 1u);
  EXPECT_THAT(
      input_error([&] { (void)own.raw("agee"); }),
      HasSubstr("data.task = 'agee' is no task of data set 'patients' (did you mean 'age'?)"));
  const auto sets =
      read_catalogue("[set mine]\n[task mine t]\nlike = adult classification\nfeatures = age\n",
                     "my.ini", catalogue());
  EXPECT_EQ(sets[0].tasks[0].published_file.path, "adult/adult.data");
}

TEST(OwnCatalogue, LevelsHaveAnOrderAndNames) {
  const auto sets = read_catalogue(
      catalogue_of_patients("levels.ward = b, a\nordinal.ward = a, b\n"), "my.ini", {});
  const SupervisedTask& task = sets[0].tasks[0];
  EXPECT_THAT(task.level_orders[0].levels, ElementsAre("b", "a"));
  EXPECT_EQ(task.ordinals[0].column, "ward");
  EXPECT_THAT(
      error_of(catalogue_of_patients("levels.sex = m:male, f\n")),
      AllOf(HasSubstr("my.ini:18: levels.sex must be levels"), HasSubstr("or all with names")));
}

TEST(OwnCatalogue, LevelsAndTheirNamesStandInQuotesAsInOtherLists) {
  const auto orders_of = [](const std::string& levels) {
    return read_catalogue(catalogue_of_patients("levels.ward = " + levels + "\n"), "my.ini", {})[0]
        .tasks[0]
        .level_orders;
  };
  const auto named = orders_of(R"("a, b":"A: B", c:C)");
  EXPECT_THAT(named[0].levels, ElementsAre("a, b", "c"));
  EXPECT_THAT(named[0].names, ElementsAre("A: B", "C"));
  EXPECT_THAT(orders_of(R"("b, c", a)")[0].levels, ElementsAre("b, c", "a"));
  EXPECT_THAT(error_of(catalogue_of_patients("levels.ward = \"a\"b, c\n")),
              HasSubstr("my.ini:18: levels.ward: there is text behind the closing"));
}

/// They had been passed over in silence.
TEST(OwnCatalogue, AColumnThatIsNotThereIsNamedWhereverItStands) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"levels.wart = a, b", "the catalogue's levels.wart names 'wart', which is no column (did"},
      {"ordinal.wart = a, b", "the catalogue's ordinal.wart names 'wart'"},
      {"descending = agee", "the catalogue's descending names 'agee'"},
      {"descending = ward", "'ward', which is no column of numbers"},
      {"required = agee", "the catalogue's required names 'agee'"}};
  for (const auto& [line, message] : cases) {
    const OwnFolder own(catalogue_of_patients(line + "\n"));
    EXPECT_THAT(input_error([&] { (void)own.raw(); }), HasSubstr(message)) << line;
  }
  // A column that is there and not wanted is none of the config's business.
  const OwnFolder own(catalogue_of_patients(
      "levels.ward = b, a\nordinal.ward = a, b\ndescending = ward\nrequired = ward\n"
      "[task patients age]\nlike = readmission\nfeatures = age\nlabel =\npositive =\n"));
  EXPECT_EQ(own.raw("age").rows, 4);
}

TEST(OwnCatalogue, AWrongNumberOfRowsIsTold) {
  std::string text = catalogue_of_patients();
  text.replace(text.find("rows = 4"), 8, "rows = 5");
  const OwnFolder own(text);
  EXPECT_THAT(input_error([&] { (void)own.raw(); }),
              HasSubstr("the catalogue says rows = 5, and the file has 4"));
}

TEST(OwnCatalogue, WhateverBreaksARuleIsPlaced) {
  const std::string file = "[file t.csv]\nsha256 = " + std::string(64, 'a') + "\n";
  const std::string set = file + "[set s]\n";
  const std::string task = set + "[task s t]\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"x = 1\n", "my.ini:1: an entry above the first section"},
      {"[dataset s]\n", "my.ini:1: [dataset s] must be [file PATH], [set NAME] or [task SET NAME]"},
      {"[set]\n", "my.ini:1: [set] must be"},
      {"[file t.csv]\nrows = 3\n", "my.ini:1: [file t.csv] needs sha256"},
      {"[file t.csv]\nrows = -3\n", "my.ini:2: file.rows = '-3', must be"},
      {"[file t.csv]\nsha265 = a\n",
       "my.ini:2: there is no 'sha265' here (did you mean 'sha256'?)"},
      {"[set adult]\n", "my.ini:1: 'adult' must be one word, and no name that the program has"},
      {"[set csv]\n", "my.ini:1: 'csv' must be one word"},
      {"[set two words]\n", "my.ini:1: 'two words' must be one word"},
      {set, "my.ini: set 's' has no task"},
      {set + "[task r t]\n", "my.ini:4: [task r t] must be [task SET NAME] below"},
      {set + "[task s]\n", "my.ini:4: [task s] must be [task SET NAME]"},
      {task, "my.ini:4: [task s t] needs sensitive"},
      {task + "sensitive = a\n", "my.ini:4: [task s t] needs features"},
      {task + "sensitive = a\nfeatures = *\n", "my.ini:4: [task s t] needs file: the PATH"},
      {file + "[file  t.csv]\nsha256 = " + std::string(64, 'b') + "\n",
       "my.ini:3: [file t.csv] occurs twice"},
      {set + "[set  s]\n", "my.ini:4: [set s] occurs twice"},
      {task + "sensitive = a\nfeatures = *\nfile = t.csv\n[task s  t]\n",
       "[task s  t] occurs twice"},
      {task + "sensitive = a\nfeatures = *\nfile = u.csv\n",
       "my.ini:4: [task s t] names the file 'u.csv', which has no section [file u.csv]"},
      {task + "data = json\nsensitive = a\n", "my.ini:4: [task s t] must have data = csv, arff"},
      {task + "scaling = log\n", "my.ini:5: preparation.scaling = 'log', must be"},
      {task + "subsample = 3\n", "my.ini:5: there is no 'subsample' here"},
      {task + "like = u\n", "my.ini:5: like = u: there is no such task above"},
      {task + "title\n", "my.ini:5: 'title' is neither [section] nor key = value"},
      {task + "label = a\nlabel = b\n", "my.ini:6: key 'label' occurs twice"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(error_of(text), HasSubstr(message));
  EXPECT_THAT(input_error([] { (void)read_own_catalogue("/no/such/my.ini"); }),
              HasSubstr("/no/such/my.ini"));
}

TEST(OwnCatalogue, ASetThatNoCatalogueKnowsLeadsToTheOption) {
  EXPECT_THAT(input_error([] { (void)load_raw(patients_of(""), ".", false); }),
              AllOf(HasSubstr("'patients' is no known data set"), HasSubstr("--catalogue")));
}

}  // namespace
}  // namespace fairfront::data
