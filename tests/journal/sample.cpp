#include "journal/sample.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <random>
#include <type_traits>
#include <variant>

#include "journal/file.hpp"
#include "results/content.hpp"
#include "results/sweep_identity.hpp"
#include "results/task_record.hpp"

namespace fairfront::journal::test {
namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : engine_{seed} {}

  results::TaskRecord make() {
    results::TaskRecord record;
    record.key = fmt::format("{:016x}", engine_());
    record.started = std::ldexp(1.0, static_cast<int>(below(100)) - 50);
    record.seconds = std::ldexp(1.0, static_cast<int>(below(100)) - 50);
    record.rank = static_cast<std::int32_t>(below(1u << 31));
    record.attempt = static_cast<std::int32_t>(below(5));
    record.status = below(4) == 0 ? results::TaskStatus::failed : results::TaskStatus::done;
    if (record.status == results::TaskStatus::failed) {
      record.message = text();
    } else {
      record.result = result();
      record.model = text();
    }
    return record;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  std::string text() {
    static const std::vector<std::string> pieces{
        "a", "β≤1", "\n", std::string(1, '\0'), "\xff", "a long piece of text; "};
    std::string text;
    for (auto i = below(5); i-- > 0;) text += pieces[below(pieces.size())];
    return text;
  }
  double number() { return std::bit_cast<double>(engine_()); }  // NaN payloads included
  template <class Number>
  std::vector<Number> numbers() {
    static constexpr double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
    std::vector<Number> values(below(6));
    for (Number& value : values) {
      if constexpr (std::is_same_v<Number, double>) {
        value = below(2) == 0 ? special[below(5)] : number();
      } else {
        value = static_cast<Number>(engine_());
      }
    }
    return values;
  }
  results::SolutionValues solution() {
    switch (below(3)) {
      case 0:
        return numbers<std::uint8_t>();
      case 1:
        return numbers<std::uint16_t>();
      default:
        return numbers<double>();
    }
  }
  results::TaskResult result() {
    results::TaskResult result;
    for (auto i = below(4); i-- > 0;) result.metrics[text()] = number();
    for (auto i = below(3); i-- > 0;) {
      result.series[text()] = {numbers<std::int64_t>(), numbers<double>()};
    }
    for (auto i = below(3); i-- > 0;) {
      auto& solutions = result.solutions[text()];
      for (auto j = below(4); j-- > 0;) solutions.push_back(solution());
    }
    result.front = {numbers<double>(), numbers<double>(), number()};
    // The one number that is no part of a byte string: as such, CBOR has but one NaN.
    if (std::isnan(result.front.hypervolume)) result.front.hypervolume = NAN;
    for (auto i = below(4); i-- > 0;) {
      result.measured[text()][{text(), text()}] = {number(), number(), number()};
    }
    return result;
  }

  std::mt19937_64 engine_;
};

class BitPrinter {
 public:
  void add(const std::string& text) { out_ += fmt::format("'{}'{} ", text, text.size()); }
  void add(double value) { out_ += fmt::format("{:016x} ", std::bit_cast<std::uint64_t>(value)); }
  template <class Number>
  void add(const std::vector<Number>& values) {
    out_ += fmt::format("[{}:{} ", sizeof(Number), values.size());
    for (const Number value : values) {
      if constexpr (std::is_same_v<Number, double>) {
        add(value);
      } else {
        out_ += fmt::format("{} ", value);
      }
    }
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace

results::TaskRecord random_record(std::uint64_t seed) { return Maker{seed}.make(); }

results::TaskRecord small_record(std::uint64_t number, std::size_t bytes) {
  results::TaskRecord record;
  record.key = fmt::format("key {}", number);
  record.status = results::TaskStatus::done;
  record.attempt = 2;
  record.result.metrics["error"] = static_cast<double>(number);
  record.result.solutions["labels"].emplace_back(
      std::vector<std::uint8_t>(bytes, static_cast<std::uint8_t>(number)));
  return record;
}

std::string bits_of(const results::TaskRecord& record) {
  BitPrinter printer;
  printer.add(record.key);
  printer.add(record.message);
  printer.add(record.model);
  printer.add(std::to_string(static_cast<int>(record.status)));
  printer.add(record.started);
  printer.add(record.seconds);
  printer.add(std::vector{record.rank, record.attempt});
  for (const auto& [name, value] : record.result.metrics) {
    printer.add("metric " + name);
    printer.add(value);
  }
  for (const auto& [name, by_rows] : record.result.measured) {
    for (const auto& [rows, measured] : by_rows) {
      printer.add("measure " + name);
      printer.add(rows.part);
      printer.add(rows.group);
      for (const double end : {measured.value, measured.low, measured.high}) printer.add(end);
    }
  }
  for (const auto& [name, trajectory] : record.result.series) {
    printer.add("series " + name);
    printer.add(trajectory.steps);
    printer.add(trajectory.values);
  }
  for (const auto& [name, solutions] : record.result.solutions) {
    printer.add("solutions " + name);
    for (const auto& solution : solutions) {
      std::visit([&](const auto& values) { printer.add(values); }, solution);
    }
  }
  printer.add(record.result.front.points);
  printer.add(record.result.front.reference);
  printer.add(record.result.front.hypervolume);
  return printer.take();
}

std::vector<std::string> bits_of(const std::vector<results::TaskRecord>& records) {
  std::vector<std::string> bits;
  for (const results::TaskRecord& record : records) bits.push_back(bits_of(record));
  return bits;
}

results::SweepIdentity sample_header() {
  results::SweepIdentity header;
  header.experiment = "clustering";
  header.config = {{"run", "experiment", "clustering"}, {"kmeans", "clusters", "3"}};
  header.axes = {{"kmeans.seed", base::Role::replicate, {"1", "2", "3"}}};
  header.datasets = {
      {"adult", "UCI", {"adult.data"}, {"00ff"}, 32561, "all columns", "digest", "{}"}};
  header.revisions = {"kmeans=1", "safair=2"};
  header.tasks = 3;
  header.program_version = "0.1.0";
  header.sweep_digest = results::sweep_digest_of(header);
  return header;
}

std::string TestJournal::log(int launch, int rank) const {
  return journal_file(path_, log_name(launch, rank));
}

void TestJournal::write(const std::vector<results::TaskRecord>& records, int launch,
                        int rank) const {
  JournalWriter writer{path_, launch, rank};
  for (const results::TaskRecord& record : records) writer.append(record);
  writer.close();
}

}  // namespace fairfront::journal::test
