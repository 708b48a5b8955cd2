#include "results/digest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "results/digest_input.hpp"
#include "results/enum_names.hpp"
#include "results/fields.hpp"

namespace fairfront::results {
namespace {

// Every field goes in as its tag and then its value, both with their lengths in front, so that no
// two different contents tell the same bytes.
class Digest {
 public:
  Digest(DigestInput& input, std::string_view what) : input_{input} { text(what); }

  void add(std::string_view tag, std::string_view value) {
    text(tag);
    text(value);
  }
  void add(std::string_view tag, std::int64_t number) {
    text(tag);
    values(std::span<const std::int64_t>{&number, 1});
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void add(std::string_view tag, Enum value) { add(tag, static_cast<std::int64_t>(value)); }
  void add(std::string_view tag, const std::vector<std::string>& texts) {
    add(tag, std::ssize(texts));
    for (const std::string& value : texts) text(value);
  }
  void add(std::string_view tag, const std::vector<TaskStatus>& statuses) {
    static_assert(sizeof(TaskStatus) == sizeof(std::uint8_t));
    text(tag);
    values(std::span<const TaskStatus>{statuses});
  }
  template <class T>
  requires std::is_integral_v<T>
  void add(std::string_view tag, const std::vector<T>& numbers) {
    text(tag);
    values(std::span<const T>{numbers});
  }
  void add(std::string_view tag, const std::vector<double>& numbers) {
    add(tag, std::ssize(numbers));
    input_.numbers(numbers);
  }

 private:
  void length(std::uint64_t length) { input_.bytes(std::as_bytes(std::span{&length, 1})); }
  void text(std::string_view value) {
    length(value.size());
    input_.bytes(std::as_bytes(std::span{value}));
  }
  template <class T>
  void values(std::span<const T> some) {
    length(some.size());
    input_.bytes(std::as_bytes(some));
  }

  DigestInput& input_;
};

enum class Part { identity, rest };

/// The fields of one struct that belong to the part; `tag` keeps two structs apart.
template <class Struct>
void add_fields(Digest& digest, std::string_view tag, const Struct& value, Part part) {
  digest.add("struct", tag);
  for_each_field<Struct>([&](const auto& field) {
    if (field.use.identity != (part == Part::identity)) return;
    digest.add(field.name, value.*field.member);
  });
}

template <class Struct>
void add_all(Digest& digest, std::string_view tag, const std::vector<Struct>& values, Part part) {
  digest.add(tag, std::ssize(values));
  for (const Struct& value : values) add_fields(digest, tag, value, part);
}

void add_datasets(Digest& digest, const std::vector<data::Provenance>& datasets) {
  add_all(digest, "datasets", datasets, Part::identity);
  for (const data::Provenance& dataset : datasets) digest.add("sha256", dataset.sha256);
}

void add_tasks(Digest& digest, const TaskTable& tasks) {
  add_fields(digest, "tasks", tasks, Part::identity);
  digest.add("axis_index", std::ssize(tasks.axis_index));
  for (const auto& column : tasks.axis_index) digest.add("index", column);
}

void add_metrics(Digest& digest, const std::vector<Metric>& metrics) {
  digest.add("metrics", std::ssize(metrics));
  for (const Metric& metric : metrics) {
    add_fields(digest, "metric", metric.what, Part::identity);
    digest.add("values", metric.values);
  }
}

void add_series(Digest& digest, const std::vector<Series>& all) {
  digest.add("series", std::ssize(all));
  for (const Series& series : all) {
    add_fields(digest, "what", series.what, Part::identity);
    digest.add("step_name", series.step_name);
    add_fields(digest, "columns", series, Part::identity);
  }
}

void add_solutions(Digest& digest, const std::vector<Solutions>& all) {
  digest.add("solutions", std::ssize(all));
  for (const Solutions& solutions : all) {
    add_fields(digest, "what", solutions.what, Part::identity);
    digest.add("task", solutions.task);
    digest.add("offsets", solutions.offsets);
    digest.add("type", static_cast<std::int64_t>(solutions.values.index()));
    std::visit([&](const auto& values) { digest.add("values", values); }, solutions.values);
  }
}

void add_fronts(Digest& digest, const std::vector<FrontGroup>& fronts) {
  digest.add("fronts", std::ssize(fronts));
  for (const FrontGroup& front : fronts) {
    digest.add("name", front.name);
    add_all(digest, "objectives", front.objectives, Part::identity);
    digest.add("solutions_name", front.solutions_name);
    add_fields(digest, "columns", front, Part::identity);
  }
}

void add_merged(Digest& digest, const std::vector<MergedFront>& all) {
  digest.add("merged", std::ssize(all));
  for (const MergedFront& merged : all) {
    digest.add("name", merged.name);
    for_each_field<MergedFront>(
        [&](const auto& set) { add_fields(digest, set.name, merged.*set.member, Part::identity); });
  }
}

/// The prose of every quantity, which rewording may change.
void add_prose(Digest& digest, const Content& content) {
  const auto add = [&](const Quantity& what) { add_fields(digest, "prose", what, Part::rest); };
  for (const Metric& metric : content.metrics) add(metric.what);
  for (const Measure& measure : content.measures) add(measure.what);
  for (const Series& series : content.series) add(series.what);
  for (const Solutions& solutions : content.solutions) add(solutions.what);
  for (const FrontGroup& front : content.fronts) {
    for (const Quantity& objective : front.objectives) add(objective);
  }
}

}  // namespace

void Sha256Input::numbers(std::span<const double> some) {
  std::array<double, 512> block{};
  while (!some.empty()) {
    const auto part = some.first(std::min(some.size(), block.size()));
    std::ranges::transform(part, block.begin(), [](double value) {
      return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
    });
    hash_.add_bytes(std::as_bytes(std::span{block}.first(part.size())));
    some = some.subspan(part.size());
  }
}

void tell_results(const Content& content, DigestInput& input) {
  Digest digest{input, "fairfront results 1"};
  digest.add("experiment", content.experiment);
  add_all(digest, "config", content.config, Part::identity);
  digest.add("revisions", content.revisions);
  add_datasets(digest, content.datasets);
  add_all(digest, "axes", content.axes, Part::identity);
  add_tasks(digest, content.tasks);
  add_metrics(digest, content.metrics);
  add_series(digest, content.series);
  add_solutions(digest, content.solutions);
  add_fronts(digest, content.fronts);
  add_merged(digest, content.merged);
}

void tell_measures(const Content& content, DigestInput& input) {
  Digest digest{input, "fairfront measures 1"};
  digest.add("measures", std::ssize(content.measures));
  for (const Measure& measure : content.measures) {
    add_fields(digest, "measure", measure.what, Part::identity);
    digest.add("parts", measure.parts);
    digest.add("groups", measure.groups);
    if (measure.at_groups != AtGroups::own) digest.add("at_groups", name_of(measure.at_groups));
    digest.add("values", measure.values);
  }
}

std::string results_digest(const Content& content) {
  Sha256Input input;
  tell_results(content, input);
  return input.digest();
}

std::string measures_digest(const Content& content) {
  Sha256Input input;
  tell_measures(content, input);
  return input.digest();
}

Digests digests_of(const Content& content) {
  return digests_of(content, results_digest(content), measures_digest(content));
}

Digests digests_of(const Content& content, std::string results, std::string measures) {
  Sha256Input input;
  Digest digest{input, "fairfront content 1"};
  digest.add("results", results);
  digest.add("measures", measures);
  add_fields(digest, "launch", content.provenance, Part::identity);
  add_all(digest, "datasets", content.datasets, Part::rest);
  for (const data::Provenance& dataset : content.datasets) digest.add("files", dataset.files);
  add_fields(digest, "tasks", content.tasks, Part::rest);
  add_fields(digest, "timing", content.timing, Part::rest);
  for (const Series& series : content.series) digest.add("seconds", series.seconds);
  add_prose(digest, content);
  return {std::move(results), std::move(measures), input.digest()};
}

std::string content_digest(const Content& content) { return digests_of(content).content; }

}  // namespace fairfront::results
