/// \file
/// Chapter 07, without a kernel: which windows are refused, how wide an access may be.
#include <cstdint>
#include <string>

#include "chapters/07_partial_and_strided/usual_call.cuh"

namespace ropewalk::strided {
namespace {

constexpr std::uintptr_t kTable = 1 << 27;

template <class From = __half, class To = __half, class Change>
int fits(Change change, int bytes = 16, std::uintptr_t table = kTable, std::uintptr_t sines = 2 * kTable) {
  Rotation<From, To> a = usual<From, To>();
  change(a);
  return channels_that_fit(a, Table{at<const float>(table), at<const float>(sines), 0, 1}, bytes);
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

TEST_CASE("more heads than an int counts") {
  const auto heads = [](int q, int k) { return refusal([&](Half& a) { a.q_heads = q, a.kv_heads = k; }); };
  CHECK(begins(heads(1 << 30, 1 << 30), "kv_heads: 1073741824 and 1073741824 q heads"));  // together 2^31
  CHECK(begins(heads(1 << 30, 1), "kv_heads: 1 and "));
  CHECK(begins(heads((1 << 30) + 2, 0), "kv_heads: 0 and "));
  CHECK(begins(heads(1 << 29, 1 << 29), "q: heads of the destination overlap"));  // as the strides are
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
    CHECK(fits([](Half&) {}, 16, kTable, 2 * kTable + 8) == 4);  // the sines alone
    CHECK(fits([](Half&) {}, 16, kTable, 2 * kTable + 4) == 2);
    CHECK(fits([](Half& a) {
            move_out_of_place(a);
            a.q_to.data += 2;
          }) == 2);
    CHECK(fits([](Half& a) {
            move_out_of_place(a);
            a.k_to.data += 1;
          }) == 1);
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
    // Is one of the tensors copied, both are treated so.
    for (const bool q : {false, true})
      CHECK(fits([&](Half& a) {
              a.head_dim = 100;
              (q ? a.q_to.data : a.k_to.data) = at<__half>(kOther);
            }) == 4);
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
