/// \file
/// Loads a case, runs a variant, compares.
#include "common/harness/check.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "common/gpu/stream.hpp"
#include "common/rope/oracle.hpp"

namespace ropewalk {
namespace {

constexpr std::int64_t kMaxTableRows = std::int64_t{1} << 20;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

struct Tables {
  std::int32_t first_position = 0;
  std::int64_t rows = 0;
  std::vector<float> cos, sin;  // [rows, pairs]
};

Tables build_tables(const Case& c) {
  Tables tables;
  if (c.positions.empty()) return tables;
  const auto [low, high] = std::minmax_element(c.positions.begin(), c.positions.end());
  tables.first_position = *low;
  tables.rows = std::int64_t{*high} - *low + 1;
  if (tables.rows > kMaxTableRows) {
    std::fprintf(stderr, "the positions span %lld rows of a cos/sin table; the limit is %lld\n",
                 static_cast<long long>(tables.rows), static_cast<long long>(kMaxTableRows));
    std::exit(kBadInput);
  }
  const std::size_t pairs = c.schedule.inv_freq.size();
  tables.cos.assign(static_cast<std::size_t>(tables.rows) * pairs, std::numeric_limits<float>::quiet_NaN());
  tables.sin = tables.cos;
  std::vector<bool> filled(static_cast<std::size_t>(tables.rows));
  for (std::int32_t position : c.positions) {
    const std::size_t row = static_cast<std::size_t>(std::int64_t{position} - *low);
    if (filled[row]) continue;
    filled[row] = true;
    for (std::size_t p = 0; p < pairs; ++p) {
      const CosSin exact = exact_cos_sin(position, c.schedule.inv_freq[p]);
      tables.cos[row * pairs + p] = static_cast<float>(exact.cos);
      tables.sin[row * pairs + p] = static_cast<float>(exact.sin);
    }
  }
  return tables;
}

}  // namespace

LoadedCase::LoadedCase(const Case& c, Runs where, bool with_table)
    : case_(c),
      q_before_(encode(c.dtype, c.q)),
      k_before_(encode(c.dtype, c.k)),
      positions_before_(bytes_of(c.positions)),
      inv_freq_before_(bytes_of(std::vector<float>(c.schedule.inv_freq.begin(), c.schedule.inv_freq.end()))) {
  if (with_table) {
    const Tables tables = build_tables(c);
    first_position_ = tables.first_position;
    table_rows_ = tables.rows;
    cos_before_ = bytes_of(tables.cos);
    sin_before_ = bytes_of(tables.sin);
  }
  q_ = GuardedBuffer(where, q_before_);
  k_ = GuardedBuffer(where, k_before_);
  positions_ = GuardedBuffer(where, positions_before_);
  inv_freq_ = GuardedBuffer(where, inv_freq_before_);
  cos_ = GuardedBuffer(where, cos_before_);
  sin_ = GuardedBuffer(where, sin_before_);
}

RopeCall LoadedCase::call(CUstream_st* stream) {
  return {.shape = case_.shape,
          .dtype = case_.dtype,
          .style = case_.style,
          .base = case_.spec.base,
          .q = q_.as<void>(),
          .k = k_.as<void>(),
          .positions = positions_.as<std::int32_t>(),
          .cos_table = cos_.as<float>(),
          .sin_table = sin_.as<float>(),
          .first_position = first_position_,
          .table_rows = table_rows_,
          .inv_freq = inv_freq_.as<float>(),
          .stream = stream};
}

void LoadedCase::restore() {
  q_.write(q_before_);
  k_.write(k_before_);
}

CheckResult LoadedCase::compare(const Variant& variant) const {
  CheckResult result;
  result.what = variant.name;
  result.on = case_.name;
  const auto compare_tensor = [&](const char* name, std::int64_t heads, const std::vector<float>& before,
                                  const std::vector<std::byte>& before_bits, const GuardedBuffer& buffer) {
    const GuardedBuffer::Content content = buffer.read();
    const std::vector<float> after = decode(case_.dtype, content.bytes);
    const RotatedTensor tensor{name, heads, before, after, before_bits, content.bytes};
    Expectation expect{.shape = case_.shape,
                       .dtype = case_.dtype,
                       .style = case_.style,
                       .spec = case_.spec,
                       .schedule = case_.schedule,
                       .positions = case_.positions,
                       .angles = variant.angles,
                       .given = case_.given};
    compare_rotated(tensor, expect, result);
    if (variant.angles == Angles::f32_list && !case_.given_f32_angle.empty()) {
      expect.given = case_.given_f32_angle;
      expect.given_has_float_angles = true;
      compare_rotated(tensor, expect, result);
    }
    if (!content.guards_intact)
      result.fault(std::string(name) + ": memory before or behind the tensor was written");
  };
  const auto compare_input = [&](const char* name, const std::vector<std::byte>& before,
                                 const GuardedBuffer& buffer) {
    const GuardedBuffer::Content content = buffer.read();
    if (content.bytes != before) result.fault(std::string(name) + ": an input was modified");
    if (!content.guards_intact)
      result.fault(std::string(name) + ": memory before or behind the input was written");
  };
  compare_input("positions", positions_before_, positions_);
  compare_input("inv_freq", inv_freq_before_, inv_freq_);
  compare_input("cos table", cos_before_, cos_);
  compare_input("sin table", sin_before_, sin_);
  compare_tensor("q", case_.shape.q_heads, case_.q, q_before_, q_);
  compare_tensor("k", case_.shape.kv_heads, case_.k, k_before_, k_);
  return result;
}

CheckResult check_variant(const Variant& variant, const Case& c, Runs where) {
  LoadedCase loaded(c, where, variant.reads_table);
  if (where == Runs::on_host) {
    variant.run(loaded.call(nullptr));
  } else {
    Stream stream;
    variant.run(loaded.call(stream));
    stream.synchronize();
  }
  return loaded.compare(variant);
}

std::int64_t bytes_to_move(const Shape& shape, Dtype dtype, bool reads_table) {
  const std::int64_t tensors = 2 * (shape.q_size() + shape.k_size()) * size_in_bytes(dtype);
  const std::int64_t positions = 4 * shape.rows();
  const std::int64_t angles = reads_table ? 2 * 4 * shape.rows() * shape.pairs() : 4 * shape.pairs();
  return tensors + positions + angles;
}

}  // namespace ropewalk
