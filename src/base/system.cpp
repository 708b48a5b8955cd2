#include "base/system.hpp"

#include <features.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string_view>

#include "base/simd.hpp"
#include "base/text.hpp"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace fairfront::base {
namespace {

/// As the kernel tells it.
std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos) {
      return std::string{trim(std::string_view{line}.substr(colon + 1))};
    }
  }
  return "unknown processor";
}

std::string processor_features() {
  std::string features;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx")) features += " avx";
  if (__builtin_cpu_supports("avx2")) features += " avx2";
  if (__builtin_cpu_supports("fma")) features += " fma";
  if (__builtin_cpu_supports("fma4")) features += " fma4";
  if (__builtin_cpu_supports("avx512f")) features += " avx512f";
#endif
  return features.empty() ? "none of avx, fma" : features.substr(1);
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};  // the last byte stays zero: a name that was cut may have none
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string c_library() {
#ifdef __GLIBC__
  return std::string{"glibc "} + gnu_get_libc_version();
#else
  return "not glibc";
#endif
}

std::string processor() {
  return fmt::format("{} (computes with {}; has {})", processor_model(), name_of(simd()),
                     processor_features());
}

SignalsBlocked::SignalsBlocked() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace fairfront::base
