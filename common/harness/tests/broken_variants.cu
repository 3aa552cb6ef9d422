/// \file
/// Launches the broken kernels.
#include <utility>

#include "common/gpu/launch.hpp"
#include "common/harness/dispatch.hpp"
#include "common/harness/tests/broken_kernels.cuh"
#include "common/harness/tests/broken_variants.hpp"

namespace ropewalk::faults {
namespace {

// Changes one word of memory that no kernel of RoPE may write.
__global__ void poke(int* words, long long index) {
  words[index] += 1;
}

void rotate(Fault fault, const RopeCall& call, void* x, std::int64_t heads) {
  if (heads == 0) return;
  const Shape& s = call.shape;
  with_element_type(call.dtype, [&]<class T>(T*) {
    const Arguments<T> arguments{fault,
                                 static_cast<T*>(x),
                                 call.positions,
                                 call.cos_table,
                                 call.sin_table,
                                 call.base,
                                 call.first_position,
                                 static_cast<int>(call.table_rows),
                                 static_cast<int>(s.batch),
                                 static_cast<int>(s.tokens),
                                 static_cast<int>(heads),
                                 static_cast<int>(s.head_dim),
                                 static_cast<int>(s.rotary_dim)};
    launch(
        {.grid = grid_for(s.token_count() * heads * s.pairs(), 64), .block = dim3(64), .stream = call.stream},
        broken<T>, arguments);
  });
}

// Changes the 4-byte word at `index` of an input.
template <class T>
void change(const RopeCall& call, const T* input, std::int64_t index) {
  static_assert(sizeof(T) == sizeof(int));
  launch({.grid = dim3(1), .block = dim3(1), .stream = call.stream}, poke,
         static_cast<int*>(static_cast<void*>(const_cast<T*>(input))), static_cast<long long>(index));
}

}  // namespace

void run_broken(Fault fault, const RopeCall& call) {
  rotate(fault, call, call.q, call.shape.q_heads);
  rotate(fault == Fault::k_not_rotated ? Fault::nothing_done : fault, call, call.k, call.shape.kv_heads);
  const std::int64_t entries = call.table_rows * call.shape.pairs();
  switch (fault) {
    case Fault::positions_modified:
      return change(call, call.positions, call.shape.token_count() - 1);
    case Fault::inv_freq_modified:
      return change(call, call.inv_freq, call.shape.pairs() - 1);
    case Fault::cos_table_modified:
      return change(call, call.cos_table, 0);
    case Fault::sin_table_modified:
      return change(call, call.sin_table, entries - 1);
    case Fault::positions_overrun:
      return change(call, call.positions, call.shape.token_count());
    case Fault::positions_underrun:
      return change(call, call.positions, -1);
    case Fault::inv_freq_overrun:
      return change(call, call.inv_freq, call.shape.pairs());
    case Fault::cos_table_overrun:
      return change(call, call.cos_table, entries);
    case Fault::sin_table_overrun:
      return change(call, call.sin_table, entries);
    default:
      return;
  }
}

Variant broken_variant(Fault fault, std::string name) {
  Variant variant;
  variant.name = std::move(name);
  variant.what = "wrong on purpose";
  variant.reads_table = true;
  variant.run = [fault](const RopeCall& call) { run_broken(fault, call); };
  return variant;
}

}  // namespace ropewalk::faults
