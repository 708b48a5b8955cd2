#include "sweep/archiving.hpp"

#include <variant>
#include <vector>

namespace fairfront::sweep {
namespace {

// Measured on a quiet machine (doc/measurements.md): 24 of labels, 33 of weights; most is deflate.
constexpr double seconds_per_byte = 28e-9;
constexpr double seconds_before_per_label_byte = 12e-9;

}  // namespace

double seconds_to_keep_labels(double bytes) {
  return (seconds_before_per_label_byte + seconds_per_byte) * bytes;
}

double seconds_to_archive(const results::TaskResult& result) {
  std::size_t bytes = 0;
  const auto add = [&bytes]<class T>(const std::vector<T>& values) {
    bytes += values.size() * sizeof(T);
  };
  for (const auto& [name, of_points] : result.solutions) {
    for (const results::SolutionValues& values : of_points) std::visit(add, values);
  }
  return seconds_per_byte * static_cast<double>(bytes);
}

}  // namespace fairfront::sweep
