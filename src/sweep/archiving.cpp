#include "sweep/archiving.hpp"

#include <variant>
#include <vector>

namespace fairfront::sweep {
namespace {

// Measured (doc/measurements.md) for labels and for weights; what is shared is mostly deflate.
constexpr double seconds_per_byte_of_one_rank = 4e-9;
constexpr double seconds_per_shared_byte = 24e-9;
constexpr double seconds_before_per_label_byte = 12e-9;
constexpr double seconds_per_record_of_one_rank = 2e-5;
constexpr double seconds_per_shared_record = 2e-4;

}  // namespace

double bytes_to_archive(const results::TaskResult& result) {
  std::size_t bytes = 0;
  const auto add = [&bytes]<class T>(const std::vector<T>& values) {
    bytes += values.size() * sizeof(T);
  };
  for (const auto& [name, of_points] : result.solutions) {
    for (const results::SolutionValues& values : of_points) std::visit(add, values);
  }
  return static_cast<double>(bytes);
}

double seconds_to_archive(double bytes, int ranks) {
  return bytes * (seconds_per_byte_of_one_rank + seconds_per_shared_byte / ranks);
}

double seconds_to_archive(const results::TaskResult& result, int ranks) {
  return seconds_to_archive(bytes_to_archive(result), ranks) + seconds_per_record_of_one_rank +
         seconds_per_shared_record / ranks;
}

double seconds_to_keep_labels(double bytes, int ranks) {
  return seconds_before_per_label_byte * bytes + seconds_to_archive(bytes, ranks);
}

}  // namespace fairfront::sweep
