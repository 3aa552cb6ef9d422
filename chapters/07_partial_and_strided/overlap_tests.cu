/// \file
/// Chapter 07, without a kernel: which regions meet, and which calls are refused for it.
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "chapters/07_partial_and_strided/usual_call.cuh"

namespace ropewalk::strided {

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

TEST_CASE("out of place: what one tensor writes may meet nothing of the other") {
  // One overlap each; all else is apart.
  CHECK(begins(refusal([](Half& a) {
                 move_out_of_place(a);
                 a.k_to.data = a.q_to.data;
               }),
               "q and k: "));
  CHECK(begins(refusal([](Half& a) {
                 move_out_of_place(a);
                 a.q_to.data = at<__half>(kK);
               }),
               "q and k: "));
  CHECK(begins(refusal([](Half& a) {
                 move_out_of_place(a);
                 a.k_to.data = at<__half>(kQ);
               }),
               "q and k: "));
  // Both may be read from the same memory.
  CHECK(refusal([](Half& a) {
          move_out_of_place(a);
          a.k_from.data = a.q_from.data;
        }).empty());
}

TEST_CASE("a negative stride of the source only") {
  CHECK(begins(refusal([](Half& a) {
                 move_out_of_place(a);
                 a.q_from.token_stride = -512;
               }),
               "q: a stride is negative"));
  CHECK(begins(refusal([](Half& a) {
                 move_out_of_place(a);
                 a.k_from.head_stride = -128;
               }),
               "k: a stride is negative"));
}

TEST_CASE("neighbours with different strides") {
  const auto neighbours = [](long long gap, bool source_first) {
    return refusal([&](Half& a) {
      move_out_of_place(a);
      a.q_to.token_stride *= 2;
      a.q_to.batch_stride *= 2;
      const long long before = source_first ? 2 * 3 * 512 : (1 * 3 + 2) * 1024 + 512;
      if (source_first) a.q_to.data = at<__half>(kQ) + before + gap;
      if (!source_first) a.q_to.data = at<__half>(kQ) - before - gap;
    });
  };
  for (const bool source_first : {false, true}) {
    CHECK(neighbours(0, source_first).empty());
    CHECK(begins(neighbours(-1, source_first), "q: source and destination overlap"));
  }
}

TEST_CASE("a call without tokens is right wherever its tensors lie") {
  for (const bool tokens : {false, true})
    CHECK(refusal([&](Half& a) {
            (tokens ? a.tokens : a.batch) = 0;
            a.q_to.head_stride = 0;
            a.k_to.data = a.q_to.data + 1;
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

}  // namespace ropewalk::strided
