/// \file
/// Values as a kernel stores them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/gpu/device.cuh"
#include "common/harness/dispatch.hpp"

namespace ropewalk {

/// Each value rounded to dtype, as bytes in memory order.
inline std::vector<std::byte> encode(Dtype dtype, std::span<const float> values) {
  return with_element_type(dtype, [&]<class T>(T*) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    T* out = reinterpret_cast<T*>(bytes.data());
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = from_float<T>(values[i]);
    return bytes;
  });
}

/// The inverse of encode(); exact.
inline std::vector<float> decode(Dtype dtype, std::span<const std::byte> bytes) {
  return with_element_type(dtype, [&]<class T>(T*) {
    std::vector<float> values(bytes.size() / sizeof(T));
    const T* in = reinterpret_cast<const T*>(bytes.data());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = to_float(in[i]);
    return values;
  });
}

/// `value` rounded to dtype.
inline float round_to(Dtype dtype, float value) {
  return with_element_type(dtype, [&]<class T>(T*) { return to_float(from_float<T>(value)); });
}

}  // namespace ropewalk
