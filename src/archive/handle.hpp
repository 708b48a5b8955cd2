/// @file
/// Internal: HDF5 identifiers that close themselves, and calls that cannot fail unseen. Needs the
/// HDF5 headers, so no public header may include it.
#pragma once

#include <hdf5.h>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace fairfront::archive {

/// A failed HDF5 call, its object and HDF5's reason:
/// "H5Oopen(/metrics/error): unable to open object: object 'error' doesn't exist".
class Hdf5Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// HDF5 prints no errors while one lives: they become exceptions instead.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

/// @throws Hdf5Error  always; takes the reason from HDF5's error stack.
[[noreturn]] void throw_hdf5_error(std::string_view function, std::string_view object);

/// `result`, unless it is negative, which is how every HDF5 call reports failure.
template <class Result>
Result checked(Result result, std::string_view function, std::string_view object) {
  if (result < 0) throw_hdf5_error(function, object);
  return result;
}

/// Owns one HDF5 identifier.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  /// @param id  what `function` returned for `object`. @throws Hdf5Error  id < 0.
  Handle(hid_t id, std::string_view function, std::string_view object)
      : id_{checked(id, function, object)} {}
  Handle(Handle&& other) noexcept : id_{std::exchange(other.id_, H5I_INVALID_HID)} {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  [[nodiscard]] hid_t get() const noexcept { return id_; }

  /// Closes now. A destructor cannot report a failure; writers call this instead.
  void close(std::string_view function, std::string_view object) {
    checked(Close(std::exchange(id_, H5I_INVALID_HID)), function, object);
  }

 private:
  hid_t id_;
};
using File = Handle<&H5Fclose>;
using Object = Handle<&H5Oclose>;  // a group or a data set
using Attribute = Handle<&H5Aclose>;
using Space = Handle<&H5Sclose>;
using Type = Handle<&H5Tclose>;
using PropertyList = Handle<&H5Pclose>;

}  // namespace fairfront::archive
