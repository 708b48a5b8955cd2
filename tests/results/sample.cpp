#include "results/sample.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <variant>

#include "results/content.hpp"
#include "results/merged_fronts.hpp"

namespace fairfront::results::test {
namespace {

class Maker {
 public:
  Maker(std::uint64_t seed, std::size_t tasks) : engine_{seed}, tasks_{tasks} {}

  Content make() {
    content_.experiment = text();
    for (std::size_t i = below(4); i-- > 0;) content_.config.push_back({text(), text(), text()});
    for (std::size_t i = below(3); i-- > 0;) content_.revisions.push_back(text());
    make_provenance();
    for (std::size_t i = below(3); i-- > 0;) make_dataset();
    for (std::size_t i = below(4); i-- > 0;) make_axis();
    make_tasks();
    for (std::size_t i = below(4); i-- > 0;) make_metric();
    for (std::size_t i = below(3); i-- > 0;) make_series();
    make_solutions<std::uint8_t>("labels");
    make_solutions<std::uint16_t>("ranks");
    make_solutions<double>("weights");
    for (std::size_t width = 2; width <= 3; ++width) make_front(width);
    content_.merged = merged_fronts(content_);
    make_measures();
    return std::move(content_);
  }

 private:
  std::size_t below(std::size_t bound) { return engine_() % bound; }

  std::string text() {
    static const std::vector<std::string> pieces{"a", "B7", " ", "é", "β≤1", "\n", "0.25", ", "};
    std::string result;
    for (std::size_t i = below(6); i-- > 0;) result += pieces[below(pieces.size())];
    return result;
  }
  std::string name() { return "name " + std::to_string(++names_) + ".β" + text(); }
  std::string hexadecimal() {
    std::string digits;
    while (digits.size() < 64) digits += "0123456789abcdef"[below(16)];
    return digits;
  }
  double number() {
    switch (below(8)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return -0.0;
      case 2:
        return std::numeric_limits<double>::infinity();
      default:
        return std::bit_cast<double>(engine_() >> 2);  // finite, positive, any magnitude
    }
  }
  template <class T>
  std::vector<T> integers(std::size_t count, std::size_t bound) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(below(bound));
    return values;
  }
  std::vector<double> numbers(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = number();
    return values;
  }
  std::vector<std::int64_t> offsets(std::size_t rows, std::size_t longest) {
    std::vector<std::int64_t> values{0};
    for (std::size_t i = 0; i < rows; ++i) {
      values.push_back(values.back() + static_cast<std::int64_t>(below(longest + 1)));
    }
    return values;
  }
  Quantity quantity(std::string what) {
    return {std::move(what), text(), text(), static_cast<Direction>(below(3)), text()};
  }

  void make_provenance() {
    content_.provenance = {.program_version = text(),
                           .git_revision = text(),
                           .git_dirty = below(2) == 1,
                           .compiler = text(),
                           .compiler_flags = text(),
                           .libraries = text(),
                           .created = text(),
                           .hosts = text(),
                           .processors = {},
                           .c_libraries = {},
                           .ranks = static_cast<std::int64_t>(below(1000)),
                           .team_size = static_cast<std::int64_t>(below(1000)),
                           .command_line = text(),
                           .slurm = text()};
    // No draws of their own: the rest of the sample, and its known digest, stay as they are.
    content_.provenance.processors = "processor of " + content_.provenance.hosts;
    content_.provenance.c_libraries = "library of " + content_.provenance.hosts;
  }

  void make_dataset() {
    data::Provenance dataset;
    dataset.name = text();
    dataset.source = text();
    for (std::size_t i = below(3); i-- > 0;) {
      dataset.files.push_back(text());
      dataset.sha256.push_back(hexadecimal());
    }
    dataset.file_rows = static_cast<std::int64_t>(below(100000));
    dataset.recipe = text();
    dataset.digest = hexadecimal();
    dataset.fitted = "fitted on " + dataset.recipe;  // no draw of its own
    content_.datasets.push_back(dataset);
  }

  void make_axis() {
    Axis axis{name(), static_cast<base::Role>(below(5)), {}};
    for (std::size_t i = below(4); i-- > 0;) axis.values.push_back(text());
    content_.axes.push_back(axis);
  }

  void make_tasks() {
    TaskTable& tasks = content_.tasks;
    for (std::size_t i = 0; i < tasks_; ++i) {
      tasks.key.push_back(hexadecimal());
      tasks.method.push_back(text());
      tasks.problem.push_back(static_cast<std::int32_t>(below(tasks_)));
      tasks.configuration.push_back(static_cast<std::int32_t>(below(tasks_)));
      tasks.curve.push_back(static_cast<std::int32_t>(below(tasks_)));
      tasks.status.push_back(static_cast<TaskStatus>(below(3)));
      tasks.message.push_back(text());
      tasks.model.push_back("model of " + tasks.message.back());  // no draw of its own
    }
    for (const Axis& axis : content_.axes) {
      tasks.axis_index.push_back(integers<std::int32_t>(tasks_, axis.values.size() + 1));
      for (std::int32_t& index : tasks.axis_index.back()) --index;
    }
    content_.timing = {std::vector<double>(tasks_, 1e9), numbers(tasks_),
                       integers<std::int32_t>(tasks_, 64), integers<std::int32_t>(tasks_, 3)};
  }

  void make_metric() { content_.metrics.push_back({quantity(name()), numbers(tasks_)}); }

  // No draws of their own: the rest of the sample, and its known digest, stay as they are.
  void make_measures() {
    for (const Metric& metric : content_.metrics) {
      Measure measure{metric.what, {"train", "tést"}, {"all", "group / 1", "β"}, {}};
      for (std::size_t i = 0; i < tasks_ * 2 * 3 * 3; ++i) {
        measure.values.push_back(metric.values[i % tasks_] + (i % 5 == 0 ? 1 : 0));
      }
      if (content_.measures.size() % 2 == 1) measure.at_groups = AtGroups::made_by;
      content_.measures.push_back(measure);
    }
  }

  void make_series() {
    Series series{quantity(name()), text(), offsets(tasks_, 5), {}, {}, {}};
    const auto entries = static_cast<std::size_t>(series.offsets.back());
    series.steps = integers<std::int64_t>(entries, 1000);
    series.values = numbers(entries);
    if (below(2) == 0) series.seconds = numbers(entries);
    content_.series.push_back(series);
  }

  template <class T>
  void make_solutions(const std::string& what) {
    const std::size_t count = tasks_ == 0 ? 0 : below(5);
    Solutions solutions{quantity(what),
                        integers<std::int64_t>(count, std::max<std::size_t>(tasks_, 1)),
                        offsets(count, 40), std::vector<T>{}};
    const auto entries = static_cast<std::size_t>(solutions.offsets.back());
    if constexpr (std::is_same_v<T, double>) {
      solutions.values = numbers(entries);
    } else {
      solutions.values = integers<T>(entries, std::numeric_limits<T>::max());
    }
    content_.solutions.push_back(solutions);
  }

  // A descending staircase, so that no point dominates another. The second objective is
  // maximised: it is stored with the other sign. The third, where there is one, is constant.
  void make_front(std::size_t width) {
    FrontGroup front;
    front.name = name();
    front.offsets = offsets(tasks_, 4);
    for (std::size_t k = 0; k < width; ++k) {
      front.objectives.push_back(quantity(name()));
      front.objectives[k].direction = k == 1 ? Direction::maximise : Direction::minimise;
    }
    const std::size_t available = content_.solutions.front().task.size();
    if (available > 0) front.solutions_name = "labels";
    for (std::size_t task = 0; task < tasks_; ++task) {
      const std::int64_t count = front.offsets[task + 1] - front.offsets[task];
      front.hypervolume.push_back(append_staircase(front, count, width));
      front.task.insert(front.task.end(), static_cast<std::size_t>(count),
                        static_cast<std::int64_t>(task));
      const double missing = std::numeric_limits<double>::quiet_NaN();
      const std::vector<double> corner{10.0, -10.0, 10.0};
      for (std::size_t k = 0; k < width; ++k) {
        front.reference.push_back(count == 0 ? missing : corner[k]);
      }
    }
    front.solution = integers<std::int64_t>(front.task.size(), available + 1);
    for (std::int64_t& index : front.solution) --index;
    if (below(2) == 0) front.report = numbers(front.points.size());
    content_.fronts.push_back(front);
  }

  // Its hypervolume below (10, 10), or (10, 10, 10).
  double append_staircase(FrontGroup& front, std::int64_t count, std::size_t width) {
    double x = 0;
    double y = 9;
    double above = 10;
    double area = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      x += 0.125 * static_cast<double>(1 + below(4));
      y -= 0.125 * static_cast<double>(1 + below(4));
      area += (10 - x) * (above - y);
      above = y;
      const std::vector<double> point{x, -y, 1};
      front.points.insert(front.points.end(), point.begin(),
                          point.begin() + static_cast<std::ptrdiff_t>(width));
    }
    return width == 3 ? 9 * area : area;
  }

  std::mt19937_64 engine_;
  std::size_t tasks_;
  std::size_t names_ = 0;
  Content content_;
};

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}
bool same(const Quantity& a, const Quantity& b) {
  return a.name == b.name && a.definition == b.definition && a.unit == b.unit &&
         a.direction == b.direction && a.source == b.source;
}
bool same(const ConfigEntry& a, const ConfigEntry& b) {
  return a.section == b.section && a.key == b.key && a.value == b.value;
}
bool same(const LaunchFacts& a, const LaunchFacts& b) {
  return a.program_version == b.program_version && a.git_revision == b.git_revision &&
         a.git_dirty == b.git_dirty && a.compiler == b.compiler &&
         a.compiler_flags == b.compiler_flags && a.libraries == b.libraries &&
         a.created == b.created && a.hosts == b.hosts && a.processors == b.processors &&
         a.c_libraries == b.c_libraries && a.ranks == b.ranks && a.team_size == b.team_size &&
         a.command_line == b.command_line && a.slurm == b.slurm;
}
bool same(const data::Provenance& a, const data::Provenance& b) {
  return a.name == b.name && a.source == b.source && a.files == b.files && a.sha256 == b.sha256 &&
         a.file_rows == b.file_rows && a.recipe == b.recipe && a.digest == b.digest &&
         a.fitted == b.fitted;
}
bool same(const Axis& a, const Axis& b) {
  return a.name == b.name && a.role == b.role && a.values == b.values;
}
bool same(const TaskTable& a, const TaskTable& b) {
  return a.key == b.key && a.method == b.method && a.problem == b.problem &&
         a.configuration == b.configuration && a.curve == b.curve && a.axis_index == b.axis_index &&
         a.status == b.status && a.message == b.message && a.model == b.model;
}
bool same(const Timing& a, const Timing& b) {
  return same(a.started, b.started) && same(a.seconds, b.seconds) && a.rank == b.rank &&
         a.attempt == b.attempt;
}
bool same(const Metric& a, const Metric& b) {
  return same(a.what, b.what) && same(a.values, b.values);
}
bool same(const Measure& a, const Measure& b) {
  return same(a.what, b.what) && a.parts == b.parts && a.groups == b.groups &&
         same(a.values, b.values) && a.at_groups == b.at_groups;
}
bool same(const Series& a, const Series& b) {
  return same(a.what, b.what) && a.step_name == b.step_name && a.offsets == b.offsets &&
         a.steps == b.steps && same(a.values, b.values) && same(a.seconds, b.seconds);
}
bool same(const Solutions& a, const Solutions& b) {
  if (a.values.index() != b.values.index()) return false;
  const bool values = std::visit(
      [&](const auto& mine) {
        return same(mine, std::get<std::remove_cvref_t<decltype(mine)>>(b.values));
      },
      a.values);
  return values && same(a.what, b.what) && a.task == b.task && a.offsets == b.offsets;
}
bool same(const MergedSet& a, const MergedSet& b) {
  return a.offsets == b.offsets && a.point == b.point && same(a.reference, b.reference) &&
         same(a.hypervolume, b.hypervolume);
}
bool same(const MergedFront& a, const MergedFront& b) {
  return a.name == b.name && same(a.per_replicate, b.per_replicate) &&
         same(a.over_replicates, b.over_replicates);
}
bool same(const FrontGroup& a, const FrontGroup& b);  // needs same_all itself
template <class T>
bool same_all(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return same(x, y); });
}
bool same(const FrontGroup& a, const FrontGroup& b) {
  return a.name == b.name && same_all(a.objectives, b.objectives) && a.offsets == b.offsets &&
         same(a.points, b.points) && same(a.report, b.report) && a.task == b.task &&
         a.solution == b.solution && a.solutions_name == b.solutions_name &&
         same(a.reference, b.reference) && same(a.hypervolume, b.hypervolume);
}

}  // namespace

Content random_content(std::uint64_t seed, std::size_t tasks) { return Maker{seed, tasks}.make(); }

std::string difference(const Content& a, const Content& b) {
  if (a.experiment != b.experiment) return "experiment";
  if (!same_all(a.config, b.config)) return "config";
  if (a.revisions != b.revisions) return "revisions";
  if (!same(a.provenance, b.provenance)) return "provenance";
  if (!same_all(a.datasets, b.datasets)) return "datasets";
  if (!same_all(a.axes, b.axes)) return "axes";
  if (!same(a.tasks, b.tasks)) return "tasks";
  if (!same(a.timing, b.timing)) return "timing";
  if (!same_all(a.metrics, b.metrics)) return "metrics";
  if (!same_all(a.measures, b.measures)) return "measures";
  if (!same_all(a.series, b.series)) return "series";
  if (!same_all(a.solutions, b.solutions)) return "solutions";
  if (!same_all(a.fronts, b.fronts)) return "fronts";
  if (!same_all(a.merged, b.merged)) return "merged";
  return {};
}

}  // namespace fairfront::results::test
