/// \file
/// Loads and stores with a cache hint. There is no cache to hint at: they are plain loads and stores.
#pragma once

#include <cstddef>
#include <type_traits>

#define SIMT_LOAD(name)      \
  template <class T>         \
  T name(const T* address) { \
    return *address;         \
  }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldlu)
SIMT_LOAD(__ldcv)
#undef SIMT_LOAD

#define SIMT_STORE(name)                                 \
  template <class T>                                     \
  void name(T* address, std::type_identity_t<T> value) { \
    *address = value;                                    \
  }
SIMT_STORE(__stwb)
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
SIMT_STORE(__stwt)
#undef SIMT_STORE

/// Address of shared memory as the hardware counts it; only its low bits (alignment) mean something here.
inline std::size_t __cvta_generic_to_shared(const void* address) {
  return reinterpret_cast<std::size_t>(address);
}
