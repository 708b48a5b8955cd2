/// @file
/// Which columns of a file a task needs, and what becomes of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "data/catalogue/catalogue.hpp"
#include "data/group_columns.hpp"
#include "data/raw_table.hpp"
#include "data/readers/libsvm.hpp"
#include "data/table.hpp"

namespace fairfront::data {

[[nodiscard]] bool contains(const std::vector<std::string>& names, const std::string& name);

/// What becomes of a row with a missing cell in a feature.
[[nodiscard]] MissingCell missing_cell_of_feature(MissingPolicy policy);

/// Bound to a task, which must outlive it.
class SourceColumns {
 public:
  /// @param split      the column of parts; empty: none.
  /// @param all_names  gives the names of all columns of the file; called where they are needed.
  /// @throws base::InputError  no features or groups are named (with the columns that there are), a
  ///         name given twice, a feature that is the label or the column of parts.
  SourceColumns(const SupervisedTask& task, std::string split,
                const std::function<std::vector<std::string>()>& all_names);

  [[nodiscard]] std::span<const TableColumn> wanted() const noexcept { return wanted_; }
  [[nodiscard]] std::string recipe() const;

  /// Of the task's catalogue, which may say something of columns that nobody wants.
  /// @throws base::InputError  one of them is not in the file.
  void check_catalogue(const std::function<std::vector<std::string>()>& all_names) const;

  /// Values of the label that data.positive names and none of the table's rows has.
  [[nodiscard]] std::vector<std::string> absent_positive(const Table& table) const;
  [[nodiscard]] std::string label_column() const;

  /// Fills features, groups, label and parts from a table of the wanted columns.
  /// @param file  named in messages.
  void fill(RawTable& raw, Table table, const std::string& file) const;

 private:
  struct Place {
    bool is_number = true;
    std::size_t index = 0;  ///< among the table's numbers, or its categories
  };
  struct Attribute {
    SensitiveText text;
    std::vector<Place> places;
  };
  void choose_features(const std::function<std::vector<std::string>()>& all_names);
  /// Whether groups are made of it.
  [[nodiscard]] bool is_sensitive(const std::string& column) const;
  void check_named(const std::function<std::vector<std::string>()>& all_names) const;
  [[nodiscard]] bool is_category(const std::string& feature) const;
  Place want(TableColumn column);
  void want_features();
  void want_groups();
  void want_label();
  [[nodiscard]] RawColumn feature(std::size_t which, Table& table) const;
  void order(Category& category, const std::string& column) const;
  void fill_groups(RawTable& raw, const Table& table) const;
  void fill_label(RawTable& raw, Table& table, const std::string& file) const;

  const SupervisedTask& task_;
  std::string split_;
  std::vector<std::string> features_;
  std::unordered_set<std::string_view> categorical_;  ///< views of the task's
  bool automatic_ = false;  ///< features that are not numbers throughout are categories
  std::vector<Attribute> sensitive_;
  std::optional<ColumnTest> label_test_;
  std::vector<TableColumn> wanted_;
  std::size_t numbers_ = 0;
  std::size_t categories_ = 0;
  std::vector<Place> feature_places_;
  Place label_place_;
  Place split_place_;
  Place blocks_place_;
};

/// Fills features, groups and label from the rows of a LIBSVM file. A sensitive column is the
/// number of a feature.
/// @throws base::InputError  options that such files cannot have, no such feature.
void fill_from_libsvm(RawTable& raw, LibsvmRows rows, const SupervisedTask& task,
                      const SupervisedOptions& options);

}  // namespace fairfront::data
