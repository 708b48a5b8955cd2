#include "count_notice.hpp"

#include <utility>

#include "output.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::chrono::seconds first_count{5};
constexpr std::chrono::seconds between_counts{10};

}  // namespace

CountNotice::CountNotice(std::string did)
    : did_(std::move(did)), due_(Clock::now() + first_count) {}

void CountNotice::operator()(std::size_t done, std::size_t all) {
  const Clock::time_point now = Clock::now();
  if (now < due_) return;
  due_ = now + between_counts;
  log("fairfront: {} of {} {}\n", done, all, did_);
}

}  // namespace fairfront::drivers
