#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <variant>

#include "archive/archive.hpp"
#include "base/sha256.hpp"

namespace fairfront::archive {
namespace {

// Every field goes in as its tag and then its value, both with their lengths in front, so that no
// two different contents hash the same bytes.
class Digest {
 public:
  explicit Digest(std::string_view what) { hash_.add_text(what); }

  void add(std::string_view tag, std::string_view text) {
    hash_.add_text(tag);
    hash_.add_text(text);
  }
  void add(std::string_view tag, std::int64_t number) {
    hash_.add_text(tag);
    hash_.add_values(std::span<const std::int64_t>{&number, 1});
  }
  void add(std::string_view tag, const std::vector<std::string>& texts) {
    add(tag, std::ssize(texts));
    for (const std::string& text : texts) hash_.add_text(text);
  }
  void add(std::string_view tag, const std::vector<TaskStatus>& values) {
    hash_.add_text(tag);
    std::vector<std::uint8_t> codes;
    codes.reserve(values.size());
    for (const TaskStatus value : values) codes.push_back(static_cast<std::uint8_t>(value));
    hash_.add_values(std::span<const std::uint8_t>{codes});
  }
  template <class T>
  requires std::is_integral_v<T>
  void add(std::string_view tag, const std::vector<T>& values) {
    hash_.add_text(tag);
    hash_.add_values(std::span<const T>{values});
  }
  // One bit pattern for every NaN: which one a processor makes is not a result.
  void add(std::string_view tag, const std::vector<double>& values) {
    add(tag, std::ssize(values));
    std::array<double, 512> block{};
    std::size_t filled = 0;
    for (const double value : values) {
      block[filled++] = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
      if (filled == block.size()) flush(block, filled);
    }
    flush(block, filled);
  }
  [[nodiscard]] std::string finish() { return hash_.finish(); }

 private:
  void flush(const std::array<double, 512>& block, std::size_t& filled) {
    hash_.add_bytes(std::as_bytes(std::span{block}.first(filled)));
    filled = 0;
  }
  base::Sha256 hash_;
};

void add_quantity(Digest& digest, const Quantity& what) {
  digest.add("name", what.name);
  digest.add("definition", what.definition);
  digest.add("unit", what.unit);
  digest.add("direction", static_cast<std::int64_t>(what.direction));
  digest.add("source", what.source);
}

void add_config(Digest& digest, const std::vector<ConfigEntry>& config) {
  digest.add("config", std::ssize(config));
  for (const ConfigEntry& entry : config) {
    digest.add("section", entry.section);
    digest.add("key", entry.key);
    digest.add("value", entry.value);
  }
}

void add_merged(Digest& digest, const std::vector<MergedFront>& all) {
  digest.add("merged", std::ssize(all));
  for (const MergedFront& merged : all) {
    digest.add("name", merged.name);
    digest.add("offsets", merged.offsets);
    digest.add("point", merged.point);
    digest.add("reference", merged.reference);
    digest.add("hypervolume", merged.hypervolume);
  }
}

void add_datasets(Digest& digest, const std::vector<data::Provenance>& datasets) {
  digest.add("datasets", std::ssize(datasets));
  for (const data::Provenance& dataset : datasets) {
    digest.add("name", dataset.name);
    digest.add("sha256", dataset.sha256);
    digest.add("recipe", dataset.recipe);
    digest.add("digest", dataset.digest);
  }
}

void add_axes(Digest& digest, const std::vector<Axis>& axes) {
  digest.add("axes", std::ssize(axes));
  for (const Axis& axis : axes) {
    digest.add("name", axis.name);
    digest.add("values", axis.values);
  }
}

void add_tasks(Digest& digest, const TaskTable& tasks) {
  digest.add("key", tasks.key);
  digest.add("method", tasks.method);
  digest.add("problem", tasks.problem);
  digest.add("axis_index", std::ssize(tasks.axis_index));
  for (const auto& column : tasks.axis_index) digest.add("index", column);
  digest.add("status", tasks.status);
  digest.add("message", tasks.message);
}

void add_metrics(Digest& digest, const std::vector<Metric>& metrics) {
  digest.add("metrics", std::ssize(metrics));
  for (const Metric& metric : metrics) {
    add_quantity(digest, metric.what);
    digest.add("values", metric.values);
  }
}

void add_series(Digest& digest, const std::vector<Series>& all) {
  digest.add("series", std::ssize(all));
  for (const Series& series : all) {
    add_quantity(digest, series.what);
    digest.add("step_name", series.step_name);
    digest.add("offsets", series.offsets);
    digest.add("steps", series.steps);
    digest.add("values", series.values);
  }
}

void add_solutions(Digest& digest, const std::vector<Solutions>& all) {
  digest.add("solutions", std::ssize(all));
  for (const Solutions& solutions : all) {
    add_quantity(digest, solutions.what);
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
    digest.add("objectives", std::ssize(front.objectives));
    for (const Quantity& objective : front.objectives) add_quantity(digest, objective);
    digest.add("offsets", front.offsets);
    digest.add("points", front.points);
    digest.add("task", front.task);
    digest.add("solution", front.solution);
    digest.add("solutions_name", front.solutions_name);
    digest.add("reference", front.reference);
    digest.add("hypervolume", front.hypervolume);
  }
}

void add_provenance(Digest& digest, const Provenance& provenance) {
  digest.add("program_version", provenance.program_version);
  digest.add("git_revision", provenance.git_revision);
  digest.add("git_dirty", std::int64_t{provenance.git_dirty});
  digest.add("compiler", provenance.compiler);
  digest.add("compiler_flags", provenance.compiler_flags);
  digest.add("libraries", provenance.libraries);
  digest.add("created", provenance.created);
  digest.add("hosts", provenance.hosts);
  digest.add("ranks", provenance.ranks);
  digest.add("team_size", provenance.team_size);
  digest.add("command_line", provenance.command_line);
  digest.add("slurm", provenance.slurm);
}

void add_dataset_origins(Digest& digest, const std::vector<data::Provenance>& datasets) {
  for (const data::Provenance& dataset : datasets) {
    digest.add("source", dataset.source);
    digest.add("files", dataset.files);
    digest.add("file_rows", dataset.file_rows);
  }
}

}  // namespace

std::string results_digest(const Content& content) {
  Digest digest{"fairfront results 1"};
  digest.add("experiment", content.experiment);
  add_config(digest, content.config);
  digest.add("revisions", content.revisions);
  add_datasets(digest, content.datasets);
  add_axes(digest, content.axes);
  add_tasks(digest, content.tasks);
  add_metrics(digest, content.metrics);
  add_series(digest, content.series);
  add_solutions(digest, content.solutions);
  add_fronts(digest, content.fronts);
  add_merged(digest, content.merged);
  return digest.finish();
}

std::string content_digest(const Content& content) {
  Digest digest{"fairfront content 1"};
  digest.add("results", results_digest(content));
  add_provenance(digest, content.provenance);
  add_dataset_origins(digest, content.datasets);
  digest.add("seconds", content.timing.seconds);
  digest.add("rank", content.timing.rank);
  digest.add("attempt", content.timing.attempt);
  return digest.finish();
}

}  // namespace fairfront::archive
