/// \file
/// The intrinsics that __half and __nv_bfloat16 share. Each computes in float or double, where the result is
/// exact or rounds harmlessly, and rounds once to the 16-bit type.
#pragma once

#include <bit>
#include <cmath>
#include <type_traits>

#include "common/simt/device/math.hpp"
#include "common/simt/device/small_float.hpp"

namespace simt {

template <SmallFloat T>
T from_bits(unsigned bits) {
  return std::bit_cast<T>(static_cast<unsigned short>(bits));
}
template <SmallFloat T>
unsigned bits_of(T value) {
  return std::bit_cast<unsigned short>(value);
}
/// 0 to 1; a NaN becomes 0.
template <SmallFloat T>
T saturate(T value) {
  const float x = float(value);
  return x > 0.0f ? (x < 1.0f ? value : T(1.0f)) : T(0.0f);
}
/// Directed rounding: `nearest` moved one step toward zero, down or up if it lies on the wrong side of
/// `exact`.
template <SmallFloat T>
T toward_zero(T nearest, float exact) {
  return std::fabs(float(nearest)) > std::fabs(exact) ? from_bits<T>(bits_of(nearest) - 1) : nearest;
}
template <SmallFloat T>
T downward(T nearest, float exact) {
  if (!(float(nearest) > exact)) return nearest;
  return from_bits<T>(bits_of(nearest) & 0x8000 ? bits_of(nearest) + 1 : bits_of(nearest) - 1);
}
template <SmallFloat T>
T upward(T nearest, float exact) {
  if (!(float(nearest) < exact)) return nearest;
  return from_bits<T>(bits_of(nearest) & 0x8000 ? bits_of(nearest) - 1 : bits_of(nearest) + 1);
}

}  // namespace simt

template <simt::SmallFloat T>
bool __hisnan(T a) {
  return std::isnan(float(a));
}
/// 1 for infinity, -1 for minus infinity, else 0.
template <simt::SmallFloat T>
int __hisinf(T a) {
  return !std::isinf(float(a)) ? 0 : float(a) > 0.0f ? 1 : -1;
}

template <simt::SmallFloat T>
T __hadd(T a, std::type_identity_t<T> b) {
  return T(float(a) + float(b));
}
template <simt::SmallFloat T>
T __hsub(T a, std::type_identity_t<T> b) {
  return T(float(a) - float(b));
}
template <simt::SmallFloat T>
T __hmul(T a, std::type_identity_t<T> b) {
  return T(float(a) * float(b));
}
template <simt::SmallFloat T>
T __hdiv(T a, std::type_identity_t<T> b) {
  return T(float(a) / float(b));
}
/// a * b + c with one rounding: the product is exact in double, the sum is rounded to odd.
template <simt::SmallFloat T>
T __hfma(T a, std::type_identity_t<T> b, std::type_identity_t<T> c) {
  return T(simt::add_round_to_odd(double(float(a)) * double(float(b)), double(float(c))));
}
template <simt::SmallFloat T>
T __hneg(T a) {
  return __hisnan(a) ? simt::from_bits<T>(simt::kSmallNan) : simt::from_bits<T>(simt::bits_of(a) ^ 0x8000u);
}
template <simt::SmallFloat T>
T __habs(T a) {
  return __hisnan(a) ? simt::from_bits<T>(simt::kSmallNan) : simt::from_bits<T>(simt::bits_of(a) & 0x7fffu);
}
/// The _rn forms are never fused into an fma; nothing is fused here.
template <simt::SmallFloat T>
T __hadd_rn(T a, std::type_identity_t<T> b) {
  return __hadd(a, b);
}
template <simt::SmallFloat T>
T __hsub_rn(T a, std::type_identity_t<T> b) {
  return __hsub(a, b);
}
template <simt::SmallFloat T>
T __hmul_rn(T a, std::type_identity_t<T> b) {
  return __hmul(a, b);
}
template <simt::SmallFloat T>
T __hadd_sat(T a, std::type_identity_t<T> b) {
  return simt::saturate(__hadd(a, b));
}
template <simt::SmallFloat T>
T __hsub_sat(T a, std::type_identity_t<T> b) {
  return simt::saturate(__hsub(a, b));
}
template <simt::SmallFloat T>
T __hmul_sat(T a, std::type_identity_t<T> b) {
  return simt::saturate(__hmul(a, b));
}
template <simt::SmallFloat T>
T __hfma_sat(T a, std::type_identity_t<T> b, std::type_identity_t<T> c) {
  return simt::saturate(__hfma(a, b, c));
}

/// A NaN loses against a number; +0 counts as larger than -0.
template <simt::SmallFloat T>
T __hmax(T a, std::type_identity_t<T> b) {
  if (__hisnan(a) && __hisnan(b)) return simt::from_bits<T>(simt::kSmallNan);
  if (float(a) == float(b)) return simt::bits_of(a) > simt::bits_of(b) ? b : a;
  return float(a) > float(b) || __hisnan(b) ? a : b;
}
template <simt::SmallFloat T>
T __hmin(T a, std::type_identity_t<T> b) {
  if (__hisnan(a) && __hisnan(b)) return simt::from_bits<T>(simt::kSmallNan);
  if (float(a) == float(b)) return simt::bits_of(a) > simt::bits_of(b) ? a : b;
  return float(a) < float(b) || __hisnan(b) ? a : b;
}
template <simt::SmallFloat T>
T __hmax_nan(T a, std::type_identity_t<T> b) {
  return __hisnan(a) || __hisnan(b) ? simt::from_bits<T>(simt::kSmallNan) : __hmax(a, b);
}
template <simt::SmallFloat T>
T __hmin_nan(T a, std::type_identity_t<T> b) {
  return __hisnan(a) || __hisnan(b) ? simt::from_bits<T>(simt::kSmallNan) : __hmin(a, b);
}
template <simt::SmallFloat T>
T __hfma_relu(T a, std::type_identity_t<T> b, std::type_identity_t<T> c) {
  return __hmax_nan(__hfma(a, b, c), T(0.0f));
}

// The same for pairs, element by element.
#define SIMT_PAIR_FUNCTION_1(name2, name) \
  template <simt::SmallFloatPair P>       \
  P name2(P a) {                          \
    return P(name(a.x), name(a.y));       \
  }
#define SIMT_PAIR_FUNCTION_2(name2, name)     \
  template <simt::SmallFloatPair P>           \
  P name2(P a, P b) {                         \
    return P(name(a.x, b.x), name(a.y, b.y)); \
  }
#define SIMT_PAIR_FUNCTION_3(name2, name)               \
  template <simt::SmallFloatPair P>                     \
  P name2(P a, P b, P c) {                              \
    return P(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); \
  }
SIMT_PAIR_FUNCTION_1(__hneg2, __hneg)
SIMT_PAIR_FUNCTION_1(__habs2, __habs)
SIMT_PAIR_FUNCTION_2(__hadd2, __hadd)
SIMT_PAIR_FUNCTION_2(__hsub2, __hsub)
SIMT_PAIR_FUNCTION_2(__hmul2, __hmul)
SIMT_PAIR_FUNCTION_2(__h2div, __hdiv)
SIMT_PAIR_FUNCTION_2(__hadd2_rn, __hadd)
SIMT_PAIR_FUNCTION_2(__hsub2_rn, __hsub)
SIMT_PAIR_FUNCTION_2(__hmul2_rn, __hmul)
SIMT_PAIR_FUNCTION_2(__hadd2_sat, __hadd_sat)
SIMT_PAIR_FUNCTION_2(__hsub2_sat, __hsub_sat)
SIMT_PAIR_FUNCTION_2(__hmul2_sat, __hmul_sat)
SIMT_PAIR_FUNCTION_2(__hmax2, __hmax)
SIMT_PAIR_FUNCTION_2(__hmin2, __hmin)
SIMT_PAIR_FUNCTION_2(__hmax2_nan, __hmax_nan)
SIMT_PAIR_FUNCTION_2(__hmin2_nan, __hmin_nan)
SIMT_PAIR_FUNCTION_3(__hfma2, __hfma)
SIMT_PAIR_FUNCTION_3(__hfma2_sat, __hfma_sat)
SIMT_PAIR_FUNCTION_3(__hfma2_relu, __hfma_relu)

template <simt::SmallFloatPair P>
P __hisnan2(P a) {
  return P(__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f);
}
template <simt::SmallFloatPair P>
P __lowhigh2highlow(P a) {
  return P(a.y, a.x);
}
template <simt::SmallFloatPair P>
float __low2float(P a) {
  return float(a.x);
}
template <simt::SmallFloatPair P>
float __high2float(P a) {
  return float(a.y);
}

// Comparisons. A NaN makes the plain form false and the form with a u ("unordered") true. The pair forms
// return 1 or 0 for each element, whether both compare true (hb...), or a mask of 16 bits per element.
#define SIMT_COMPARISON(name, compare)                                                            \
  template <simt::SmallFloat T>                                                                   \
  bool __h##name(T a, std::type_identity_t<T> b) {                                                \
    return !__hisnan(a) && !__hisnan(b) && float(a) compare float(b);                             \
  }                                                                                               \
  template <simt::SmallFloat T>                                                                   \
  bool __h##name##u(T a, std::type_identity_t<T> b) {                                             \
    return __hisnan(a) || __hisnan(b) || float(a) compare float(b);                               \
  }                                                                                               \
  template <simt::SmallFloatPair P>                                                               \
  P __h##name##2(P a, P b) {                                                                      \
    return P(__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f);               \
  }                                                                                               \
  template <simt::SmallFloatPair P>                                                               \
  P __h##name##u2(P a, P b) {                                                                     \
    return P(__h##name##u(a.x, b.x) ? 1.0f : 0.0f, __h##name##u(a.y, b.y) ? 1.0f : 0.0f);         \
  }                                                                                               \
  template <simt::SmallFloatPair P>                                                               \
  bool __hb##name##2(P a, P b) {                                                                  \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                            \
  }                                                                                               \
  template <simt::SmallFloatPair P>                                                               \
  bool __hb##name##u2(P a, P b) {                                                                 \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                      \
  }                                                                                               \
  template <simt::SmallFloatPair P>                                                               \
  unsigned __h##name##2_mask(P a, P b) {                                                          \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);       \
  }                                                                                               \
  template <simt::SmallFloatPair P>                                                               \
  unsigned __h##name##u2_mask(P a, P b) {                                                         \
    return (__h##name##u(a.x, b.x) ? 0xffffu : 0u) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0u); \
  }
SIMT_COMPARISON(eq, ==)
SIMT_COMPARISON(ne, !=)
SIMT_COMPARISON(lt, <)
SIMT_COMPARISON(le, <=)
SIMT_COMPARISON(gt, >)
SIMT_COMPARISON(ge, >=)
#undef SIMT_COMPARISON

// Elementary functions: the float function, rounded. A GPU's may differ in the last bit.
#define SIMT_SMALL_MATH(name, expression) \
  template <simt::SmallFloat T>           \
  T h##name(T a) {                        \
    const float x = float(a);             \
    return T(expression);                 \
  }                                       \
  SIMT_PAIR_FUNCTION_1(h2##name, h##name)
SIMT_SMALL_MATH(sqrt, std::sqrt(x))
SIMT_SMALL_MATH(rsqrt, rsqrtf(x))
SIMT_SMALL_MATH(rcp, 1.0f / x)
SIMT_SMALL_MATH(exp, std::exp(x))
SIMT_SMALL_MATH(exp2, std::exp2(x))
SIMT_SMALL_MATH(exp10, std::pow(10.0, double(x)))
SIMT_SMALL_MATH(log, std::log(x))
SIMT_SMALL_MATH(log2, std::log2(x))
SIMT_SMALL_MATH(log10, std::log10(x))
SIMT_SMALL_MATH(sin, std::sin(x))
SIMT_SMALL_MATH(cos, std::cos(x))
SIMT_SMALL_MATH(tanh, std::tanh(x))
SIMT_SMALL_MATH(floor, std::floor(x))
SIMT_SMALL_MATH(ceil, std::ceil(x))
SIMT_SMALL_MATH(trunc, std::trunc(x))
SIMT_SMALL_MATH(rint, std::rint(x))
#undef SIMT_SMALL_MATH
#undef SIMT_PAIR_FUNCTION_1
#undef SIMT_PAIR_FUNCTION_2
#undef SIMT_PAIR_FUNCTION_3

// Operators. Not templates: mixing a half with a float must be ambiguous, as it is for nvcc.
#define SIMT_ARITHMETIC_OPERATOR(T, op, function) \
  inline T operator op(const T& a, const T& b) {  \
    return function(a, b);                        \
  }                                               \
  inline T& operator op##=(T& a, const T& b) {    \
    return a = function(a, b);                    \
  }
#define SIMT_COMPARISON_OPERATOR(T, op, function)   \
  inline bool operator op(const T& a, const T& b) { \
    return function(a, b);                          \
  }
#define SIMT_SMALL_FLOAT_OPERATORS(T)     \
  SIMT_ARITHMETIC_OPERATOR(T, +, __hadd)  \
  SIMT_ARITHMETIC_OPERATOR(T, -, __hsub)  \
  SIMT_ARITHMETIC_OPERATOR(T, *, __hmul)  \
  SIMT_ARITHMETIC_OPERATOR(T, /, __hdiv)  \
  SIMT_COMPARISON_OPERATOR(T, ==, __heq)  \
  SIMT_COMPARISON_OPERATOR(T, !=, __hneu) \
  SIMT_COMPARISON_OPERATOR(T, <, __hlt)   \
  SIMT_COMPARISON_OPERATOR(T, <=, __hle)  \
  SIMT_COMPARISON_OPERATOR(T, >, __hgt)   \
  SIMT_COMPARISON_OPERATOR(T, >=, __hge)  \
  inline T operator+(const T& a) {        \
    return a;                             \
  }                                       \
  inline T operator-(const T& a) {        \
    return __hneg(a);                     \
  }
#define SIMT_SMALL_FLOAT_PAIR_OPERATORS(P)  \
  SIMT_ARITHMETIC_OPERATOR(P, +, __hadd2)   \
  SIMT_ARITHMETIC_OPERATOR(P, -, __hsub2)   \
  SIMT_ARITHMETIC_OPERATOR(P, *, __hmul2)   \
  SIMT_ARITHMETIC_OPERATOR(P, /, __h2div)   \
  SIMT_COMPARISON_OPERATOR(P, ==, __hbeq2)  \
  SIMT_COMPARISON_OPERATOR(P, !=, __hbneu2) \
  SIMT_COMPARISON_OPERATOR(P, <, __hblt2)   \
  SIMT_COMPARISON_OPERATOR(P, <=, __hble2)  \
  SIMT_COMPARISON_OPERATOR(P, >, __hbgt2)   \
  SIMT_COMPARISON_OPERATOR(P, >=, __hbge2)  \
  inline P operator+(const P& a) {          \
    return a;                               \
  }                                         \
  inline P operator-(const P& a) {          \
    return __hneg2(a);                      \
  }
