/// @file
/// The key of a task as bytes: half of what its text takes, and none of it in a place of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fairfront::sweep {

/// A SHA-256.
struct TaskKey {
  std::array<std::uint64_t, 4> words{};
  bool operator==(const TaskKey&) const = default;

  /// Of 64 lower-case hexadecimal digits; of another text all zeros, which no task has.
  [[nodiscard]] static TaskKey of(std::string_view text);
  /// The digits.
  [[nodiscard]] std::string text() const;
};

/// For unordered containers: what is a hash needs none.
struct HashOfKey {
  std::size_t operator()(const TaskKey& key) const noexcept { return key.words[0]; }
};

}  // namespace fairfront::sweep
