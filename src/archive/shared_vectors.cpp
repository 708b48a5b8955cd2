#include "archive/shared_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/error.hpp"

namespace fairfront::archive {
namespace {

constexpr std::size_t least_saving = 4096;  // bytes: less is not worth a column
/// As many times the stored values as deflate could make of its bytes, so that a forged file claims
/// no more by its vectors than it could without them.
constexpr std::int64_t most_times = 1024;

template <class T>
std::string_view bytes_of(const std::vector<T>& values, std::int64_t begin, std::int64_t end) {
  const auto first = static_cast<std::size_t>(begin);
  return {reinterpret_cast<const char*>(values.data() + first),
          (static_cast<std::size_t>(end) - first) * sizeof(T)};
}

template <class T>
std::optional<SharedVectors> share(const std::vector<std::int64_t>& offsets,
                                   const std::vector<T>& values) {
  const std::size_t all = values.size() * sizeof(T);
  const std::size_t index = (offsets.size() - 1) * sizeof(std::int64_t);
  if (all <= least_saving || std::min(all / 2, all - least_saving) <= index) return {};
  const std::size_t most = std::min(all / 2, all - least_saving) - index;  // bytes that may be kept
  SharedVectors shared{.vector = {}, .offsets = {0}, .values = std::vector<T>{}};
  auto& kept = std::get<std::vector<T>>(shared.values);
  std::unordered_map<std::string_view, std::int64_t> known;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto [found, is_new] = known.try_emplace(bytes_of(values, offsets[i], offsets[i + 1]),
                                                   std::ssize(shared.offsets) - 1);
    shared.vector.push_back(found->second);
    if (!is_new) continue;
    kept.insert(kept.end(), values.begin() + offsets[i], values.begin() + offsets[i + 1]);
    shared.offsets.push_back(std::ssize(kept));
    if (kept.size() * sizeof(T) > most) return {};
  }
  if (std::ssize(values) > most_times * std::ssize(kept)) return {};
  return shared;
}

void require_vectors(const std::vector<std::int64_t>& offsets, std::size_t values,
                     const std::vector<std::int64_t>& vector, const std::string& path) {
  const bool fit = !offsets.empty() && offsets.front() == 0 && std::ranges::is_sorted(offsets) &&
                   offsets.back() == static_cast<std::int64_t>(values);
  if (!fit) {
    throw base::DamagedError(
        fmt::format("{}/offsets: must ascend from 0 to the {} values", path, values));
  }
  // In the order of their first use, and each is used: what nobody reads is in no digest.
  std::int64_t seen = 0;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const std::int64_t last = std::min(seen, std::ssize(offsets) - 2);
    if (vector[i] < 0 || vector[i] > last) {
      throw base::DamagedError(
          fmt::format("{}/vector: row {} is {}, must be in 0 .. {}", path, i, vector[i], last));
    }
    if (vector[i] == seen) ++seen;
    const auto at = static_cast<std::size_t>(vector[i]);
    count += offsets[at + 1] - offsets[at];
    if (count > most_times * static_cast<std::int64_t>(values)) break;
  }
  if (count > most_times * static_cast<std::int64_t>(values)) {
    throw base::DamagedError(fmt::format("{}/vector: claims more than {} times the {} values", path,
                                         most_times, values));
  }
  if (seen < std::ssize(offsets) - 1) {
    throw base::DamagedError(fmt::format("{}/vector: nobody has vector {}", path, seen));
  }
}

}  // namespace

std::optional<SharedVectors> shared_vectors(const results::Solutions& solutions) {
  return std::visit([&](const auto& values) { return share(solutions.offsets, values); },
                    solutions.values);
}

void unshare(results::Solutions& solutions, const std::vector<std::int64_t>& vector,
             const std::string& path) {
  std::visit(
      [&](auto& values) {
        require_vectors(solutions.offsets, values.size(), vector, path);
        std::vector<std::int64_t> offsets{0};
        for (const std::int64_t v : vector) {
          const auto at = static_cast<std::size_t>(v);
          offsets.push_back(offsets.back() + solutions.offsets[at + 1] - solutions.offsets[at]);
        }
        std::remove_cvref_t<decltype(values)> own;
        own.reserve(static_cast<std::size_t>(offsets.back()));
        for (const std::int64_t v : vector) {
          const auto at = solutions.offsets.begin() + v;
          own.insert(own.end(), values.begin() + at[0], values.begin() + at[1]);
        }
        values = std::move(own);
        solutions.offsets = std::move(offsets);
      },
      solutions.values);
}

}  // namespace fairfront::archive
