/// \file
/// Counts, compared with what Nsight Compute reported for the same kernels and sizes on an H200.
#include <cuda_fp16.h>

#include <vector>

#include "common/simt/trace/tests/tracing.hpp"

using namespace trace_tests;
using simt_tests::Buffer;

namespace {

constexpr int kTokens = 64, kHeads = 32, kHeadDim = 128, kPairs = kHeadDim / 2;

/// One thread per pair.
__global__ void rope_naive(float* x, const float* cosines, const float* sines) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kTokens * kHeads * kPairs) return;
  const int pair = i % kPairs, token = i / kPairs / kHeads;
  float* row = x + i / kPairs * kHeadDim;
  const float c = cosines[token * kPairs + pair], s = sines[token * kPairs + pair];
  const float a = row[pair], b = row[pair + kPairs];
  row[pair] = a * c - b * s;
  row[pair + kPairs] = b * c + a * s;
}

/// One block per token and head stages the row in shared memory.
template <int kDim>
__global__ void rope_shared(float* x, const float* cosines, const float* sines) {
  __shared__ float row[kDim];
  const int t = int(threadIdx.x), token = int(blockIdx.y), i = t % (kDim / 2);
  float* p = x + (token * kHeads + int(blockIdx.x)) * kDim;
  row[t] = p[t];
  __syncthreads();
  const float c = cosines[token * (kDim / 2) + i], s = sines[token * (kDim / 2) + i];
  const float other = row[t < kDim / 2 ? t + kDim / 2 : t - kDim / 2];
  p[t] = row[t] * c + (t < kDim / 2 ? -other : other) * s;
}

/// One warp per token and head: RMSNorm by shuffles, then the rotation, of halves.
__global__ void rmsnorm_rope_warp(__half* x, const float* weights, const float* cosines, const float* sines) {
  constexpr int kPerLane = kPairs / 32;
  const int row = int((blockIdx.x * blockDim.x + threadIdx.x) / 32), lane = int(threadIdx.x % 32);
  const int token = row / kHeads;
  __half* p = x + row * kHeadDim;
  float a[kPerLane], b[kPerLane], sum = 0;
  for (int k = 0; k < kPerLane; ++k) {
    a[k] = __half2float(p[lane + 32 * k]);
    b[k] = __half2float(p[lane + 32 * k + kPairs]);
    sum += a[k] * a[k] + b[k] * b[k];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  const float scale = rsqrtf(sum / kHeadDim + 1e-6f);
  for (int k = 0; k < kPerLane; ++k) {
    const int pair = lane + 32 * k;
    const float c = cosines[token * kPairs + pair], s = sines[token * kPairs + pair];
    const float u = a[k] * scale * weights[pair], v = b[k] * scale * weights[pair + kPairs];
    p[pair] = __float2half(u * c - v * s);
    p[pair + kPairs] = __float2half(v * c + u * s);
  }
}

/// 16-byte loads, a stride of 32 bytes, a column of a tile that lies in one bank, and a value that is stored,
/// loaded and stored again.
__global__ void vectors_and_conflicts(const float4* in, __half* out, float* strided) {
  __shared__ float tile[32][32];
  const unsigned t = threadIdx.x;
  const float4 v = in[t];  // vector load
  strided[t * 8] = v.x;    // strided store
  tile[t][0] = v.y + v.z;  // 32-way conflict
  __syncthreads();
  out[t] = __float2half(tile[0][t] * v.w);
  const __half h = out[t];  // neither compiler loads what it has just stored, nor stores it twice
  out[t] = __hadd(h, h);
}

template <class T>
Buffer<T> filled(std::size_t size) {
  return Buffer<T>(std::vector<T>(size, T(0.5f)));
}

struct Inputs {
  Buffer<float> x{std::vector<float>(kTokens * kHeads * kHeadDim, 0.5f)};
  Buffer<float> cosines{std::vector<float>(kTokens * kPairs, 0.6f)},
      sines{std::vector<float>(kTokens * kPairs, 0.8f)};
};

}  // namespace

TEST_CASE("one thread per pair: the counts of an H200") {
  const Inputs in;
  const Report report = traced_launch(kTokens * kHeads * kPairs / 256 + 1, 256, rope_naive, in.x.data(),
                                      in.cosines.data(), in.sines.data());
  const Totals sum = only_total(report);
  CHECK(report.kernels[0].kernel == "rope_naive");
  CHECK(sum.loads.requests == 16384);
  CHECK(sum.loads.sectors == 65536);
  CHECK(sum.stores.requests == 8192);
  CHECK(sum.stores.sectors == 32768);
  CHECK(sum.loads.ideal_sectors == 65536);
  CHECK(sum.shared_loads == Counts{});
  CHECK(sum.shared_stores == Counts{});
  check_clean(report);
}

TEST_CASE("a row in shared memory: the counts of an H200") {
  const Inputs in;
  const Report report = traced_launch(dim3(kHeads, kTokens), kHeadDim, rope_shared<kHeadDim>, in.x.data(),
                                      in.cosines.data(), in.sines.data());
  const Totals sum = only_total(report);
  CHECK(report.kernels[0].kernel == "rope_shared<128>");
  CHECK(sum.loads.requests == 24576);
  CHECK(sum.loads.sectors == 98304);
  CHECK(sum.stores.requests == 8192);
  CHECK(sum.stores.sectors == 32768);
  CHECK(sum.shared_loads.wavefronts == 16384);
  CHECK(sum.shared_loads.ideal_wavefronts == 16384);
  CHECK(sum.shared_stores.wavefronts == 8192);
  check_clean(report);
}

TEST_CASE("one warp per row: the counts of an H200") {
  const Inputs in;
  const Buffer<__half> x(std::vector<__half>(kTokens * kHeads * kHeadDim, __half(0.5f)));
  const Buffer<float> weights(std::vector<float>(kHeadDim, 1.5f));
  const Report report = traced_launch(kTokens * kHeads / 4, 128, rmsnorm_rope_warp, x.data(), weights.data(),
                                      in.cosines.data(), in.sines.data());
  const Totals sum = only_total(report);
  CHECK(sum.loads.requests == 24576);
  CHECK(sum.loads.sectors == 81920);
  CHECK(sum.stores.requests == 8192);
  CHECK(sum.stores.sectors == 16384);
  CHECK(sum.shared_loads == Counts{});
  check_clean(report);
}

TEST_CASE("vectors, strides and bank conflicts: the counts of an H200, line by line") {
  const Buffer<float4> in(std::vector<float4>(32, make_float4(1, 2, 3, 4)));
  const Buffer<__half> out(32);
  const Buffer<float> strided(32 * 8);
  const Report report = traced_launch(1, 32, vectors_and_conflicts, in.data(), out.data(), strided.data());
  const auto line = [](const char* text) { return line_with(__FILE__, text); };
  CHECK(row_of(report, line("vector load"), Space::kGlobal, Operation::kLoad).counts ==
        Counts{1, 16, 16, 0, 0});
  CHECK(row_of(report, line("vector load"), Space::kGlobal, Operation::kLoad).bytes == 16);
  CHECK(row_of(report, line("strided store"), Space::kGlobal, Operation::kStore).counts ==
        Counts{1, 32, 4, 0, 0});
  CHECK(row_of(report, line("32-way conflict"), Space::kShared, Operation::kStore).counts ==
        Counts{1, 0, 0, 32, 1});
  const Totals sum = only_total(report);
  CHECK(sum.loads.requests == 1);
  CHECK(sum.loads.sectors == 16);
  CHECK(sum.stores.requests == 2);
  CHECK(sum.stores.sectors == 34);
  CHECK(sum.shared_loads.wavefronts == 1);
  CHECK(sum.shared_stores.wavefronts == 32);
  // Lanes 1 to 31 read numbers of the tile's first row that nobody has written, as on purpose.
  CHECK(report.uninitialised == 31);
}
