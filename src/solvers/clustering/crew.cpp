#include "solvers/clustering/crew.hpp"

#include <cstddef>
#include <span>
#include <utility>

#include "parallel/agree.hpp"
#include "parallel/exchange.hpp"

namespace fairfront::clustering {

solvers::Request Crew::most_demanding(solvers::Request mine) const {
  if (team_ == nullptr) return mine;
  return static_cast<solvers::Request>(parallel::all_reduce_max(*team_, static_cast<int>(mine)));
}

bool Crew::work(const std::function<void()>& work) const {
  bool ended = false;
  const auto attempt = [&] {
    try {
      work();
    } catch (const solvers::Interrupted&) {
      ended = true;
    }
  };
  if (team_ == nullptr) {
    attempt();
    return !ended;
  }
  parallel::agree(*team_, "", attempt);
  return parallel::all_reduce_max(*team_, ended ? 1 : 0) == 0;
}

void Crew::work_to_the_end(const std::function<void()>& work) const {
  if (!this->work(work)) throw solvers::Interrupted();
}

std::string Crew::of_root(std::string text) const {
  if (team_ == nullptr) return text;
  return parallel::broadcast(*team_, 0, std::move(text));
}

std::vector<std::string> Crew::gather(std::string text) const {
  std::vector<std::string> texts;
  if (size() == 1) {
    texts.push_back(std::move(text));
    return texts;
  }
  const std::vector<std::string> lengths =
      parallel::gather(*team_, is_root() ? "" : std::to_string(text.size()));
  parallel::Exchange exchange(*team_);
  if (!is_root()) {
    const auto bytes = std::as_bytes(std::span{text});
    exchange.send(0, {bytes.begin(), bytes.end()});
    (void)exchange.finish();
    return texts;
  }
  texts.push_back(std::move(text));
  for (std::size_t from = 1; from < lengths.size(); ++from) {
    exchange.receive(static_cast<int>(from), std::stoull(lengths[from]));
  }
  for (const auto& bytes : exchange.finish()) {
    texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return texts;
}

}  // namespace fairfront::clustering
