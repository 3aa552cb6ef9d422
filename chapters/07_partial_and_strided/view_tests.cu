/// \file
/// Chapter 07, without a kernel: which calls are refused, which regions meet, how wide an access may be.
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "chapters/07_partial_and_strided/kernels.cuh"
#include "common/testing/catch.hpp"

namespace ropewalk::strided {
namespace {

using Half = Rotation<__half, __half>;

constexpr std::uintptr_t kQ = 1 << 24, kK = 1 << 25, kOther = 1 << 26;  // nothing is read there

template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

/// In place, 2 sequences of 3 tokens, 4 + 2 heads of 128 channels, of which 64 turn from channel 32 on.
template <class From, class To>
Rotation<From, To> usual() {
  const auto view = []<class T>(std::uintptr_t address, long long heads, T*) {
    return View<T>{at<T>(address), 3 * heads * 128, heads * 128, 128};
  };
  return {.q_from = view(kQ, 4, static_cast<const From*>(nullptr)),
          .k_from = view(kK, 2, static_cast<const From*>(nullptr)),
          .q_to = view(kQ, 4, static_cast<To*>(nullptr)),
          .k_to = view(kK, 2, static_cast<To*>(nullptr)),
          .positions = nullptr,
          .batch = 2,
          .tokens = 3,
          .q_heads = 4,
          .kv_heads = 2,
          .head_dim = 128,
          .rotary_dim = 64,
          .rotary_offset = 32,
          .interleaved = false};
}

/// The message of the refusal of `usual` with this change, or empty.
template <class From = __half, class To = __half, class Change>
std::string refusal(Change change) {
  Rotation<From, To> a = usual<From, To>();
  change(a);
  const std::string fault = fault_of(a);
  if (fault.empty()) return fault;
  std::string message;
  try {
    launch_window(nullptr, a, Table{nullptr, nullptr, 0, 0});
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(message == fault);
  CHECK(fault.find('\n') == std::string::npos);
  CHECK(fault.find("allowed: ") != std::string::npos);
  return fault;
}

bool begins(const std::string& text, const char* with) {
  return text.rfind(with, 0) == 0;
}

constexpr std::uintptr_t kTable = 1 << 27;

template <class From = __half, class To = __half, class Change>
int fits(Change change, int bytes = 16, std::uintptr_t table = kTable) {
  Rotation<From, To> a = usual<From, To>();
  change(a);
  return channels_that_fit(a, Table{at<const float>(table), at<const float>(table), 0, 1}, bytes);
}

template <class From, class To>
void move_out_of_place(Rotation<From, To>& a) {
  a.q_to.data = at<To>(kOther);
  a.k_to.data = at<To>(2 * kOther);
}

}  // namespace

TEST_CASE("windows that are refused") {
  CHECK(refusal([](Half&) {}).empty());
  CHECK(begins(refusal([](Half& a) { a.rotary_dim = 0; }), "rotary_dim: 0"));
  CHECK(begins(refusal([](Half& a) { a.rotary_dim = 3; }), "rotary_dim: 3 is odd"));
  CHECK(begins(refusal([](Half& a) { a.rotary_dim = 33; }), "rotary_dim: 33 is odd"));
  CHECK(begins(refusal([](Half& a) { a.rotary_dim = 130; }), "rotary_dim: 130 is larger than head_dim"));
  CHECK(begins(refusal([](Half& a) { a.rotary_offset = 15; }), "rotary_offset: 15 is odd"));
  CHECK(begins(refusal([](Half& a) { a.rotary_offset = -2; }), "rotary_offset: -2 moves"));
  CHECK(begins(refusal([](Half& a) { a.rotary_offset = 66; }), "rotary_offset: 66 moves"));
  CHECK(refusal([](Half& a) { a.rotary_offset = 64; }).empty());
}

TEST_CASE("overlaps that are refused, and neighbours that are not") {
  constexpr const char* kOverlap = "q: source and destination overlap";
  CHECK(refusal([](Half& a) { move_out_of_place(a); }).empty());
  // A destination that begins one token, one head or one element behind its source.
  for (const int step : {512, 128, 1, -1, -128})
    CHECK(begins(refusal([&](Half& a) { a.q_to.data += step; }), kOverlap));
  // Behind the last element.
  CHECK(refusal([](Half& a) { a.q_to.data += 2 * 3 * 4 * 128; }).empty());
  CHECK(begins(refusal([](Half& a) { a.q_to.data += 2 * 3 * 4 * 128 - 1; }), kOverlap));
  CHECK(begins(refusal([](Half& a) { a.k_to.data += 1; }), "k: source and destination overlap"));
  // The same memory with other strides, or read as another type.
  CHECK(begins(refusal([](Half& a) {
                 a.q_to.head_stride = 3 * 128;
                 a.q_to.token_stride = 128;
               }),
               kOverlap));
  CHECK(begins(refusal<float, __half>([](auto&) {}), kOverlap));
  // The first half of each row is the source, the second half the destination: ranges meet, heads do not.
  const auto rows_of_two = [](Half& a) {
    for (auto* strides : {&a.q_to.token_stride, &a.q_from.token_stride}) *strides = 2 * 4 * 128;
    for (auto* strides : {&a.q_to.batch_stride, &a.q_from.batch_stride}) *strides = 3 * 2 * 4 * 128;
    a.q_to.data += 4 * 128;
  };
  CHECK(refusal(rows_of_two).empty());
  CHECK(begins(refusal([&](Half& a) {
                 rows_of_two(a);
                 --a.q_to.data;
               }),
               kOverlap));
  // Useless strides do not matter, neither do tensors without elements.
  CHECK(refusal([](Half& a) {
          a.batch = 1;
          a.q_to.batch_stride = 7;
          a.q_from.batch_stride = -3;
        }).empty());
  CHECK(refusal([](Half& a) {
          a.kv_heads = 0;
          a.k_to.data = a.q_to.data;
        }).empty());
  CHECK(begins(refusal([](Half& a) { a.k_from.data = a.k_to.data = a.q_to.data + 128; }), "q and k: "));
  CHECK(begins(refusal([](Half& a) { a.q_from.data = a.q_to.data = at<__half>(kK - 2); }), "q and k: "));
  CHECK(begins(refusal([](Half& a) { a.q_from.head_stride = a.q_to.head_stride = 0; }),
               "q: heads of the destination overlap"));
  CHECK(begins(refusal([](Half& a) { a.k_from.head_stride = a.k_to.head_stride = 127; }),
               "k: heads of the destination overlap"));
  CHECK(begins(refusal([](Half& a) { a.q_from.token_stride = a.q_to.token_stride = -512; }),
               "q: a stride is negative"));
  // A source may be read several times.
  CHECK(refusal([](Half& a) {
          move_out_of_place(a);
          a.k_from.head_stride = a.k_from.token_stride = a.k_from.batch_stride = 0;
        }).empty());
}

TEST_CASE("strides that lead beyond 2^63 - 1") {
  constexpr long long kMost = std::numeric_limits<long long>::max();
  // Four steps of 2^61 elements of 2 bytes are 2^64 bytes, which wrap to 0.
  for (const long long stride : {1LL << 61, 1LL << 62, kMost})
    for (const int axis : {0, 1, 2})
      for (const int view : {0, 1, 2, 3}) {
        CAPTURE(stride, axis, view);
        const std::string fault = refusal([&](Half& a) {
          move_out_of_place(a);
          a.batch = a.tokens = a.q_heads = a.kv_heads = 5;
          const auto lengthen = [&](auto& tensor) {
            (axis == 0 ? tensor.batch_stride : axis == 1 ? tensor.token_stride : tensor.head_stride) = stride;
          };
          if (view == 0) lengthen(a.q_from);
          if (view == 1) lengthen(a.q_to);
          if (view == 2) lengthen(a.k_from);
          if (view == 3) lengthen(a.k_to);
        });
        CHECK(begins(fault, view < 2 ? "q: a stride leads too far" : "k: a stride leads too far"));
      }
  // Two tokens of one head, which end at 2^63 - 1 at most.
  const auto two_tokens = [](long long stride) {
    return refusal([&](Half& a) {
      a.batch = a.q_heads = 1, a.kv_heads = 0, a.tokens = 2;
      a.q_from.token_stride = a.q_to.token_stride = stride;
    });
  };
  const long long longest = (kMost - static_cast<long long>(kQ) - 256) / 2;
  CHECK(two_tokens(longest).empty());
  CHECK(begins(two_tokens(longest + 1), "q: a stride leads too far"));
  CHECK(begins(refusal([](Half& a) { a.q_from.data = a.q_to.data = at<__half>(~std::uintptr_t{0} - 1023); }),
               "q: a stride leads too far"));
  // Nobody uses these.
  CHECK(refusal([](Half& a) {
          a.tokens = 1;
          a.q_from.token_stride = a.k_to.token_stride = kMost;
        }).empty());
  CHECK(refusal([](Half& a) {
          a.kv_heads = 0;
          a.k_from.token_stride = a.k_to.head_stride = kMost;
        }).empty());
  for (const bool tokens : {false, true})
    CHECK(refusal([&](Half& a) {
            (tokens ? a.tokens : a.batch) = 0;
            a.q_from.token_stride = a.k_to.head_stride = kMost;
            a.q_to.head_stride = -1;
          }).empty());
}

TEST_CASE("slices of one packed row of q, k and v") {
  const auto packed = [](Half& a) {
    a.k_to.data = a.q_to.data + 4 * 128;
    a.k_from.data = a.k_to.data;
    for (auto* strides :
         {&a.q_to.token_stride, &a.q_from.token_stride, &a.k_to.token_stride, &a.k_from.token_stride})
      *strides = 8 * 128;
    for (auto* strides :
         {&a.q_to.batch_stride, &a.q_from.batch_stride, &a.k_to.batch_stride, &a.k_from.batch_stride})
      *strides = 3 * 8 * 128;
  };
  CHECK(refusal(packed).empty());
  CHECK(begins(refusal([&](Half& a) {
                 packed(a);
                 a.k_to.data -= 2;
                 a.k_from.data -= 2;
               }),
               "q and k: "));
}

// Against the definition: every byte of one region beside every byte of the other.
TEST_CASE("regions with the same strides meet exactly where they share a byte") {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return static_cast<long long>(random() % n); };
  int meeting = 0, apart_in_range = 0, folded = 0;
  for (int round = 0; round < 20000; ++round) {
    Region a{1000, {}, {}, 1 + below(4)},
        b{static_cast<std::uintptr_t>(950 + below(100)), {}, {}, 1 + below(4)};
    for (std::size_t i = 0; i < 3; ++i) {
      const long long stride = below(24);
      a.counts[i] = 1 + below(3);
      b.counts[i] = 1 + below(3);
      a.strides[i] = a.counts[i] == 1 ? 0 : stride;
      b.strides[i] = b.counts[i] == 1 ? 0 : stride;
    }
    const auto heads = [](const Region& r) {
      std::vector<long long> starts;
      for (long long i = 0; i < r.counts[0]; ++i)
        for (long long j = 0; j < r.counts[1]; ++j)
          for (long long k = 0; k < r.counts[2]; ++k)
            starts.push_back(static_cast<long long>(r.address) + i * r.strides[0] + j * r.strides[1] +
                             k * r.strides[2]);
      return starts;
    };
    const std::vector<long long> first = heads(a), second = heads(b);
    bool share = false, twice = false;
    for (const long long x : first)
      for (const long long y : second) share |= x < y + b.head_bytes && y < x + a.head_bytes;
    for (std::size_t i = 0; i < first.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) twice |= std::abs(first[i] - first[j]) < a.head_bytes;
    const bool ranges = a.end() > b.address && b.end() > a.address;
    if (meet(a, b) != share || meet(b, a) != share || meets_itself(a) != twice) {
      CAPTURE(round);
      CHECK(meet(a, b) == share);
      CHECK(meet(b, a) == share);
      CHECK(meets_itself(a) == twice);
    }
    meeting += share;
    apart_in_range += ranges && !share;
    folded += twice;
  }
  CHECK(meeting > 1000);  // the cases are of all kinds
  CHECK(apart_in_range > 1000);
  CHECK(folded > 1000);
}

TEST_CASE("how many channels an access may move") {
  CHECK(fits([](Half&) {}) == 8);
  CHECK(fits([](Half&) {}, 8) == 4);
  CHECK(fits([](Half&) {}, 2) == 1);
  CHECK(fits([](Half&) {}, 12) == 4);
  CHECK(fits([](Half&) {}, 3) == 1);
  CHECK(fits([](Half&) {}, 0) == 1);   // one element is the least
  CHECK(fits([](Half&) {}, 32) == 8);  // and 16 bytes the most
  CHECK(fits<float, float>([](auto&) {}) == 4);
  CHECK(fits<float, float>([](auto&) {}, 32) == 4);
  CHECK(fits<float, __half>([](auto& a) { move_out_of_place(a); }) == 4);
  SECTION("addresses") {
    const auto moved = [](int elements) {
      return fits([&](Half& a) { a.q_from.data = a.q_to.data += elements; });
    };
    CHECK(moved(8) == 8);
    CHECK(moved(4) == 4);
    CHECK(moved(2) == 2);
    CHECK(moved(1) == 1);
    CHECK(fits([](Half& a) { a.k_from.data = a.k_to.data += 2; }) == 2);
    CHECK(fits([](Half& a) {
            move_out_of_place(a);
            a.k_from.data += 1;
          }) == 1);
    CHECK(fits([](Half& a) {
            a.kv_heads = 0;
            a.k_from.data = a.k_to.data += 1;
          }) == 8);
    CHECK(fits([](Half&) {}, 16, kTable + 8) == 4);  // runs of 4 numbers need 16 bytes
    CHECK(fits([](Half&) {}, 16, kTable + 4) == 2);
  }
  SECTION("strides") {
    CHECK(fits([](Half& a) { a.q_from.head_stride = a.q_to.head_stride = 132; }) == 4);
    CHECK(fits([](Half& a) { a.q_from.token_stride = a.q_to.token_stride = 602; }) == 2);
    CHECK(fits([](Half& a) { a.k_from.batch_stride = a.k_to.batch_stride = 1001; }) == 1);
    CHECK(fits([](Half& a) {
            a.batch = 1;
            a.k_from.batch_stride = a.k_to.batch_stride = 1001;
          }) == 8);
    CHECK(fits([](Half& a) {
            a.kv_heads = 1;
            a.k_from.head_stride = a.k_to.head_stride = 129;
          }) == 8);
    CHECK(fits([](Half& a) {
            move_out_of_place(a);
            a.q_to.token_stride = 514;
          }) == 2);
  }
  SECTION("windows") {
    const auto window = [](int head_dim, int rotary_dim, int rotary_offset, bool apart = false) {
      return fits([&](Half& a) {
        a.head_dim = head_dim;
        a.rotary_dim = rotary_dim;
        a.rotary_offset = rotary_offset;
        if (apart) move_out_of_place(a);
      });
    };
    CHECK(window(128, 128, 0) == 8);
    CHECK(window(96, 24, 0) == 4);    // GPT-NeoX: halves of 12
    CHECK(window(80, 20, 0) == 2);    // halves of 10
    CHECK(window(128, 64, 36) == 4);  // begins at a multiple of 4
    CHECK(window(128, 64, 14) == 2);
    CHECK(window(128, 6, 0) == 1);  // halves of 3
    // What lies behind the window matters only if it is copied.
    CHECK(window(100, 64, 32) == 8);
    CHECK(window(100, 64, 32, true) == 4);
    CHECK(window(101, 64, 32, true) == 1);
  }
}

TEST_CASE("the accesses that calls of some models get in bf16") {
  struct Model {
    const char* name;
    int q_heads, kv_heads, head_dim, rotary_dim, rotary_offset, bytes;
  };
  for (const Model& m : {Model{"StableLM-3B", 32, 32, 80, 20, 0, 4},
                         {"GPT-NeoX-20B", 64, 64, 96, 24, 0, 8},
                         {"GPT-J-6B", 16, 16, 256, 64, 0, 16},
                         {"GLM-4-9B", 32, 2, 128, 64, 0, 16},
                         {"DeepSeek-V2-Lite", 16, 16, 192, 64, 128, 16}})
    for (const bool apart : {false, true}) {
      CAPTURE(m.name, apart);
      const int channels = fits<__nv_bfloat16, __nv_bfloat16>([&](auto& a) {
        a.q_heads = m.q_heads, a.kv_heads = m.kv_heads;
        a.head_dim = m.head_dim, a.rotary_dim = m.rotary_dim, a.rotary_offset = m.rotary_offset;
        const auto lay_out = [&](auto& view, long long heads) {
          view.head_stride = m.head_dim;
          view.token_stride = heads * m.head_dim;
          view.batch_stride = a.tokens * view.token_stride;
        };
        lay_out(a.q_from, m.q_heads), lay_out(a.q_to, m.q_heads);
        lay_out(a.k_from, m.kv_heads), lay_out(a.k_to, m.kv_heads);
        if (apart) move_out_of_place(a);
      });
      CHECK(channels * 2 == m.bytes);
    }
}

TEST_CASE("a pack of more than 16 bytes is refused, not left out") {
  const auto message = [] {
    try {
      launch_packs<8>(nullptr, usual<float, float>(), Table{nullptr, nullptr, 0, 0});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message() == "pack: 32 bytes; allowed: up to 16");
}

TEST_CASE("a block is as small as its rounds allow") {
  CHECK(block_for(8, 40).x == 8);
  CHECK(block_for(8, 40).y == 20);  // 32 rows need two rounds, and so do 20
  CHECK(block_for(300, 40).x == 256);
  CHECK(block_for(300, 40).y == 1);
}

}  // namespace ropewalk::strided
