/// @file
/// Predicting the rows of a table, some at a time: memory does not grow with their number, unless
/// their clusters hang on each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/readers/csv.hpp"
#include "results/stored_model.hpp"

namespace fairfront::drivers {

/// What is asked for.
struct PredictRequest {
  std::string model;  ///< the archive or file that it is of, for messages
  std::string rows;   ///< CSV file; "-": the standard input
  data::CsvFormat format{};
  bool libsvm = false;  ///< the rows are those of a LIBSVM file, a table of "label", "1", "2", ...
  std::optional<std::string> group{};  ///< the column with the groups' names
  std::optional<std::string> keep{};   ///< columns in front of the predictions; "*": all
  std::optional<std::int64_t> seed{};  ///< also one atom, drawn from each row's distribution
  bool atoms = false;                  ///< also the probability of every atom
  /// Predictions go to the standard output as rows come, before later ones are known to be good.
  bool as_they_come = false;
  /// Clusters are not the nearest ones, but those of the cheapest assignment of all rows of at
  /// least this balance.
  std::optional<double> balance{};
  bool until_proven = false;  ///< however long the search for it takes
};

/// What is known of an assignment of all rows; see clustering::BalancedAssignment.
struct AssignmentFacts {
  double cost = 0;
  double lower_bound = 0;
  double balance = 0;
};

/// What has become of the rows.
struct PredictCounts {
  std::int64_t rows = 0;
  std::int64_t dropped = 0;
  std::int64_t blank_lines = 0;  ///< of a table with one column, whose rows they may have been
  std::int64_t filled = 0;
  std::int64_t unseen = 0;
  bool cut_off = false;  ///< nobody reads the standard output: further rows were left alone
  std::optional<AssignmentFacts> assignment{};  ///< of a request with a balance
};

/// Reads the rows of a request, and writes what the model says of each. A model that needs groups
/// finds them in the column of the request, or else by the rules of its training data.
/// @param csv  the table to make: a file that is not there yet, or "-" for the standard output. A
///             file has its name when all is written. Nothing goes to the standard output before
///             all rows have been read, unless the request says so: those of a file are read twice,
///             of others predictions wait in a temporary file.
/// @throws base::InputError  the request does not suit model or table, a cell that is none.
PredictCounts predict_rows(results::StoredModel& stored, const PredictRequest& request,
                           const std::string& csv);

}  // namespace fairfront::drivers
