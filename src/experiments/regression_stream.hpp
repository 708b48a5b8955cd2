/// @file
/// Post-processing of a stream of rows, and the file that such a stream may come from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/readers/csv.hpp"
#include "data/readers/data_file.hpp"
#include "experiments/method.hpp"
#include "experiments/regression.hpp"

namespace fairfront::experiments {

/// A CSV file, plain or .gz, of rows that need neither target nor group.
struct UnlabelledFile {
  std::filesystem::path path;
  data::CsvFormat format;
  std::int64_t rows = 0;
  std::string sha256{};  ///< of its uncompressed content
  std::vector<std::string> warnings{};
};

/// What the base models say of the rows of such a file, a window of them at a time: memory does not
/// depend on their number. A row has the bits that it would have in the table.
class PredictionStream {
 public:
  /// @param base  must outlive it.
  /// @throws base::InputError  here or later: what the file holds does not fit the base models.
  PredictionStream(const std::filesystem::path& path, const data::CsvFormat& format,
                   const BasePredictions& base);
  PredictionStream(PredictionStream&&) = delete;  // its reader holds the file's address

  /// Reads on; false at the end of the file.
  bool next();
  /// Shape (rows of the window,), in the target's unit.
  [[nodiscard]] std::span<const double> eta() const noexcept { return eta_; }
  /// Row-major, shape (rows of the window, K).
  [[nodiscard]] std::span<const double> tau() const noexcept { return tau_; }

  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }  ///< of all windows so far
  [[nodiscard]] std::int64_t unseen_levels() const noexcept;
  /// Of the whole file, which it reads to its end.
  [[nodiscard]] const std::string& sha256() { return file_.sha256(); }

 private:
  void take_columns(const data::Table& table);

  const BasePredictions* base_;
  data::DataFile file_;
  std::optional<data::RowPreparer> preparer_;  ///< of fitted models
  data::CsvStream reader_;
  std::int64_t rows_ = 0;
  std::vector<double> eta_, tau_;
};

/// The file of regression.unlabelled_file, which is read through to its end: its rows are counted,
/// hashed and checked; null where the option is empty.
/// @throws base::InputError  no such file, a row that does not fit the base models.
[[nodiscard]] std::shared_ptr<const UnlabelledFile> unlabelled_file(
    const sweep::Task& task, const sweep::RunContext& context, const BasePredictions& base,
    const std::string& name);

/// [dp_streaming]
[[nodiscard]] Method<RegressionProblem> streaming_method();

}  // namespace fairfront::experiments
