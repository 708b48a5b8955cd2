#include "print_yardstick.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"
#include "print_fronts.hpp"
#include "results/yardstick.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

using results::BesideYardstick;
using results::ComparedFront;

std::string configuration_of(const results::Content& content, std::size_t task) {
  std::string values = configuration_values(content, task);
  const bool is_named = !values.empty() || content.datasets.empty();
  return is_named ? values : content.datasets.front().name;
}

void add_row(Table& table, const std::string& method, const std::string& problem,
             const ComparedFront& front, const BesideYardstick& part) {
  if (part.part.empty()) return;
  table.add({method + (front.randomised ? ", randomised" : ""), bounded_text(front), problem,
             part.part, format_value(part.hypervolume), format_value(part.yardstick),
             fmt::format("{} of {}", part.worse, part.points), format_value(part.excess),
             std::to_string(front.replicates)});
}

}  // namespace

std::string yardstick_text(const results::Content& content) {
  const std::vector<ComparedFront> fronts = results::compared_with_yardstick(content);
  if (fronts.empty()) return {};
  Table table({"method", "rate", "configuration", "part", "hypervolume", "post-processed",
               "worse points", "by at most", "replicates"});
  std::string remarks;
  for (const ComparedFront& front : fronts) {
    const std::string& method = content.tasks.method[front.first_task];
    const std::string problem = configuration_of(content, front.first_task);
    add_row(table, method, problem, front, front.decides);
    add_row(table, method, problem, front, front.reported);
    const std::string remark = results::remark_on(front, method);
    const std::string line = remark.empty() ? "" : fmt::format("  {}\n", remark);
    if (remarks.find(line) == std::string::npos) remarks += line;
  }
  return fmt::format(
      "\nerror and gap of rates beside [{}], the unconstrained model post-processed: its decisions "
      "know the group, those of other methods do not unless it is among their features; of a "
      "bounded ratio its distance "
      "from 1 is the gap\n{}{}",
      results::yardstick_method, table.text(), remarks);
}

}  // namespace fairfront::drivers
