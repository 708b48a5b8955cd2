/// @file
/// Files by POSIX: descriptors that close themselves, whole writes, folders.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fairfront::base {

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_{number} {}
  Descriptor(Descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] bool valid() const noexcept { return number_ >= 0; }

  /// Closes now. False on failure, with the reason in errno: a network file system may report a
  /// lost write only here.
  [[nodiscard]] bool close() noexcept { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// "cannot <action> '<path>': <reason of the system>". @param error  an errno.
[[noreturn]] void throw_system_error(std::string_view action, const std::string& path, int error);

/// Writes all of `bytes`, however often the system takes only a part or is interrupted.
/// Returns 0, or the errno of the failure.
[[nodiscard]] int write_all(int descriptor, std::span<const std::byte> bytes) noexcept;

/// The folder that `path` is in; "." for a name alone.
[[nodiscard]] std::string folder_of(const std::string& path);

/// Makes new, renamed and removed names in `folder` safe: they are in its own data, which has to
/// reach the disk as well.
/// @throws InputError  the file system reports an I/O error.
void sync_folder(const std::string& folder);

enum class Durability { survives_process, survives_machine };

}  // namespace fairfront::base
