#include <utility>

#include "data/published_sets.hpp"

namespace fairfront::data {
namespace {

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

}  // namespace

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

}  // namespace fairfront::data
