/// \file
/// Loads a case, runs a variant, compares.
#include "common/harness/check.hpp"

#include <cstring>

#include "common/gpu/stream.hpp"
#include "common/rope/table.hpp"

namespace ropewalk {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

LoadedCase::LoadedCase(const Case& c, Runs where, bool with_table, Placement placement)
    : case_(c),
      tensors_(c.shape, c.dtype, c.q, c.k, placement, where),
      positions_before_(bytes_of(c.positions)),
      inv_freq_before_(bytes_of(std::vector<float>(c.schedule.inv_freq.begin(), c.schedule.inv_freq.end()))) {
  if (with_table) {
    const CosSinTable table = make_table(c.schedule, c.positions);
    first_position_ = table.first_position;
    table_rows_ = table.rows;
    cos_before_ = bytes_of(table.cos);
    sin_before_ = bytes_of(table.sin);
  }
  positions_ = GuardedBuffer(where, positions_before_);
  inv_freq_ = GuardedBuffer(where, inv_freq_before_);
  cos_ = GuardedBuffer(where, cos_before_);
  sin_ = GuardedBuffer(where, sin_before_);
}

RopeCall LoadedCase::call(CUstream_st* stream) {
  RopeCall call{.shape = case_.shape,
                .dtype = case_.dtype,
                .style = case_.style,
                .base = case_.spec.base,
                .attention_factor = case_.schedule.attention_factor,
                .positions = positions_.as<std::int32_t>(),
                .cos_table = cos_.as<float>(),
                .sin_table = sin_.as<float>(),
                .first_position = first_position_,
                .table_rows = table_rows_,
                .inv_freq = inv_freq_.as<float>(),
                .stream = stream};
  tensors_.place(call);
  return call;
}

void LoadedCase::restore() {
  tensors_.restore();
}

void LoadedCase::compare_surroundings(const PlacedTensors::Snapshot& now, CheckResult& result) const {
  tensors_.compare_surroundings(now, result);
  const auto input = [&](const char* name, const std::vector<std::byte>& before,
                         const GuardedBuffer& buffer) {
    const GuardedBuffer::Content content = buffer.read();
    if (content.bytes != before) result.fault(std::string(name) + ": an input was modified");
    if (!content.guards_intact) result.fault(std::string(name) + ": memory before or behind it was written");
  };
  input("positions", positions_before_, positions_);
  input("inv_freq", inv_freq_before_, inv_freq_);
  input("cos table", cos_before_, cos_);
  input("sin table", sin_before_, sin_);
}

CheckResult LoadedCase::compare(const Variant& variant) const {
  CheckResult result{.what = variant.name, .on = case_.name};
  const PlacedTensors::Snapshot now = tensors_.read();
  compare_surroundings(now, result);
  const auto compare_tensor = [&](const char* name, std::int64_t heads, const std::vector<float>& before,
                                  const std::vector<std::byte>& after_bits) {
    const std::vector<std::byte> before_bits = encode(case_.dtype, before);
    const std::vector<float> after = decode(case_.dtype, after_bits);
    const RotatedTensor tensor{name, heads, before, after, before_bits, after_bits};
    Expectation expect{.shape = case_.shape,
                       .dtype = case_.dtype,
                       .style = case_.style,
                       .spec = case_.spec,
                       .schedule = case_.schedule,
                       .positions = case_.positions,
                       .angles = variant.angles,
                       .arithmetic = variant.arithmetic,
                       .given = case_.given};
    compare_rotated(tensor, expect, result);
    if (variant.angles == Angles::f32_list && !case_.given_f32_angle.empty()) {
      expect.given = case_.given_f32_angle;
      expect.given_has_float_angles = true;
      compare_rotated(tensor, expect, result);
    }
  };
  compare_tensor("q", case_.shape.q_heads, case_.q, tensors_.q(now));
  compare_tensor("k", case_.shape.kv_heads, case_.k, tensors_.k(now));
  return result;
}

CheckResult check_variant(const Variant& variant, const Case& c, Runs where) {
  LoadedCase loaded(c, where, variant.reads_table, variant.placement);
  if (where == Runs::on_host) {
    variant.run(loaded.call(nullptr));
  } else {
    Stream stream;
    variant.run(loaded.call(stream));
    stream.synchronize();
  }
  return loaded.compare(variant);
}

std::int64_t bytes_to_move(const Shape& shape, Dtype dtype, const Variant& variant) {
  const std::int64_t tensors = tensor_bytes_to_move(shape, dtype, variant.placement);
  const std::int64_t positions = 4 * shape.token_count();
  std::int64_t angles = 0;
  if (variant.reads_table)
    angles = 2 * 4 * shape.token_count() * shape.pairs();
  else if (variant.angles == Angles::f32_list)
    angles = 4 * shape.pairs();
  return tensors + positions + angles;
}

}  // namespace ropewalk
