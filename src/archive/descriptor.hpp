/// @file
/// Internal: a POSIX file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace fairfront::archive {

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

}  // namespace fairfront::archive
