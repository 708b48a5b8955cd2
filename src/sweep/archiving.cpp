#include "sweep/archiving.hpp"

#include <variant>
#include <vector>

namespace fairfront::sweep {
namespace {

// Measured (doc/measurements.md): labels are deflated, numbers are not.
constexpr double seconds_per_label_byte = 24e-9;
constexpr double seconds_before_per_label_byte = 12e-9;
constexpr double seconds_per_number_byte = 6e-9;

}  // namespace

double seconds_to_keep_labels(double bytes) {
  return (seconds_before_per_label_byte + seconds_per_label_byte) * bytes;
}

double seconds_to_archive(const results::TaskResult& result) {
  double seconds = 0;
  const auto add = [&]<class T>(const std::vector<T>& values) {
    constexpr bool is_label = !std::is_same_v<T, double>;
    seconds += (is_label ? seconds_per_label_byte : seconds_per_number_byte) *
               static_cast<double>(values.size() * sizeof(T));
  };
  for (const auto& [name, of_points] : result.solutions) {
    for (const results::SolutionValues& values : of_points) std::visit(add, values);
  }
  return seconds;
}

}  // namespace fairfront::sweep
