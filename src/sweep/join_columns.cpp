#include "sweep/join_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/index.hpp"
#include "parallel/agree.hpp"
#include "parallel/texts.hpp"
#include "results/fields.hpp"
#include "solvers/common/packing.hpp"
#include "sweep/packed_text.hpp"

namespace fairfront::sweep {
namespace {

using base::at;
using solvers::Packer;
using solvers::Unpacker;

void put_shape(Packer& packer, const ColumnShape& shape) {
  const auto put_sets = [&](const std::vector<std::set<std::string>>& sets) {
    for (const std::set<std::string>& names : sets) {
      put_texts(packer, {names.begin(), names.end()});
    }
  };
  packer.array(std::span(shape.metrics));
  packer.number(static_cast<std::uint64_t>(shape.parts.size()));
  put_sets(shape.parts);
  put_sets(shape.groups);
  packer.array(std::span(shape.series));
  packer.array(std::span(shape.solutions));
  packer.number(static_cast<std::uint64_t>(shape.fronts.size()));
  for (const auto& [method, extent] : shape.fronts) {
    put_text(packer, method);
    packer.number(extent);
  }
}

ColumnShape take_shape(const std::string& bytes) {
  using Numbers = std::vector<std::uint8_t>;
  Unpacker unpacker(bytes);
  const auto take_sets = [&](std::uint64_t count) {
    std::vector<std::set<std::string>> sets;
    while (sets.size() < count) {
      const std::vector<std::string> names = take_texts(unpacker);
      sets.emplace_back(names.begin(), names.end());
    }
    return sets;
  };
  ColumnShape shape;
  shape.metrics = unpacker.array<Numbers>();
  const auto measures = unpacker.number<std::uint64_t>();
  shape.parts = take_sets(measures);
  shape.groups = take_sets(measures);
  shape.series = unpacker.array<Numbers>();
  shape.solutions = unpacker.array<Numbers>();
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
    std::string method = take_text(unpacker);
    shape.fronts[std::move(method)] = unpacker.number<std::uint8_t>();
  }
  return shape;
}

/// That of the tasks of all ranks, on each. Collective.
ColumnShape share_shape(const parallel::Comm& world, ColumnShape shape) {
  Packer mine;
  put_shape(mine, shape);
  Packer all;
  std::set<std::string> seen;  // thousands of ranks fill the same columns
  for (const std::string& text : parallel::gather(world, mine.take())) {
    if (seen.insert(text).second) shape.merge(take_shape(text));
  }
  put_shape(all, shape);
  return take_shape(parallel::broadcast(world, 0, all.take()));
}

/// Shows `use` every column with rows of tasks, in one order, by how its rows belong to the tasks:
/// `per_task` has as many numbers for each; `ragged` columns share offsets, tasks + 1; `owned` is
/// for solutions.
template <class Content, class Use>
void for_each_column(Content& content, Use&& use) {
  results::for_each_field<results::TaskTable>(
      [&](const auto& field) { use.per_task(content.tasks.*field.member, 1); });
  for (auto& places : content.tasks.axis_index) use.per_task(places, 1);
  results::for_each_field<results::Timing>(
      [&](const auto& field) { use.per_task(content.timing.*field.member, 1); });
  for (auto& metric : content.metrics) use.per_task(metric.values, 1);
  for (auto& measure : content.measures) {
    constexpr std::size_t ends = results::field_count<results::Measured>;
    use.per_task(measure.values, measure.parts.size() * measure.groups.size() * ends);
  }
  for (auto& series : content.series) {
    use.ragged(series.offsets, 1, series.steps, series.values, series.seconds);
  }
  for (auto& front : content.fronts) {
    const std::size_t width = front.objectives.size();
    use.per_task(front.reference, width);
    use.per_task(front.hypervolume, 1);
    std::vector<std::int64_t> offsets = front.offsets;  // once for each width
    use.ragged(offsets, 1, front.task, front.solution);
    use.ragged(front.offsets, width, front.points, front.report);
  }
  for (auto& solutions : content.solutions) {
    use.owned(solutions.task, solutions.offsets, solutions.values);
  }
}

class ColumnPacker {
 public:
  explicit ColumnPacker(Packer& packer) : packer_{packer} {}

  template <class Column>
  void per_task(const Column& column, std::size_t /*width*/) {
    put(column);
  }
  template <class... Columns>
  void ragged(const std::vector<std::int64_t>& offsets, std::size_t /*width*/,
              const Columns&... columns) {
    put(offsets);
    (put(columns), ...);
  }
  void owned(const std::vector<std::int64_t>& owner, const std::vector<std::int64_t>& offsets,
             const SolutionValues& values) {
    put(owner);
    put(offsets);
    std::visit([&](const auto& column) { put(column); }, values);
  }

 private:
  template <class T>
  void put(const std::vector<T>& column) {
    packer_.array(std::span(column));
  }
  void put(const std::vector<std::string>& column) { put_texts(packer_, column); }

  Packer& packer_;
};

/// Makes room for the rows of all tasks, where their number says how much that is: a column that
/// grows is held twice while it moves.
class ColumnReserver {
 public:
  explicit ColumnReserver(std::int64_t tasks) : tasks_{at(tasks)} {}

  template <class Column>
  void per_task(Column& column, std::size_t width) {
    column.reserve(tasks_ * width);
  }
  template <class... Columns>
  void ragged(std::vector<std::int64_t>& offsets, std::size_t /*width*/, Columns&... /*columns*/) {
    offsets.reserve(tasks_ + 1);
  }
  void owned(std::vector<std::int64_t>& /*owner*/, std::vector<std::int64_t>& /*offsets*/,
             SolutionValues& /*values*/) {}

 private:
  std::size_t tasks_;
};

/// Puts columns that a ColumnPacker has packed behind those that are there.
class ColumnAppender {
 public:
  explicit ColumnAppender(Unpacker& unpacker) : unpacker_{unpacker} {}

  template <class Column>
  void per_task(Column& column, std::size_t /*width*/) {
    append(column);
  }
  template <class... Columns>
  void ragged(std::vector<std::int64_t>& offsets, std::size_t /*width*/, Columns&... columns) {
    append_offsets(offsets);
    (append(columns), ...);
  }
  void owned(std::vector<std::int64_t>& owner, std::vector<std::int64_t>& offsets,
             SolutionValues& values) {
    append(owner);
    append_offsets(offsets);
    std::visit([&](auto& column) { append(column); }, values);
  }

 private:
  template <class T>
  void append(std::vector<T>& column) {
    unpacker_.append_array(column);
  }
  void append(std::vector<std::string>& column) {
    std::ranges::move(take_texts(unpacker_), std::back_inserter(column));
  }
  void append_offsets(std::vector<std::int64_t>& offsets) {
    const auto more = unpacker_.array<std::vector<std::int64_t>>();
    const std::int64_t begin = offsets.back();
    for (std::size_t i = 1; i < more.size(); ++i) offsets.push_back(begin + more[i]);
  }

  Unpacker& unpacker_;
};

/// Puts the rows of tasks into plan order.
class ColumnSorter {
 public:
  /// @param first  of the tasks.
  /// @param tasks  of the rows as they are: each from the first one on once.
  ColumnSorter(std::int64_t first, const std::vector<std::int64_t>& tasks)
      : first_{first}, row_of_(tasks.size()) {
    for (std::size_t row = 0; row < tasks.size(); ++row) row_of_.at(at(tasks[row] - first)) = row;
  }

  template <class Column>
  void per_task(Column& column, std::size_t width) {
    if (column.empty()) return;
    Column sorted;
    sorted.reserve(column.size());
    for (const std::size_t row : row_of_) take(column, row * width, width, sorted);
    column = std::move(sorted);
  }

  template <class... Columns>
  void ragged(std::vector<std::int64_t>& offsets, std::size_t width, Columns&... columns) {
    (sort_ragged(offsets, width, columns), ...);
    std::vector<std::int64_t> sorted{0};
    for (const std::size_t row : row_of_) {
      sorted.push_back(sorted.back() + offsets[row + 1] - offsets[row]);
    }
    offsets = std::move(sorted);
  }

  /// Solutions of one task stand together: a stable sort by counting.
  void owned(std::vector<std::int64_t>& owner, std::vector<std::int64_t>& offsets,
             SolutionValues& values) {
    std::vector<std::size_t> next(row_of_.size() + 1, 0);
    for (const std::int64_t task : owner) ++next[at(task - first_) + 1];
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    std::vector<std::size_t> place(owner.size());
    for (std::size_t i = 0; i < owner.size(); ++i) place[next[at(owner[i] - first_)]++] = i;
    std::vector<std::int64_t> ends{0};
    for (const std::size_t i : place) ends.push_back(ends.back() + offsets[i + 1] - offsets[i]);
    std::visit(
        [&]<class T>(std::vector<T>& column) {
          std::vector<T> sorted;
          sorted.reserve(column.size());
          for (const std::size_t i : place) {
            take(column, at(offsets[i]), at(offsets[i + 1] - offsets[i]), sorted);
          }
          column = std::move(sorted);
        },
        values);
    offsets = std::move(ends);
    std::ranges::sort(owner);
  }

 private:
  template <class Column>
  void sort_ragged(const std::vector<std::int64_t>& offsets, std::size_t width, Column& column) {
    if (column.empty()) return;
    Column sorted;
    sorted.reserve(column.size());
    for (const std::size_t row : row_of_) {
      const std::int64_t length = offsets[row + 1] - offsets[row];
      take(column, at(offsets[row]) * width, at(length) * width, sorted);
    }
    column = std::move(sorted);
  }
  template <class Column>
  static void take(Column& column, std::size_t first, std::size_t count, Column& sorted) {
    const auto begin = column.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    sorted.insert(sorted.end(), std::move_iterator(begin), std::move_iterator(end));
  }

  std::int64_t first_;
  std::vector<std::size_t> row_of_;  ///< by task, from the first one on
};

/// Of the tasks of a plan, rank r puts those from share_begin(r) up to share_begin(r + 1) into
/// order.
std::int64_t share_begin(const Plan& plan, const parallel::Comm& world, int rank) {
  const std::int64_t tasks = plan.num_tasks();
  const std::int64_t ranks = world.size();
  return tasks / ranks * rank + std::min<std::int64_t>(rank, tasks % ranks);
}

/// Makes columns of its own shape.
struct ColumnMaker {
  const Plan& plan;
  const ResultSchema& schema;
  ColumnShape shape;

  [[nodiscard]] results::Content columns(TaskOutcomes some) const {
    return columns_of(plan, schema, shape, std::move(some));
  }
};

/// By the ranks that put them into order.
/// @param mine  is gone then, part by part.
std::vector<std::string> pack_by_share(const parallel::Comm& world, const ColumnMaker& make,
                                       TaskOutcomes mine) {
  std::vector<std::string> texts;
  std::size_t next = 0;
  for (int rank = 0; rank < world.size(); ++rank) {
    const std::int64_t end = share_begin(make.plan, world, rank + 1);
    TaskOutcomes part;
    for (; next < mine.tasks.size() && mine.tasks[next] < end; ++next) {
      part.tasks.push_back(mine.tasks[next]);
      part.outcomes.push_back(std::move(mine.outcomes[next]));
    }
    std::string& text = texts.emplace_back();
    if (part.tasks.empty()) continue;
    Packer packer;
    packer.array(std::span<const std::int64_t>(part.tasks));
    const results::Content columns = make.columns(std::move(part));
    for_each_column(columns, ColumnPacker(packer));
    text = packer.take();
  }
  return texts;
}

/// @param texts  are gone then, one by one.
/// @return  the columns of this rank's share of the plan, in order.
results::Content sorted_share(const parallel::Comm& world, const ColumnMaker& make,
                              std::vector<std::string> texts) {
  results::Content content = make.columns({});
  std::vector<std::int64_t> tasks;
  for (std::string& text : texts) {
    if (text.empty()) continue;
    Unpacker unpacker(text);
    unpacker.append_array(tasks);
    for_each_column(content, ColumnAppender(unpacker));
    text = {};
  }
  const std::int64_t first = share_begin(make.plan, world, world.rank());
  if (!std::ranges::is_sorted(tasks)) for_each_column(content, ColumnSorter(first, tasks));
  return content;
}

/// The columns of this rank's share of the plan. Collective.
results::Content make_share(const parallel::Comm& world, const ColumnMaker& make,
                            TaskOutcomes mine) {
  results::Content content;
  std::vector<std::string> texts;
  parallel::agree(world, "", [&] {
    if (world.size() == 1) {
      content = make.columns(std::move(mine));
    } else {
      texts = pack_by_share(world, make, std::move(mine));
    }
  });
  if (world.size() == 1) return content;
  texts = parallel::exchange_texts(world, std::move(texts));
  parallel::agree(world, "", [&] { content = sorted_share(world, make, std::move(texts)); });
  return content;
}

}  // namespace

results::Content join_columns(const parallel::Comm& world, const Plan& plan,
                              const ResultSchema& schema, TaskOutcomes mine) {
  const ColumnMaker make{plan, schema, share_shape(world, shape_of(plan, schema, mine))};
  results::Content content = make_share(world, make, std::move(mine));
  std::string packed;
  parallel::agree(world, "", [&] {
    if (world.is_root()) return for_each_column(content, ColumnReserver(plan.num_tasks()));
    Packer packer;
    for_each_column(std::as_const(content), ColumnPacker(packer));
    packed = packer.take();
    content = {};
  });
  parallel::for_each_text(world, std::move(packed), [&](const std::string& text) {
    Unpacker unpacker(text);
    for_each_column(content, ColumnAppender(unpacker));
  });
  parallel::agree(world, "", [&] {
    if (!world.is_root()) return;
    put_head(plan, content);
    link_fronts(content, schema);
  });
  return content;
}

}  // namespace fairfront::sweep
