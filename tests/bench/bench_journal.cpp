// What a journal costs a run: appending, committing, and reading 100,000 tasks again.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "archive/archive.hpp"
#include "journal/journal.hpp"

namespace {

using namespace fairfront::journal;
using namespace fairfront::results;

constexpr std::int64_t sweep_tasks = 100'000;
constexpr std::size_t series_length = 100;

// Values that do not repeat, so that nothing compresses by accident.
double mixed(std::uint64_t i) {
  i = (i ^ i >> 31) * 0x7fb5d329728ea185;
  i = (i ^ i >> 27) * 0x81dadef4bc2dd44d;
  return static_cast<double>(i >> 11) * 0x1p-53;
}

std::string key_of(std::uint64_t task) {
  std::string key = std::to_string(task);
  key.insert(0, 64 - key.size(), 'f');  // as long as a SHA-256
  return key;
}

// Ten metrics and one series.
TaskRecord small_record(std::uint64_t task) {
  TaskRecord record;
  record.key = key_of(task);
  record.status = TaskStatus::done;
  record.seconds = 0.01;
  for (std::uint64_t i = 0; i < 10; ++i) {
    record.result.metrics["metric number " + std::to_string(i)] = mixed(16 * task + i);
  }
  Trajectory& series = record.result.series["objective"];
  for (std::uint64_t step = 0; step < series_length; ++step) {
    series.steps.push_back(static_cast<std::int64_t>(step));
    series.values.push_back(mixed(1000 * task + step));
  }
  return record;
}

TaskRecord metrics_only(std::uint64_t task) {
  TaskRecord record = small_record(task);
  record.result.series.clear();
  return record;
}

// A front of 300 points with 5,000 labels each.
TaskRecord large_record(std::uint64_t task) {
  TaskRecord record = small_record(task);
  auto& labels = record.result.solutions["labels"];
  for (std::uint64_t point = 0; point < 300; ++point) {
    std::vector<std::uint8_t> values(5000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::uint8_t>(10 * mixed(5000 * point + i));
    }
    labels.emplace_back(std::move(values));
    record.result.front.points.insert(record.result.front.points.end(),
                                      {mixed(point), mixed(point + 1)});
  }
  return record;
}

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "fairfront-bench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string journal() const { return path_ + "/a.h5.journal"; }
  std::string archive() const { return path_ + "/a.h5"; }

 private:
  std::string path_;
};

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// The journal that the reading benchmarks share, as four ranks would leave it.
const Folder& sweep() {
  static const Folder folder;
  return folder;
}

void append(benchmark::State& state, TaskRecord (*make)(std::uint64_t)) {
  const Folder folder;
  create_journal(folder.journal(), {});
  JournalWriter writer{folder.journal(), 0, 0};
  TaskRecord record = make(1);
  std::int64_t number = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (auto _ : state) {
    record.key = key_of(static_cast<std::uint64_t>(++number));
    writer.append(record);
  }
  const auto elapsed = std::chrono::steady_clock::now() - begin;
  writer.close();
  const JournalContents contents = read_journal(folder.journal());
  if (contents.records.size() != static_cast<std::size_t>(number) ||
      contents.records.back().result != record.result) {
    state.SkipWithError("the records are not there");
  }
  state.counters["bytes"] = static_cast<double>(contents.bytes / number);
  const double per_record =
      std::chrono::duration<double>(elapsed).count() / static_cast<double>(number);
  state.counters["percent_of_a_10_ms_task"] = 100 * per_record / 0.01;
}
BENCHMARK_CAPTURE(append, metrics, metrics_only)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(append, series, small_record)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(append, front, large_record)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(200);

void commit(benchmark::State& state) {
  const Folder folder;
  create_journal(folder.journal(), {});
  JournalWriter writer{folder.journal(), 0, 0};
  const TaskRecord record = small_record(1);
  for (auto _ : state) {
    for (std::int64_t i = 0; i < state.range(0); ++i) writer.append(record);
    writer.commit();
    if (writer.synced() != writer.appended()) state.SkipWithError("not everything was synced");
  }
}
BENCHMARK(commit)->Arg(1)->Arg(64)->UseRealTime()->Unit(benchmark::kMicrosecond);

void write_sweep(benchmark::State& state) {
  for (auto _ : state) {
    create_journal(sweep().journal(), {});
    std::vector<std::unique_ptr<JournalWriter>> ranks;
    for (int rank = 0; rank < 4; ++rank) {
      ranks.push_back(std::make_unique<JournalWriter>(sweep().journal(), 0, rank));
    }
    for (std::uint64_t task = 0; task < sweep_tasks; ++task) {
      ranks[task % 4]->append(small_record(task));
    }
    for (auto& rank : ranks) rank->close();
  }
}
BENCHMARK(write_sweep)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

void read_sweep(benchmark::State& state, bool results) {
  for (auto _ : state) {
    const JournalContents contents = read_journal(sweep().journal(), results);
    if (contents.records.size() != sweep_tasks || !contents.warnings.empty()) {
      state.SkipWithError("the records are not there");
    }
    const auto& last = contents.records.back();
    if (results ? last.result != small_record(sweep_tasks - 1).result
                : last.key != key_of(sweep_tasks - 1)) {
      state.SkipWithError("the records are wrong");
    }
    state.counters["MiB"] = static_cast<double>(contents.bytes) / (1 << 20);
  }
  state.counters["peak_MiB"] = peak_mebibytes();
}
BENCHMARK_CAPTURE(read_sweep, heads, false)
    ->Iterations(3)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_sweep, full, true)
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// As the sweep layer does it: each record is given away once its numbers are in the columns.
Content content_of(std::vector<TaskRecord> records) {
  Content content;
  content.experiment = "benchmark";
  content.series = {
      {{"objective", "d", "1", Direction::minimise, "s"}, "iteration", {0}, {}, {}, {}}};
  for (TaskRecord& record : records) {
    content.tasks.key.push_back(std::move(record.key));
    content.timing.started.push_back(record.started);
    content.timing.seconds.push_back(record.seconds);
    for (const auto& entry : record.result.metrics) {
      const auto& [name, value] = entry;
      const auto same = [&](const Metric& metric) { return metric.what.name == entry.first; };
      auto found = std::find_if(content.metrics.begin(), content.metrics.end(), same);
      if (found == content.metrics.end()) {
        content.metrics.push_back({{name, "d", "1", Direction::minimise, "s"}, {}});
        found = content.metrics.end() - 1;
      }
      found->values.push_back(value);
    }
    Series& series = content.series[0];
    const Trajectory trajectory = std::move(record.result.series["objective"]);
    series.steps.insert(series.steps.end(), trajectory.steps.begin(), trajectory.steps.end());
    series.values.insert(series.values.end(), trajectory.values.begin(), trajectory.values.end());
    series.offsets.push_back(static_cast<std::int64_t>(series.values.size()));
    record = {};
  }
  const std::size_t tasks = content.tasks.key.size();
  content.tasks.method.assign(tasks, "method");
  content.tasks.problem.assign(tasks, 0);
  content.tasks.configuration.assign(tasks, 0);
  content.tasks.curve.assign(tasks, 0);
  content.tasks.status.assign(tasks, TaskStatus::done);
  content.tasks.message.assign(tasks, "");
  content.tasks.model.assign(tasks, "");
  content.timing.rank.assign(tasks, 0);
  content.timing.attempt.assign(tasks, 1);
  return content;
}

void build_archive(benchmark::State& state) {
  for (auto _ : state) {
    Content content = content_of(read_journal(sweep().journal()).records);
    fairfront::archive::write(sweep().archive(), content, true);
    if (content.series[0].values.size() != sweep_tasks * series_length) {
      state.SkipWithError("values are missing");
    }
  }
  state.counters["peak_MiB"] = peak_mebibytes();
}
BENCHMARK(build_archive)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
