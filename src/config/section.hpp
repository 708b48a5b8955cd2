/// @file
/// A section of a config: a name and the options that it may hold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/options.hpp"

namespace fairfront::config {

/// A section of the config: shared by all methods of the experiment, or one method.
struct Section {
  std::string name{};    ///< as written in the config: [data], [clustering], [safairkm_front]
  std::string title{};   ///< one line for help
  std::string source{};  ///< paper, for a method
  bool is_method = false;
  /// Tasks of the method are work for a team of ranks, which it can leave at a checkpoint.
  bool coupled = false;
  std::int64_t revision = 1;  ///< of a method: raised when its results change; part of task keys
  /// A fresh table with the defaults; make_section fills it in.
  std::function<std::shared_ptr<base::OptionTable>()> open = nullptr;
};

/// `section` over an options struct that has options_of(Options&):
///
///     make_section<LloydOptions>({.name = "lloyd", .title = "Lloyd's k-means", .is_method = true})
template <class Options>
Section make_section(Section section) {
  section.open = []() -> std::shared_ptr<base::OptionTable> {
    struct Bound {
      Options options;
      base::OptionTable table = options_of(options);
    };
    auto bound = std::make_shared<Bound>();
    return {bound, &bound->table};
  };
  return section;
}

/// What an option of the section is for, also where the option itself does not say it.
[[nodiscard]] inline base::Role role_of(const Section& section, const base::OptionInfo& info) {
  return info.role.value_or(section.is_method ? base::Role::setting : base::Role::problem);
}

}  // namespace fairfront::config
