/// @file
/// What handing out tasks costs: whole-process measurements with synthetic tasks, under mpirun.
///
///     mpirun -n 2 queue_bench                    tasks keep a core busy
///     mpirun -n 16 --oversubscribe queue_bench --sleep
///     mpirun --mca btl tcp,self ...              over TCP
///     ... --one-sided                            claims by MPI_Fetch_and_op instead of the queue
///     ... --smoke                                a few seconds, for CI
///
/// Every run checks that each task ran exactly once; the exit status says so.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "parallel/comm.hpp"
#include "parallel/task_queue.hpp"
#include "sweep/schedule.hpp"

namespace fairfront::bench {
namespace {

using parallel::Comm;
using parallel::Finished;
using parallel::QueueLoad;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Settings {
  bool sleep = false;
  bool one_sided = false;
  bool smoke = false;
  std::string only;   ///< name of the one scenario to run
  std::string times;  ///< prefix of the files for the measured seconds
};

/// Lengths of the tasks, longest first. Rank 0 claims before all others, so it has task 0.
struct Scenario {
  std::string name;
  std::vector<double> seconds;
};

/// Either way of claiming.
class Coordinator {
 public:
  virtual ~Coordinator() = default;
  virtual std::optional<std::int64_t> claim(const Finished& finished) = 0;
  virtual void finish() = 0;
  [[nodiscard]] virtual QueueLoad load() const { return {}; }
};

class QueueCoordinator : public Coordinator {
 public:
  QueueCoordinator(const Comm& world, const Scenario& scenario)
      : schedule_{costs_of(scenario)}, queue_{world, &schedule_, world.size()} {}
  std::optional<std::int64_t> claim(const Finished& finished) override {
    return queue_.claim(finished);
  }
  void finish() override { queue_.finish(); }
  [[nodiscard]] QueueLoad load() const override { return queue_.load(); }

 private:
  static std::vector<sweep::TaskCost> costs_of(const Scenario& scenario) {
    std::vector<sweep::TaskCost> costs;
    for (const double seconds : scenario.seconds) costs.push_back({0, seconds});
    return costs;
  }
  sweep::Schedule schedule_;
  parallel::TaskQueue queue_;
};

/// A counter in rank 0's memory: a fixed order, and no thread of ours.
class OneSidedCoordinator : public Coordinator {
 public:
  OneSidedCoordinator(const Comm& world, const Scenario& scenario)
      : comm_{world.get()}, tasks_{std::ssize(scenario.seconds)} {
    const MPI_Aint bytes = comm_.is_root() ? sizeof(std::int64_t) : 0;
    MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, comm_.get(), &counter_, &window_);
    if (comm_.is_root()) *counter_ = 0;
    MPI_Barrier(comm_.get());
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~OneSidedCoordinator() override { MPI_Win_free(&window_); }
  std::optional<std::int64_t> claim(const Finished&) override {
    const std::int64_t one = 1;
    std::int64_t task = 0;
    MPI_Fetch_and_op(&one, &task, MPI_INT64_T, 0, 0, MPI_SUM, window_);
    MPI_Win_flush(0, window_);
    if (task >= tasks_) return std::nullopt;
    return task;
  }
  void finish() override { MPI_Win_unlock_all(window_); }

 private:
  Comm comm_;
  std::int64_t tasks_;
  std::int64_t* counter_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// What one rank has seen.
struct Trace {
  std::vector<double> latencies;  ///< of the claims that got a task
  std::vector<std::int64_t> tasks;
  std::vector<double> seconds;  ///< of those tasks, as they took
  double begin = 0;             ///< after the barrier
  double end = 0;               ///< when it learnt that nothing is left
};

void run_task(double seconds, bool sleep) {
  const double end = now() + seconds;
  if (sleep) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  while (now() < end) {
  }
}

Trace run_rank(const Comm& world, const Scenario& scenario, Coordinator& coordinator, bool sleep) {
  Trace trace;
  Finished last;
  if (!world.is_root()) MPI_Barrier(world.get());
  trace.begin = now();
  for (bool first = true;; first = false) {
    const double asked = now();
    const auto task = coordinator.claim(last);
    const double begun = now();
    if (world.is_root() && first) MPI_Barrier(world.get());
    if (!task) break;
    run_task(scenario.seconds[static_cast<std::size_t>(*task)], sleep);
    last = {*task, now() - begun, false};
    trace.latencies.push_back(begun - asked);
    trace.tasks.push_back(*task);
    trace.seconds.push_back(last.seconds);
  }
  trace.end = now();
  return trace;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// All ranks' values on rank 0, in rank order. Collective.
std::vector<double> gather_all(const Comm& world, const std::vector<double>& mine) {
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(world.size()));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, world.get());
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::vector<double> all(static_cast<std::size_t>(std::reduce(counts.begin(), counts.end())));
  MPI_Gatherv(mine.data(), count, MPI_DOUBLE, all.data(), counts.data(), offsets.data(), MPI_DOUBLE,
              0, world.get());
  return all;
}

/// Whether each task ran exactly once, on rank 0. Collective.
bool each_ran_once(const Comm& world, const Scenario& scenario, const Trace& trace) {
  std::vector<int> runs(scenario.seconds.size());
  for (const std::int64_t task : trace.tasks) ++runs.at(static_cast<std::size_t>(task));
  MPI_Allreduce(MPI_IN_PLACE, runs.data(), static_cast<int>(runs.size()), MPI_INT, MPI_SUM,
                world.get());
  return std::all_of(runs.begin(), runs.end(), [](int count) { return count == 1; });
}

double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", 1e3 * seconds); }

void print_report(const Scenario& scenario, const QueueLoad& load, std::vector<double> latencies,
                  const std::vector<double>& waits, const std::vector<double>& tails, double wall) {
  std::sort(latencies.begin(), latencies.end());
  const auto share = [](const std::vector<double>& values) {
    return fmt::format("mean {:.2f} %, max {:.2f} %",
                       100 * sum(values) / static_cast<double>(values.size()),
                       100 * *std::max_element(values.begin(), values.end()));
  };
  fmt::print("{}: {} tasks in {:.3f} s, {:.0f} tasks/s\n", scenario.name, scenario.seconds.size(),
             wall, static_cast<double>(scenario.seconds.size()) / wall);
  fmt::print("  claims of ranks > 0: median {}, p99 {}, max {}\n",
             milliseconds(quantile(latencies, 0.5)), milliseconds(quantile(latencies, 0.99)),
             milliseconds(quantile(latencies, 1)));
  fmt::print("  idle while tasks remain: {}; after the last claim: {}\n", share(waits),
             share(tails));
  fmt::print("  service thread: {:.2f} % of rank 0's core, {:.1f} us for a claim\n",
             100 * load.cpu_seconds / wall,
             1e6 * load.cpu_seconds / static_cast<double>(std::max<std::int64_t>(load.claims, 1)));
  std::fflush(stdout);
}

void report(const Comm& world, const Scenario& scenario, const Trace& trace,
            const QueueLoad& load) {
  double wall = trace.end - trace.begin;
  MPI_Allreduce(MPI_IN_PLACE, &wall, 1, MPI_DOUBLE, MPI_MAX, world.get());
  const double own = trace.end - trace.begin;
  const auto waits = gather_all(world, {1 - sum(trace.seconds) / own});
  const auto tails = gather_all(world, {1 - own / wall});
  // Rank 0 asks itself: no message.
  const auto latencies =
      gather_all(world, world.is_root() ? std::vector<double>{} : trace.latencies);
  if (world.is_root()) print_report(scenario, load, latencies, waits, tails, wall);
}

void write_times(const Comm& world, const Settings& settings, const Scenario& scenario,
                 const Trace& trace) {
  const auto seconds = gather_all(world, trace.seconds);
  if (!world.is_root() || settings.times.empty()) return;
  std::ofstream file(settings.times + scenario.name + ".txt");
  for (const double value : seconds) file << value << '\n';
}

/// Collective. Whether the answer is right, on every rank.
bool run_scenario(const Comm& world, const Settings& settings, const Scenario& scenario) {
  std::unique_ptr<Coordinator> coordinator;
  if (settings.one_sided) {
    coordinator = std::make_unique<OneSidedCoordinator>(world, scenario);
  } else {
    coordinator = std::make_unique<QueueCoordinator>(world, scenario);
  }
  const Trace trace = run_rank(world, scenario, *coordinator, settings.sleep);
  coordinator->finish();
  report(world, scenario, trace, coordinator->load());
  write_times(world, settings, scenario, trace);
  const bool good = each_ran_once(world, scenario, trace);
  if (!good && world.is_root()) fmt::print("  WRONG: a task did not run exactly once\n");
  return good;
}

/// `count` lengths from `longest` down to `longest` / spread, even on a logarithmic scale.
std::vector<double> spread_lengths(std::size_t count, double longest, double spread) {
  std::vector<double> seconds(count);
  for (std::size_t i = 0; i < count; ++i) {
    seconds[i] = longest * std::pow(spread, -static_cast<double>(i) / static_cast<double>(count));
  }
  return seconds;
}

std::vector<Scenario> scenarios(const Settings& settings, int ranks) {
  const bool smoke = settings.smoke;
  const std::size_t short_tasks = smoke ? 500 : ranks > 2 ? 100'000 : 30'000;
  const double busy = smoke ? 0.5 : 10;
  Scenario root = {"busy_root", {busy}};
  const double others = 0.9 * busy * std::max(ranks - 1, 1);
  root.seconds.resize(1 + static_cast<std::size_t>(others / 0.02), 0.02);
  return {{"short", std::vector<double>(short_tasks, 1e-3)},
          {"spread", spread_lengths(smoke ? 50 : 200, smoke ? 0.05 : 0.2, 100)},
          root};
}

Settings read_settings(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--sleep") settings.sleep = true;
    if (word == "--one-sided") settings.one_sided = true;
    if (word == "--smoke") settings.smoke = true;
    if (word == "--only" && i + 1 < argc) settings.only = argv[++i];
    if (word == "--write-times" && i + 1 < argc) settings.times = argv[++i];
  }
  return settings;
}

int run_all(const Comm& world, const Settings& settings) {
  const char* transport = std::getenv("OMPI_MCA_btl");
  if (world.is_root()) {
    fmt::print("{} ranks, transport {}, {}, tasks {}\n", world.size(),
               transport == nullptr ? "chosen by MPI" : transport,
               settings.one_sided ? "one-sided claims" : "task queue",
               settings.sleep ? "sleep" : "keep a core busy");
  }
  bool good = true;
  for (const Scenario& scenario : scenarios(settings, world.size())) {
    if (!settings.only.empty() && settings.only != scenario.name) continue;
    good = run_scenario(world, settings, scenario) && good;
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace fairfront::bench

int main(int argc, char** argv) {
  const fairfront::parallel::Session session(argc, argv);
  const fairfront::parallel::Comm world(MPI_COMM_WORLD);
  return fairfront::bench::run_all(world, fairfront::bench::read_settings(argc, argv));
}
