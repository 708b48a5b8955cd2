/// @file
/// Internal: the HDF5 types of the numbers an archive holds.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <type_traits>

namespace fairfront::archive {

/// The type in the file: little endian whatever the machine.
template <class T>
hid_t file_type() {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return H5T_STD_U8LE;
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return H5T_STD_U16LE;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return H5T_STD_I32LE;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return H5T_STD_I64LE;
  } else {
    static_assert(std::is_same_v<T, double>);
    return H5T_IEEE_F64LE;
  }
}

}  // namespace fairfront::archive
