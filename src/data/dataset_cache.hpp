/// @file
/// Prepared data sets that several tasks share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <memory>
#include <string>

#include "data/dataset.hpp"
#include "data/load.hpp"

namespace fairfront::data {

/// Loads each data set once and keeps the few used last. One per rank; not for several threads.
class DatasetCache {
 public:
  /// @param capacity  data sets kept, >= 1.
  explicit DatasetCache(std::size_t capacity = 4) : capacity_{capacity} {}

  /// As data::load, unless the same options were loaded before.
  [[nodiscard]] std::shared_ptr<const Dataset> get(const DataOptions& options,
                                                   const std::filesystem::path& data_dir,
                                                   bool allow_changed);

 private:
  struct Item {
    std::string key;
    std::shared_ptr<const Dataset> dataset;
  };
  std::size_t capacity_;
  std::list<Item> items_;  ///< last used first
};

}  // namespace fairfront::data
