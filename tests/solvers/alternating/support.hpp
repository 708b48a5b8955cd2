/// @file
/// What several tests of the alternating methods need.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "data/dataset.hpp"
#include "solvers/alternating/test_problems.hpp"

namespace fairfront::alternating::test {

inline base::Stream stream_of(const std::string& purpose, std::uint64_t index = 0) {
  return {base::StreamKey(20221228, "tests/alternating", purpose), index};
}

/// All test problems with their default sizes and numbers of objectives.
struct NamedProblem {
  std::string name;
  AnyProblem problem;
};
inline std::vector<NamedProblem> all_problems() {
  std::vector<NamedProblem> problems;
  for (const TestProblem& entry : test_problems()) {
    problems.push_back({entry.name, make_problem(entry, 0, entry.objectives)});
  }
  return problems;
}

/// 60 rows, 3 features, 3 groups; labels 3 and 7 that depend on features and group.
inline std::shared_ptr<const data::Dataset> small_dataset() {
  auto dataset = std::make_shared<data::Dataset>();
  base::Stream stream = stream_of("dataset");
  dataset->rows = 60;
  dataset->columns = 3;
  dataset->feature_names = {"a", "b", "c"};
  dataset->group_names = {"x", "y", "z"};
  dataset->provenance.name = "small";
  for (int i = 0; i < 60; ++i) {
    const int group = i % 5 == 0 ? 2 : i % 2;
    double score = group - 1;
    for (int j = 0; j < 3; ++j) {
      dataset->features.push_back(stream.normal() + 0.5 * group);
      score += (j - 0.5) * dataset->features.back();
    }
    dataset->group.push_back(group);
    dataset->label.push_back(score + stream.normal() > 0 ? 7.0 : 3.0);
  }
  return dataset;
}

}  // namespace fairfront::alternating::test
