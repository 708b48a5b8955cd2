#include "sweep/deal_out.hpp"

#include <cstdint>
#include <optional>

#include "parallel/task_queue.hpp"

namespace fairfront::sweep {
namespace {

class PieceSource final : public parallel::TaskSource {
 public:
  explicit PieceSource(std::size_t count) : count_{static_cast<std::int64_t>(count)} {}
  std::optional<std::int64_t> next(const parallel::Finished& /*finished*/) override {
    if (next_ >= count_) return std::nullopt;
    return next_++;
  }
  void withdraw(const parallel::Finished& /*finished*/) override { next_ = count_; }

 private:
  std::int64_t count_;
  std::int64_t next_ = 1;  // piece 0 is rank 0's
};

}  // namespace

void deal_out(const parallel::Comm& world, std::size_t count,
              const std::function<bool(std::size_t piece)>& work) {
  PieceSource source(count);
  parallel::TaskQueue queue(world, world.is_root() ? &source : nullptr, world.size());
  std::optional<std::int64_t> piece = world.is_root() && count > 0 ? 0 : queue.claim({});
  while (piece) {
    if (!work(static_cast<std::size_t>(*piece))) {
      queue.withdraw();
      break;
    }
    piece = queue.claim({.task = *piece});
  }
  queue.finish();
}

}  // namespace fairfront::sweep
