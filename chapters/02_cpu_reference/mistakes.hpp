/// \file
/// The fifteen mistakes of the fault list that plain C++ can make, as broken references. Each replaces one
/// piece of a correct rotation. common/harness/tests/fault_names.hpp says what each of them means.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "chapters/02_cpu_reference/reference.hpp"
#include "common/harness/tests/fault_names.hpp"

namespace ropewalk::reference {

/// Where a pair lies: everything a mistake may look at.
struct Place {
  std::int64_t token, head, pair;
};

/// A rotation taken apart. With the pieces as they stand it is correct, its cos and sin as good as a table's.
struct Pieces {
  std::function<Channels(const RopeCall&, std::int64_t pair)> channels = [](const RopeCall& call,
                                                                            std::int64_t pair) {
    return channels_of(call.style, pair, call.shape.rotary_dim);
  };
  std::function<double(const RopeCall&, const Place&)> position = [](const RopeCall& call, const Place& at) {
    return static_cast<double>(call.positions[at.token]);
  };
  std::function<double(const RopeCall&, std::int64_t pair)> frequency = [](const RopeCall& call,
                                                                           std::int64_t pair) {
    return std::pow(call.base, -2.0 * static_cast<double>(pair) / static_cast<double>(call.shape.rotary_dim));
  };
  std::function<Rotation(const RopeCall&, const Place&, double angle)> cos_sin =
      [](const RopeCall&, const Place&, double angle) {
        return Rotation{static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
      };
  std::function<void(float& x0, float& x1, Rotation)> turn = [](float& x0, float& x1, Rotation t) {
    const float y0 = x0 * t.cosine - x1 * t.sine;
    x1 = x0 * t.sine + x1 * t.cosine;
    x0 = y0;
  };
  int times = 1;
  bool clear_tail = false;
  std::int64_t block = 1;  // pairs are worked on in whole blocks of this many
};

inline void rotate_tensor(const RopeCall& call, const Pieces& pieces, void* tensor, std::int64_t heads) {
  const Shape& s = call.shape;
  const std::int64_t all = s.token_count() * heads * s.pairs() / pieces.block * pieces.block;
  for (std::int64_t i = 0; i < all; ++i) {
    const std::int64_t row = i / s.pairs();
    const Place at{row / heads, row % heads, i % s.pairs()};
    float* head = static_cast<float*>(tensor) + row * s.head_dim;
    const Channels channels = pieces.channels(call, at.pair);
    const double angle = pieces.position(call, at) * pieces.frequency(call, at.pair);
    for (int n = 0; n < pieces.times; ++n)
      pieces.turn(head[channels.first], head[channels.second], pieces.cos_sin(call, at, angle));
    if (pieces.clear_tail)
      for (std::int64_t c = s.rotary_dim; c < s.head_dim; ++c) head[c] = 0;
  }
}

inline Variant taken_apart(std::string name, Pieces pieces) {
  Variant variant;
  variant.name = std::move(name);
  variant.angles = Angles::exact;
  variant.reads_table = true;
  variant.run = [pieces = std::move(pieces)](const RopeCall& call) {
    rotate_tensor(call, pieces, call.q, call.shape.q_heads);
    rotate_tensor(call, pieces, call.k, call.shape.kv_heads);
  };
  return variant;
}

/// All fifteen, in the order and with the names of faults::kMistakes. The first one exists in the half style
/// only.
inline std::vector<Variant> mistakes() {
  using faults::Fault;
  std::vector<Variant> list;
  const auto add = [&](Fault fault, auto change) {
    Pieces pieces;
    change(pieces);
    for (const faults::FaultText& text : faults::kMistakes)
      if (text.fault == fault) list.push_back(taken_apart(std::string(text.name), std::move(pieces)));
  };
  add(Fault::split_at_half_of_head, [](Pieces& p) {
    p.channels = [](const RopeCall& call, std::int64_t pair) {
      return call.style == Style::half ? Channels{pair, pair + call.shape.head_dim / 2}
                                       : channels_of(call.style, pair, call.shape.rotary_dim);
    };
  });
  add(Fault::other_style, [](Pieces& p) {
    p.channels = [](const RopeCall& call, std::int64_t pair) {
      const Style other = call.style == Style::half ? Style::interleaved : Style::half;
      return channels_of(other, pair, call.shape.rotary_dim);
    };
  });
  add(Fault::sign, [](Pieces& p) {
    p.cos_sin = [](const RopeCall&, const Place&, double angle) {
      return Rotation{static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))};
    };
  });
  add(Fault::exponent_over_head_dim, [](Pieces& p) {
    p.frequency = [](const RopeCall& call, std::int64_t pair) {
      return std::pow(call.base, -2.0 * static_cast<double>(pair) / static_cast<double>(call.shape.head_dim));
    };
  });
  add(Fault::wrong_base, [](Pieces& p) {
    p.frequency = [](const RopeCall& call, std::int64_t pair) {
      return std::pow(faults::kWrongBaseFactor * call.base,
                      -2.0 * static_cast<double>(pair) / static_cast<double>(call.shape.rotary_dim));
    };
  });
  add(Fault::position_off_by_one, [](Pieces& p) {
    p.position = [](const RopeCall& call, const Place& at) { return call.positions[at.token] + 1.0; };
  });
  add(Fault::head_taken_for_position, [](Pieces& p) {
    p.position = [](const RopeCall&, const Place& at) { return static_cast<double>(at.head); };
  });
  add(Fault::positions_ignored, [](Pieces& p) {
    p.position = [](const RopeCall& call, const Place& at) {
      return static_cast<double>(at.token % call.shape.tokens);
    };
  });
  add(Fault::cos_and_sin_swapped, [](Pieces& p) {
    p.cos_sin = [](const RopeCall&, const Place&, double angle) {
      return Rotation{static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle))};
    };
  });
  add(Fault::in_place_order, [](Pieces& p) {
    p.turn = [](float& x0, float& x1, Rotation t) {
      x0 = x0 * t.cosine - x1 * t.sine;
      x1 = x0 * t.sine + x1 * t.cosine;  // x0 is no longer what it was
    };
  });
  add(Fault::tail_lost, [](Pieces& p) { p.clear_tail = true; });
  add(Fault::last_block_skipped, [](Pieces& p) { p.block = faults::kBlockOfPairs; });
  add(Fault::rotated_twice, [](Pieces& p) { p.times = 2; });
  add(Fault::table_row_of_another_token, [](Pieces& p) {
    p.cos_sin = [](const RopeCall& call, const Place& at, double) {
      const std::int64_t entry = at.token * call.shape.pairs() + at.pair;
      return at.token < call.table_rows ? Rotation{call.cos_table[entry], call.sin_table[entry]}
                                        : Rotation{NAN, NAN};
    };
  });
  add(Fault::nothing_done, [](Pieces& p) { p.times = 0; });
  return list;
}

}  // namespace ropewalk::reference
