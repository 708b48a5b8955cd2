#include "solvers/common/control.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairfront::solvers {

Progress progress(std::string_view piece, std::int64_t done, std::int64_t total,
                  std::string_view details) {
  return {static_cast<double>(done) / static_cast<double>(total),
          fmt::format("{} {}/{}{}{}", piece, done, total, details.empty() ? "" : ", ", details), 0};
}

bool Heartbeat::is_due() noexcept {
  constexpr double between_looks = 2e-5;  // a look takes a thousandth of that
  constexpr double between_asks = 0.05;
  constexpr double most_growth = 2;
  constexpr std::int64_t most_calls = 1024;  // between asks
  constexpr std::int64_t most_stride = 128;  // between looks
  const Clock::time_point now = Clock::now();
  const auto since = [now](Clock::time_point before) {
    return std::chrono::duration<double>(now - before).count();
  };
  calls_ += step_;
  const double seconds = since(looked_);
  const double growth =
      seconds * most_growth > between_looks ? between_looks / seconds : most_growth;
  looked_ = now;
  stride_ = std::clamp(static_cast<std::int64_t>(static_cast<double>(stride_) * growth),
                       std::int64_t{1}, most_stride);
  const bool due = calls_ >= most_ || since(asked_) >= between_asks;
  if (due) {
    asked_ = now;
    calls_ = 0;
    most_ = std::min(2 * most_, most_calls);
  }
  step_ = std::min(stride_, most_ - calls_);
  left_ = step_;
  return due;
}

}  // namespace fairfront::solvers
