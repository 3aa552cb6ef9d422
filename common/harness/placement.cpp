/// \file
/// Lays out tensors and looks at the memory around them.
#include "common/harness/placement.hpp"

#include <algorithm>
#include <utility>

#include "common/harness/element_bytes.hpp"

namespace ropewalk {
namespace {

constexpr std::byte kNaN{0xFF};  // in every byte: a NaN of every element type

// Nobody may use the stride of a dimension of size 1. Odd, so that it spoils an alignment; large, so that a
// step of it leaves the buffer.
constexpr std::int64_t kUselessStride = (std::int64_t{1} << 40) + 1;

bool is_apart(Placement placement) {
  return placement == Placement::out_of_place || placement == Placement::heads_first ||
         placement == Placement::converted;
}

}  // namespace

PlacedTensors::PlacedTensors(const Shape& shape, Dtype dtype, std::span<const float> q,
                             std::span<const float> k, Placement placement, Runs where)
    : shape_(shape), dtype_(dtype), where_(where) {
  if (placement == Placement::packed_qkv) {
    lay_out_packed_rows();
  } else {
    q_to_.heads = shape.q_heads;
    k_to_.heads = shape.kv_heads;
    lay_out_tensor("q", placement, q_from_, q_to_);
    lay_out_tensor("k", placement, k_from_, k_to_);
  }
  scatter(q, q_from_);
  scatter(k, k_from_);
  for (Buffer& buffer : buffers_) buffer.memory = GuardedBuffer(where_, buffer.before);
}

PlacedTensors::View PlacedTensors::contiguous(std::int64_t heads, std::int64_t row_heads) const {
  View view;
  view.dtype = dtype_;
  view.heads = heads;
  view.head_stride = shape_.head_dim;
  view.token_stride = row_heads * shape_.head_dim;
  view.batch_stride = shape_.tokens * view.token_stride;
  return view;
}

void PlacedTensors::add_buffer(std::string name, bool is_source, std::int64_t elements, View& view,
                               std::byte fill) {
  const bool is_empty = shape_.token_count() == 0 || view.heads == 0;
  const std::int64_t bytes = is_empty ? 0 : elements * size_in_bytes(view.dtype);
  view.buffer = buffers_.size();
  buffers_.push_back({std::move(name), std::vector(static_cast<std::size_t>(bytes), fill), is_source, {}});
}

// Rows of q heads, k heads and as many v heads.
void PlacedTensors::lay_out_packed_rows() {
  const std::int64_t v_heads = std::max<std::int64_t>(shape_.kv_heads, 1);
  const std::int64_t row_heads = shape_.q_heads + shape_.kv_heads + v_heads;
  q_to_ = contiguous(shape_.q_heads, row_heads);
  add_buffer("qkv", false, shape_.token_count() * row_heads * shape_.head_dim, q_to_,
             GuardedBuffer::kPattern);
  k_to_ = contiguous(shape_.kv_heads, row_heads);
  k_to_.start = shape_.q_heads * shape_.head_dim;
  q_from_ = q_to_;
  k_from_ = k_to_;
}

void PlacedTensors::lay_out_tensor(const char* name, Placement placement, View& from, View& to) {
  const std::int64_t heads = to.heads, size = shape_.token_count() * heads * shape_.head_dim;
  to = contiguous(heads, heads);
  if (placement == Placement::heads_first) {
    to.token_stride = shape_.head_dim;
    to.head_stride = shape_.tokens * shape_.head_dim;
  } else if (placement == Placement::odd_strides) {
    if (shape_.batch == 1) to.batch_stride = kUselessStride;
    if (shape_.tokens == 1) to.token_stride = kUselessStride;
    if (heads == 1) to.head_stride = kUselessStride;
  } else if (placement == Placement::misaligned) {
    to.start = 1;
  }
  add_buffer(name, false, to.start + size, to, is_apart(placement) ? kNaN : GuardedBuffer::kPattern);
  from = to;
  if (!is_apart(placement)) return;
  from = contiguous(heads, heads);
  if (placement == Placement::converted) from.dtype = Dtype::f32;
  add_buffer(std::string(name) + " source", true, size, from, GuardedBuffer::kPattern);
}

void PlacedTensors::scatter(std::span<const float> values, const View& view) {
  const std::vector<std::byte> bytes = encode(view.dtype, values);
  const std::ptrdiff_t head_bytes = shape_.head_dim * size_in_bytes(view.dtype);
  for_each_head(view, [&](std::ptrdiff_t at, std::ptrdiff_t from) {
    std::copy_n(bytes.begin() + from, head_bytes, buffers_[view.buffer].before.begin() + at);
  });
}

std::vector<std::byte> PlacedTensors::gather(const View& view, const Snapshot& now) const {
  const std::int64_t head_bytes = shape_.head_dim * size_in_bytes(view.dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape_.token_count() * view.heads * head_bytes));
  for_each_head(view, [&](std::ptrdiff_t at, std::ptrdiff_t to) {
    std::copy_n(now[view.buffer].bytes.begin() + at, head_bytes, bytes.begin() + to);
  });
  return bytes;
}

PlacedTensor PlacedTensors::placed(const View& view) {
  std::byte* start = buffers_[view.buffer].memory.as<std::byte>();
  if (start == nullptr || view.heads == 0) return {.dtype = view.dtype};
  return {.data = start + view.start * size_in_bytes(view.dtype),
          .dtype = view.dtype,
          .batch_stride = view.batch_stride,
          .token_stride = view.token_stride,
          .head_stride = view.head_stride};
}

void PlacedTensors::place(RopeCall& call) {
  call.q_from = placed(q_from_);
  call.q_to = placed(q_to_);
  call.k_from = placed(k_from_);
  call.k_to = placed(k_to_);
  call.q = call.q_to.data;
  call.k = call.k_to.data;
}

void PlacedTensors::restore() {
  for (Buffer& buffer : buffers_) buffer.memory.write(buffer.before);
}

PlacedTensors::Snapshot PlacedTensors::read() const {
  Snapshot now;
  for (const Buffer& buffer : buffers_) now.push_back(buffer.memory.read());
  return now;
}

void PlacedTensors::compare_surroundings(const Snapshot& now, CheckResult& result) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (!now[i].guards_intact) result.fault(buffer.name + ": memory before or behind it was written");
    if (buffer.is_source) {
      if (now[i].bytes != buffer.before) result.fault(buffer.name + ": an input was modified");
      continue;
    }
    std::vector<std::byte> others = now[i].bytes;  // with the destinations as they were
    for (const View* view : {&q_to_, &k_to_}) {
      if (view->buffer != i) continue;
      const std::ptrdiff_t head_bytes = shape_.head_dim * size_in_bytes(view->dtype);
      for_each_head(*view, [&](std::ptrdiff_t at, std::ptrdiff_t) {
        std::copy_n(buffer.before.begin() + at, head_bytes, others.begin() + at);
      });
    }
    if (others != buffer.before) result.fault(buffer.name + ": memory between its heads was written");
  }
}

std::int64_t tensor_bytes_to_move(const Shape& shape, Dtype dtype, Placement placement) {
  const std::int64_t heads = shape.token_count() * (shape.q_heads + shape.kv_heads);
  if (!is_apart(placement)) return 2 * heads * shape.rotary_dim * size_in_bytes(dtype);
  const Dtype from = placement == Placement::converted ? Dtype::f32 : dtype;
  return heads * shape.head_dim * (size_in_bytes(from) + size_in_bytes(dtype));
}

}  // namespace ropewalk
