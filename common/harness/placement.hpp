/// \file
/// Where q and k lie in memory: strides, slices, and a destination apart from the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/harness/chapter.hpp"
#include "common/harness/memory.hpp"

namespace ropewalk {

/// Lays out q and k as a placement says, with guard bytes in all gaps, and looks after the run at what must
/// not have changed.
class PlacedTensors {
 public:
  /// q is [batch, tokens, q_heads, head_dim], k [batch, tokens, kv_heads, head_dim], both values of dtype.
  /// What a variant writes has that type, what it reads as well, except in Placement::converted.
  PlacedTensors(const Shape& shape, Dtype dtype, std::span<const float> q, std::span<const float> k,
                Placement placement, Runs where);

  /// Tells the call where its tensors lie. Pointers are valid as long as this object lives.
  void place(RopeCall& call);

  /// Puts everything back as it was before any rotation; a destination apart from its source holds NaN.
  void restore();

  /// All buffers as they are now.
  using Snapshot = std::vector<GuardedBuffer::Content>;
  Snapshot read() const;

  /// What q or k holds, gathered: contiguous, values of dtype.
  std::vector<std::byte> q(const Snapshot& now) const { return gather(q_to_, now); }
  std::vector<std::byte> k(const Snapshot& now) const { return gather(k_to_, now); }

  /// Counts a fault for each buffer that was written where no destination lies.
  void compare_surroundings(const Snapshot& now, CheckResult& result) const;

 private:
  struct Buffer {
    std::string name;
    std::vector<std::byte> before;
    bool is_source = false;  ///< and nothing else: not a byte of it may change
    GuardedBuffer memory;
  };
  /// Element (b, t, h, c) is number start + b·batch + t·token + h·head + c of its buffer.
  struct View {
    std::size_t buffer = 0;
    Dtype dtype = Dtype::f32;
    std::int64_t heads = 0, start = 0, batch_stride = 0, token_stride = 0, head_stride = 0;
  };

  View contiguous(std::int64_t heads, std::int64_t row_heads) const;
  void add_buffer(std::string name, bool is_source, std::int64_t elements, View& view, std::byte fill);
  void lay_out_packed_rows();
  void lay_out_tensor(const char* name, Placement placement, View& from, View& to);
  void scatter(std::span<const float> values, const View& view);
  std::vector<std::byte> gather(const View& view, const Snapshot& now) const;
  PlacedTensor placed(const View& view);

  /// Calls head(offset in the buffer, offset in the contiguous tensor), in bytes, for each head of the view.
  template <class Head>
  void for_each_head(const View& view, Head head) const {
    const std::int64_t size = size_in_bytes(view.dtype);
    std::int64_t contiguous = 0;
    for (std::int64_t b = 0; b < shape_.batch; ++b)
      for (std::int64_t t = 0; t < shape_.tokens; ++t)
        for (std::int64_t h = 0; h < view.heads; ++h, contiguous += shape_.head_dim)
          head(static_cast<std::ptrdiff_t>(size * (view.start + b * view.batch_stride +
                                                   t * view.token_stride + h * view.head_stride)),
               static_cast<std::ptrdiff_t>(size * contiguous));
  }

  Shape shape_;
  Dtype dtype_;
  Runs where_;
  std::vector<Buffer> buffers_;
  View q_from_, q_to_, k_from_, k_to_;
};

/// Bytes of q and k that a variant with this placement must read and write: in place only the channels that
/// turn, else all.
std::int64_t tensor_bytes_to_move(const Shape& shape, Dtype dtype, Placement placement);

}  // namespace ropewalk
