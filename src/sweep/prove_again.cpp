#include "sweep/prove_again.hpp"

#include <utility>

#include "base/stop.hpp"
#include "results/records.hpp"
#include "results/task_record.hpp"
#include "sweep/same_data.hpp"

namespace fairfront::sweep {

std::vector<ProvenTask> prove_again(const Plan& plan, const Experiment& experiment,
                                    const results::Content& content, const RunContext& context) {
  std::vector<ProvenTask> all;
  const std::vector<results::TaskRecord> records = results::records_of(content);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].status != results::TaskStatus::done) continue;
    base::stop_point();
    const Task task = plan.task(static_cast<std::int64_t>(i));
    require_same_data(content, experiment.forecast(task, context, 1).data);
    std::vector<Claim> claims = experiment.prove(task, records[i].result, context);
    if (!claims.empty()) all.push_back({i, std::move(claims)});
    if (context.counted) context.counted(i + 1, records.size());
  }
  return all;
}

}  // namespace fairfront::sweep
