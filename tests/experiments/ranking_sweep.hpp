/// @file
/// Sweeps of the experiment `ranking` over a small table, and AUCs by the definition.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "experiments/ranking.hpp"
#include "table_sweep.hpp"

namespace fairfront::test {

/// Two features that know label and group, parts in turn. @param groups  of them.
inline std::string table(int rows, int groups = 2) {
  base::Stream stream(base::StreamKey(1, "test", "ranking table"), 0);
  const char* const parts[] = {"train", "validation", "test"};
  std::string text = "label,group,part,x,z\n";
  for (int i = 0; i < rows; ++i) {
    const auto group = static_cast<int>(stream.below(static_cast<std::uint32_t>(groups)));
    const bool positive = stream.uniform() < 0.4;
    text += fmt::format("{},{},{},{},{}\n", positive ? 1 : 0, "abcd"[group], parts[i % 3],
                        base::format_double(stream.normal() + (positive ? 1 : 0)),
                        base::format_double(stream.normal() + (positive ? 1 : 0) + group));
  }
  return text;
}

class RankingSweep : public experiments::TableSweep {
 public:
  RankingSweep(const std::string& csv, const std::string& config)
      : TableSweep("ranking", csv,
                   "[split]\nby = column\nvalidation_values = validation\n" + config,
                   "label = label\nsensitive = group\nsplit = part\nfeatures = x, z\n") {}

  /// Stops at the question after `questions`. @param state  kept, and gone on from if not empty.
  [[nodiscard]] std::optional<sweep::TaskResult> run_until_stopped(int questions,
                                                                   std::string& state) const {
    const experiments::Family<experiments::RankingProblem> family = experiments::ranking_family();
    const auto loaded = family.load(task(), context());
    solvers::Control control;
    if (!state.empty()) control.resume = state;
    control.request = [&] {
      return questions-- > 0 ? solvers::Request::go_on : solvers::Request::stop;
    };
    control.save = [&](const std::string& bytes) { state = bytes; };
    const parallel::Comm self(MPI_COMM_SELF);
    for (const experiments::Method<experiments::RankingProblem>& method : family.methods) {
      if (method.section.name != task().method) continue;
      sweep::Task addressed = task();
      addressed.stream = experiments::stream_address(method.section, loaded.data);
      try {
        return method.run(self, loaded.problem, addressed, control);
      } catch (const solvers::Interrupted&) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] experiments::RankingProblem problem(std::int64_t index = 0) const {
    return experiments::ranking_family().load(task(index), context()).problem;
  }
};

/// AUC by all pairs.
template <class Above, class Below>
double auc_by_pairs(const std::vector<double>& score, Above above, Below below) {
  double wins = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < score.size(); ++i) {
    for (std::size_t k = 0; k < score.size(); ++k) {
      if (!above(i) || !below(k)) continue;
      ++pairs;
      wins += score[i] > score[k] ? 1 : score[i] == score[k] ? 0.5 : 0;
    }
  }
  return wins / pairs;
}

}  // namespace fairfront::test
