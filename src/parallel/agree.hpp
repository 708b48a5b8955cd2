/// @file
/// Turning an error on one rank into the same error on every rank.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "parallel/comm.hpp"

namespace fairfront::parallel {

/// The error that every rank throws after `agree`; keeps exit code and fault of the first failure.
class CollectiveError : public base::Error {
 public:
  CollectiveError(const std::string& message, int failed_rank, base::ExitCode code,
                  base::Fault fault)
      : Error(message), failed_rank_{failed_rank}, code_{code}, fault_{fault} {}
  [[nodiscard]] base::ExitCode exit_code() const noexcept override { return code_; }
  [[nodiscard]] base::Fault fault() const noexcept override { return fault_; }
  [[nodiscard]] int failed_rank() const noexcept { return failed_rank_; }

 private:
  int failed_rank_;
  base::ExitCode code_;
  base::Fault fault_;
};

namespace detail {
/// Collective. Returns when `failure` is null everywhere, else throws CollectiveError everywhere.
void agree_on(const Comm& comm, std::string_view what, std::exception_ptr failure);
}  // namespace detail

/// Runs `work` on every rank; if any rank throws, every rank throws the same CollectiveError,
/// naming the lowest failing rank. Collective, but `work` must not itself communicate.
template <std::invocable Work>
void agree(const Comm& comm, std::string_view what, Work&& work) {
  std::exception_ptr failure;
  try {
    std::forward<Work>(work)();
  } catch (...) {
    failure = std::current_exception();
  }
  detail::agree_on(comm, what, failure);
}

}  // namespace fairfront::parallel
