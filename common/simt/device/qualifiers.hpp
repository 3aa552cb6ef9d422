/// \file
/// CUDA's keywords, as a C++ compiler can accept them.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __tile_global__
#define __tile__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

// A __shared__ variable is one static object, and the executor must be able to find all of them, because it
// fills them with 0xFF before each block. clang gathers them in a linker section. g++ ignores section
// attributes inside templates, so there they are thread_local: the program's thread-local block *is* the
// shared memory (see executor/shared_memory.cpp). `used` keeps the compiler from concluding that a variable
// which no thread writes is always zero.
#if defined(__clang__)
#define __shared__ static __attribute__((used, section("simt_shared")))
#else
#define __shared__ static thread_local __attribute__((used))
#endif
