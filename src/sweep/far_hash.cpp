#include "sweep/far_hash.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace fairfront::sweep {
namespace {

enum : int { bytes_kind, numbers_kind };

/// Tells another rank.
class FarInput : public results::DigestInput {
 public:
  explicit FarInput(parallel::Teller& teller) : teller_{teller} {}
  void bytes(std::span<const std::byte> some) override { teller_.tell(bytes_kind, some); }
  void numbers(std::span<const double> some) override {
    teller_.tell(numbers_kind, std::as_bytes(some));
  }

 private:
  parallel::Teller& teller_;
};

class HashingListener : public parallel::Listener {
 public:
  void take(int kind, std::span<const std::byte> bytes) override {
    if (kind == bytes_kind) return input_.bytes(bytes);
    const auto* const numbers = reinterpret_cast<const double*>(bytes.data());
    input_.numbers({numbers, bytes.size() / sizeof(double)});
  }
  std::string answer() override { return input_.digest(); }

 private:
  results::Sha256Input input_;
};

}  // namespace

FarHash::FarHash(const parallel::Comm& world, int number, Tell tell)
    : world_{world}, tell_{std::move(tell)} {
  if (world.size() == 1) return;
  const int worker = 1 + number % (world.size() - 1);
  if (world.rank() != 0 && world.rank() != worker) return;
  const auto speech = [this](parallel::Teller& teller) {
    FarInput input(teller);
    tell_(input);
  };
  job_.emplace(world, worker, number, speech, std::make_unique<HashingListener>());
}

void FarHash::begin() {
  if (job_) job_->begin();
}

std::string FarHash::finish() {
  if (job_) {
    std::string found = job_->finish();
    return world_.is_root() ? found : std::string{};
  }
  if (!world_.is_root()) return {};
  results::Sha256Input input;
  tell_(input);
  return input.digest();
}

}  // namespace fairfront::sweep
