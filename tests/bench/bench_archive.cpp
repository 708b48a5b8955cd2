#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "archive/archive.hpp"

namespace {

using namespace fairfront::archive;
using namespace fairfront::results;

// Values that do not repeat, so that nothing compresses by accident.
double mixed(std::uint64_t i) {
  i = (i ^ i >> 31) * 0x7fb5d329728ea185;
  i = (i ^ i >> 27) * 0x81dadef4bc2dd44d;
  return static_cast<double>(i >> 11) * 0x1p-53;
}

Quantity named(const std::string& name) { return {name, "d", "1", Direction::minimise, "s"}; }

std::string key_of(std::uint64_t task) {
  std::string key(64, '0');
  for (std::size_t i = 0; i < 64; ++i) {
    key[i] = "0123456789abcdef"[static_cast<std::size_t>(mixed(task * 64 + i) * 16)];
  }
  return key;
}

Series series_of(const std::string& name, std::size_t tasks, std::size_t length) {
  Series series{named(name), "iteration", {0}, {}, {}, {}};
  for (std::size_t task = 0; task < tasks; ++task) {
    series.offsets.push_back(series.offsets.back() + static_cast<std::int64_t>(length));
    for (std::size_t step = 0; step < length; ++step) {
      series.steps.push_back(static_cast<std::int64_t>(step));
      series.values.push_back(mixed(task * length + step));
    }
  }
  return series;
}

Content sweep_of(std::size_t tasks, std::size_t metrics, std::size_t series_length) {
  Content content;
  content.experiment = "benchmark";
  content.axes = {
      {"method.seed", fairfront::base::Role::replicate, std::vector<std::string>(tasks, "1")}};
  content.tasks.axis_index.resize(1);
  for (std::size_t task = 0; task < tasks; ++task) {
    content.tasks.key.push_back(key_of(task));
    content.tasks.axis_index[0].push_back(static_cast<std::int32_t>(task));
    content.timing.started.push_back(mixed(task));
    content.timing.seconds.push_back(mixed(task));
  }
  content.tasks.method.assign(tasks, "method");
  content.tasks.problem.assign(tasks, 0);
  content.tasks.configuration.assign(tasks, 0);
  content.tasks.curve.assign(tasks, 0);
  content.tasks.status.assign(tasks, TaskStatus::done);
  content.tasks.message.assign(tasks, "");
  content.tasks.model.assign(tasks, "");
  content.timing.rank.assign(tasks, 0);
  content.timing.attempt.assign(tasks, 1);
  for (std::size_t m = 0; m < metrics; ++m) {
    Metric metric{named("metric " + std::to_string(m)), {}};
    for (std::size_t i = 0; i < tasks; ++i) metric.values.push_back(mixed(m * tasks + i));
    content.metrics.push_back(std::move(metric));
  }
  if (series_length > 0) content.series = {series_of("objective", tasks, series_length)};
  return content;
}

Content labels_of(std::size_t solutions, std::size_t rows) {
  Content content = sweep_of(1, 0, 0);
  std::vector<std::uint8_t> labels(solutions * rows);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<std::uint8_t>(mixed(i) * 10);
  }
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i <= solutions; ++i) {
    offsets.push_back(static_cast<std::int64_t>(i * rows));
  }
  content.solutions = {{named("labels"), std::vector<std::int64_t>(solutions, 0),
                        std::move(offsets), std::move(labels)}};
  return content;
}

std::size_t bytes_in(const Content& content) {
  std::size_t bytes = content.tasks.key.size() * (64 + 6 + 4 + 1 + 8 + 4 + 4);
  for (const Metric& metric : content.metrics) bytes += metric.values.size() * 8;
  for (const Series& series : content.series) bytes += series.values.size() * 16;
  for (const Solutions& solutions : content.solutions) {
    bytes += std::visit([](const auto& v) { return v.size() * sizeof(v[0]); }, solutions.values);
  }
  return bytes;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

class Target {
 public:
  Target()
      : path_{std::filesystem::temp_directory_path() /
              ("fairfront-bench-" + std::to_string(::getpid()) + ".h5")} {}
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  ~Target() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string name() const { return path_.string(); }
  [[nodiscard]] double megabytes() const {
    return static_cast<double>(std::filesystem::file_size(path_)) / 1e6;
  }

 private:
  std::filesystem::path path_;
};

void report(benchmark::State& state, const Content& content, const Target& target) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes_in(content)));
  state.counters["content_MB"] = static_cast<double>(bytes_in(content)) / 1e6;
  state.counters["file_MB"] = target.megabytes();
  state.counters["peak_MiB"] = peak_megabytes();
}

void measure_write(benchmark::State& state, const Content& content) {
  const Target target;
  for (auto _ : state) write(target.name(), content, true);
  if (results_digest(read(target.name()).content) != results_digest(content)) {
    state.SkipWithError("what was read back differs");
  }
  report(state, content, target);
}

void measure_read(benchmark::State& state, const Content& content) {
  const Target target;
  write(target.name(), content, true);
  std::string digest;
  for (auto _ : state) {
    const Stored stored = read(target.name());
    state.PauseTiming();
    digest = results_digest(stored.content);
    state.ResumeTiming();
  }
  if (digest != results_digest(content)) state.SkipWithError("what was read back differs");
  report(state, content, target);
}

void measure_verify(benchmark::State& state, const Content& content) {
  const Target target;
  write(target.name(), content, true);
  for (auto _ : state) {
    if (!verify(target.name()).empty()) state.SkipWithError("a sound archive was found damaged");
  }
  report(state, content, target);
}

// 100,000 tasks, 10 metrics, one series of 100 points a task.
void BM_WriteSweep(benchmark::State& state) { measure_write(state, sweep_of(100'000, 10, 100)); }
void BM_ReadSweep(benchmark::State& state) { measure_read(state, sweep_of(100'000, 10, 100)); }
void BM_VerifySweep(benchmark::State& state) { measure_verify(state, sweep_of(100'000, 10, 100)); }
// A front of 1,000 clusterings of 50,000 rows into 10 clusters.
void BM_WriteLabels(benchmark::State& state) { measure_write(state, labels_of(1'000, 50'000)); }
void BM_ReadLabels(benchmark::State& state) { measure_read(state, labels_of(1'000, 50'000)); }

BENCHMARK(BM_WriteLabels)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_ReadLabels)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_WriteSweep)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_ReadSweep)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_VerifySweep)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
