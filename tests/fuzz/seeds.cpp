// fuzz_seeds FOLDER: inputs that fuzzing begins with, of the kinds that are not text, as the
// program's own writers make them.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "archive/archive.hpp"
#include "archive/seal.hpp"
#include "fuzz/checkpoint_problem.hpp"
#include "journal/frame.hpp"
#include "journal/record.hpp"
#include "journal/sample.hpp"
#include "results/sample.hpp"
#include "solvers/clustering/front_state.hpp"

namespace {

using namespace fairfront;
using journal::Bytes;
namespace fs = std::filesystem;

void put(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream{path, std::ios::binary} << bytes;
}

std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

/// The bytes that a file of the journal has behind its frames' headers, or all of them.
std::string payload_of(const std::string& path, const std::string& kind) {
  const std::string bytes = journal::test::bytes_of(path);
  return bytes.substr(journal::kind_frame(kind).size() + journal::frame_header_bytes);
}

void write_journal_seeds(const fs::path& folder) {
  const auto seed = [&](const std::string& name, char what, const std::string& bytes) {
    put(folder / name, what + bytes);
  };
  for (std::uint64_t i = 0; i < 8; ++i) {
    Bytes frame;
    journal::write_record_frame(journal::test::random_record(i), frame);
    const std::string payload = text_of(frame).substr(journal::frame_header_bytes);
    seed("record-" + std::to_string(i), 0, payload);
    seed("framed-" + std::to_string(i), 2, payload);
  }
  const journal::test::TestJournal sample;
  sample.write({journal::test::small_record(1), journal::test::random_record(3)});
  seed("log", 1, journal::test::bytes_of(sample.log()));
  const auto file = [&](const char* name) { return sample.path() + "/" + name; };
  seed("header", 3, payload_of(file("header"), "header"));
  seed("header-file", 5, journal::test::bytes_of(file("header")));
  journal::write_heartbeat(sample.path(),
                           {1e9, "node",  1, 2,   "3", 4,   5,     6,   0,        0,
                            7.5, "known", 3, 4.5, 2.5, {1}, {0.5}, {2}, {"task"}, "running"});
  seed("heartbeat", 4, payload_of(file("heartbeat"), "heartbeat"));
  journal::write_checkpoint(sample.path(), "key", "state");
  seed("checkpoint-file", 6, journal::test::bytes_of(file("key.checkpoint")));
}

void write_checkpoint_seeds(const fs::path& folder) {
  const clustering::Problem& problem = fuzz::checkpoint_problem();
  int states = 0;
  const auto save = [&](const std::string& state) {
    put(folder / ("ladder-" + std::to_string(states++)), '\0' + state);
  };
  static_cast<void>(clustering::balance_ladder(
      problem, fuzz::ladder_options(), 1, "fuzz",
      {.request = [] { return solvers::Request::checkpoint; }, .save = save}));
  clustering::FrontState state;
  state.iteration = 1;
  state.trace = {{0, 1, 0.5}, {1, 2, 0.75}};
  state.list = pareto::Points(2);
  for (std::uint64_t i = 0; i < 2; ++i) {
    state.list.add(std::vector<double>{1.0 + static_cast<double>(i), 0.5}, i);
    state.labels.emplace_back(static_cast<std::size_t>(problem.points()), '\1');
  }
  put(folder / "front", '\3' + clustering::pack_state(state));
}

void write_archive_seeds(const fs::path& folder) {
  for (const std::size_t tasks : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
    const std::string path = (folder / std::to_string(tasks)).string();
    fs::create_directories(folder);
    archive::write(path, results::test::random_content(7 + tasks, tasks), true);
    put(path, journal::test::bytes_of(path).substr(archive::seal_bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path folder = argv[1];
  write_journal_seeds(folder / "journal");
  write_checkpoint_seeds(folder / "checkpoint");
  write_archive_seeds(folder / "archive");
}
