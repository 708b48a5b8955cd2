#include "solvers/common/control.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairfront::solvers {

Progress progress(std::string_view piece, std::int64_t done, std::int64_t total,
                  std::string_view details) {
  return {static_cast<double>(done) / static_cast<double>(total),
          fmt::format("{} {}/{}{}{}", piece, done, total, details.empty() ? "" : ", ", details)};
}

void Heartbeat::rest() noexcept {
  constexpr double wanted_seconds = 0.05;
  constexpr double most_growth = 2;
  // A loop whose body gets dearer is not left alone for long, and a look costs next to nothing.
  constexpr std::int64_t most = 1024;
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  const double growth =
      seconds * most_growth > wanted_seconds ? wanted_seconds / seconds : most_growth;
  stride_ = std::clamp(static_cast<std::int64_t>(static_cast<double>(stride_) * growth),
                       std::int64_t{1}, most);
  left_ = stride_;
  last_ = now;
}

}  // namespace fairfront::solvers
