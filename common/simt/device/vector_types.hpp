/// \file
/// dim3 and the short vectors, with CUDA's alignment: a float4 at an address that 16 does not divide is a
/// fault on a GPU, and -fsanitize=alignment reports it here because the type says so.
#pragma once

#include <cstddef>

// The widest vectors are aligned to 16 bytes, the widest access of a thread.
#define SIMT_VECTOR_TYPES(Scalar, name)                                       \
  struct name##1 {                                                            \
    Scalar x;                                                                 \
  };                                                                          \
  struct alignas(2 * sizeof(Scalar)) name##2 {                                \
    Scalar x, y;                                                              \
  };                                                                          \
  struct name##3 {                                                            \
    Scalar x, y, z;                                                           \
  };                                                                          \
  struct alignas(4 * sizeof(Scalar) < 16 ? 4 * sizeof(Scalar) : 16) name##4 { \
    Scalar x, y, z, w;                                                        \
  };                                                                          \
  constexpr name##1 make_##name##1(Scalar x) {                                \
    return {x};                                                               \
  }                                                                           \
  constexpr name##2 make_##name##2(Scalar x, Scalar y) {                      \
    return {x, y};                                                            \
  }                                                                           \
  constexpr name##3 make_##name##3(Scalar x, Scalar y, Scalar z) {            \
    return {x, y, z};                                                         \
  }                                                                           \
  constexpr name##4 make_##name##4(Scalar x, Scalar y, Scalar z, Scalar w) {  \
    return {x, y, z, w};                                                      \
  }

SIMT_VECTOR_TYPES(signed char, char)
SIMT_VECTOR_TYPES(unsigned char, uchar)
SIMT_VECTOR_TYPES(short, short)
SIMT_VECTOR_TYPES(unsigned short, ushort)
SIMT_VECTOR_TYPES(int, int)
SIMT_VECTOR_TYPES(unsigned int, uint)
SIMT_VECTOR_TYPES(long long, longlong)
SIMT_VECTOR_TYPES(unsigned long long, ulonglong)
SIMT_VECTOR_TYPES(float, float)
SIMT_VECTOR_TYPES(double, double)
#undef SIMT_VECTOR_TYPES

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
