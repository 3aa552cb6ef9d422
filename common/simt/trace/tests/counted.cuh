/// \file
/// Kernels whose accesses were counted on a GPU as well, and their launches. The text compiles for both:
/// count_tests.cu compares the trace with h200_counters.csv, which Nsight Compute filled from counted.cu.
#pragma once

#include <cuda_fp16.h>

#include <functional>
#include <string>
#include <vector>

#include "common/simt/tests/launch.hpp"

namespace trace_tests::counted {

inline constexpr const char* kFile = __FILE__;
inline constexpr int kTokens = 64, kHeads = 32, kHeadDim = 128, kPairs = kHeadDim / 2;

/// One thread per pair.
static __global__ void rope_naive(float* x, const float* cosines, const float* sines) {
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
static __global__ void rmsnorm_rope_warp(__half* x, const float* weights, const float* cosines,
                                         const float* sines) {
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
static __global__ void vectors_and_conflicts(const float4* in, __half* out, float* strided) {
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
__global__ void copy(const T* from, T* to, int stride, int offset) {
  const int i = int(threadIdx.x) * stride + offset;
  to[threadIdx.x] = from[i];  // copy
}

/// Every group of lanes shares a word. Its first lane writes it, and all lanes of the group ahead read it.
template <class T>
__global__ void shared_words(int stride, int group, T* out) {
  __shared__ T words[32 * 33];
  const int t = int(threadIdx.x), next = (t + group) % 32;
  if (t % group == 0) words[t / group * stride] = out[t];  // shared store
  __syncthreads();
  out[t] = words[next / group * stride];  // shared load
}

/// Lane i reads word index[i] of shared memory, or nothing if that is negative.
template <class T>
__global__ void shared_gather(const int* index, T* out) {
  __shared__ T words[64];
  const unsigned t = threadIdx.x;
  const T value = out[t];
  words[t] = value;
  words[t + 32] = value;
  __syncthreads();
  if (index[t] >= 0) out[t] = words[index[t]];  // shared gather
}

/// Three numbers, for which there is no single access.
template <class T>
struct Triple {
  T x, y, z;
};

/// Eight numbers with one access, if they are halves.
template <class T>
struct alignas(8 * sizeof(T)) Pack {
  T values[8];
};

/// A launch with a name: it allocates what it needs, launches one kernel once, and waits.
struct Launch {
  std::string name;
  std::function<void()> run;
};

template <class T>
Launch copy_of(std::string name, unsigned threads, int stride, int offset) {
  return {std::move(name), [=] {
            const simt_tests::Buffer<T> from(std::vector<T>(4096)), to(1024);
            simt_tests::run(1, threads, copy<T>, from.data(), to.data(), stride, offset);
          }};
}

template <class T>
Launch words_of(std::string name, int stride, int group = 1) {
  return {std::move(name), [=] {
            const simt_tests::Buffer<T> out(std::vector<T>(32));
            simt_tests::run(1, 32, shared_words<T>, stride, group, out.data());
          }};
}

template <class T>
Launch gather_of(std::string name, std::function<int(int)> index) {
  return {std::move(name), [index = std::move(index)] {
            std::vector<int> all;
            for (int lane = 0; lane < 32; ++lane) all.push_back(index(lane));
            const simt_tests::Buffer<int> indices(all);
            const simt_tests::Buffer<T> out(std::vector<T>(32));
            simt_tests::run(1, 32, shared_gather<T>, indices.data(), out.data());
          }};
}

/// The ways in which lanes can share words that are wider than a bank.
template <class T>
void add_gathers(std::vector<Launch>& to, const std::string& type) {
  const auto add = [&](const char* name, std::function<int(int)> index) {
    to.push_back(gather_of<T>(type + "_gather_" + name, std::move(index)));
  };
  add("own", [](int lane) { return lane; });
  add("reversed", [](int lane) { return 31 - lane; });
  add("shuffled", [](int lane) { return lane * 11 % 32; });
  add("pairs", [](int lane) { return lane / 2; });
  add("pairs_shuffled", [](int lane) { return lane / 2 * 11 % 32; });
  add("pairs_apart", [](int lane) { return lane & ~1; });
  add("lane_2_shares", [](int lane) { return lane / 4 * 2 + lane % 2; });
  add("lane_3_shares", [](int lane) { return lane / 4 * 2 + (lane + 1) / 2 % 2; });
  add("lane_4_shares", [](int lane) { return lane / 8 * 4 + lane % 4; });
  add("lane_8_shares", [](int lane) { return lane / 16 * 8 + lane % 8; });
  add("lane_16_shares", [](int lane) { return lane % 16; });
  add("pairs_but_last_quad", [](int lane) { return lane < 28 ? lane / 2 : 14 + lane % 2; });
  add("pairs_in_first_half", [](int lane) { return lane < 16 ? lane / 2 : lane / 4 * 2 + lane % 2; });
  add("quads", [](int lane) { return lane / 4; });
  add("eights", [](int lane) { return lane / 8; });
  add("every_eighth", [](int lane) { return lane % 8; });
  add("one_word", [](int) { return 3; });
  add("even_lanes", [](int lane) { return lane % 2 == 0 ? lane / 2 : -1; });
  add("even_lanes_apart", [](int lane) { return lane % 2 == 0 ? lane : -1; });
  add("pairs_of_some", [](int lane) { return lane % 8 < 4 ? lane / 2 : -1; });
  add("pairs_without_lane_9", [](int lane) { return lane == 9 ? -1 : lane / 2; });
  add("first_half", [](int lane) { return lane < 16 ? lane : -1; });
  add("first_quarter", [](int lane) { return lane < 8 ? lane : -1; });
  add("one_lane", [](int lane) { return lane == 5 ? 9 : -1; });
  add("two_words", [](int lane) { return lane % 2 * 32; });
  add("two_words_by_halves", [](int lane) { return lane / 16 * 32; });
  add("pairs_in_one_bank", [](int lane) { return lane / 2 % 2 * 32; });
  add("pairs_conflict_in_first_half", [](int lane) { return lane < 16 ? lane / 2 % 2 * 32 : lane / 2; });
  add("pairs_conflict_in_a_quad", [](int lane) { return lane < 4 ? lane / 2 * 32 : lane / 2; });
  add("pairs_conflict_across_halves", [](int lane) { return lane < 16 ? lane / 2 : 24 + lane / 2; });
  add("pairs_conflict_across_quarters", [](int lane) {
    return lane < 8 ? lane / 2 : lane < 16 ? 28 + lane / 2 : lane / 2;
  });
}

struct RopeInputs {
  simt_tests::Buffer<float> x{std::vector<float>(kTokens * kHeads * kHeadDim, 0.5f)};
  simt_tests::Buffer<__half> halves{std::vector<__half>(kTokens * kHeads * kHeadDim, __half(0.5f))};
  simt_tests::Buffer<float> weights{std::vector<float>(kHeadDim, 1.5f)};
  simt_tests::Buffer<float> cosines{std::vector<float>(kTokens * kPairs, 0.6f)},
      sines{std::vector<float>(kTokens * kPairs, 0.8f)};
};

inline void run_rope_naive() {
  const RopeInputs in;
  simt_tests::run(kTokens * kHeads * kPairs / 256 + 1, 256, rope_naive, in.x.data(), in.cosines.data(),
                  in.sines.data());
}

inline void run_rope_shared() {
  const RopeInputs in;
  simt_tests::run(dim3(kHeads, kTokens), kHeadDim, rope_shared<kHeadDim>, in.x.data(), in.cosines.data(),
                  in.sines.data());
}

inline void run_rmsnorm_rope_warp() {
  const RopeInputs in;
  simt_tests::run(kTokens * kHeads / 4, 128, rmsnorm_rope_warp, in.halves.data(), in.weights.data(),
                  in.cosines.data(), in.sines.data());
}

inline void run_vectors_and_conflicts() {
  const simt_tests::Buffer<float4> in(std::vector<float4>(32, make_float4(1, 2, 3, 4)));
  const simt_tests::Buffer<__half> out(32);
  const simt_tests::Buffer<float> strided(32 * 8);
  simt_tests::run(1, 32, vectors_and_conflicts, in.data(), out.data(), strided.data());
}

inline std::vector<Launch> launches() {
  std::vector<Launch> all = {
      {"rope_naive", run_rope_naive},
      {"rope_shared", run_rope_shared},
      {"rmsnorm_rope_warp", run_rmsnorm_rope_warp},
      {"vectors_and_conflicts", run_vectors_and_conflicts},
      copy_of<float>("floats", 32, 1, 0),
      copy_of<float>("floats_stride_2", 32, 2, 0),
      copy_of<float>("floats_stride_8", 32, 8, 0),
      copy_of<float>("floats_unaligned", 32, 1, 1),
      copy_of<float>("half_warp_unaligned", 16, 1, 4),
      copy_of<float>("one_float_for_all", 32, 0, 7),
      copy_of<float>("floats_backwards", 32, -1, 31),
      copy_of<float>("forty_lanes", 40, 1, 0),
      copy_of<__half>("halves", 32, 1, 0),
      copy_of<char>("bytes_unaligned", 32, 1, 31),
      copy_of<double>("doubles", 32, 1, 0),
      copy_of<float4>("float4s", 32, 1, 0),
      copy_of<Pack<__half>>("packs_of_8_halves", 32, 1, 0),
      copy_of<Triple<float>>("triples", 32, 1, 0),
      copy_of<Triple<__half>>("triples_of_halves", 32, 1, 0),
      words_of<float>("shared_floats", 1),
      words_of<float>("shared_floats_stride_2", 2),
      words_of<float>("shared_floats_stride_32", 32),
      words_of<float>("shared_floats_stride_33", 33),
      words_of<__half>("shared_halves", 1),
      words_of<double>("shared_doubles", 1),
      words_of<double>("shared_doubles_stride_2", 2),
      words_of<double>("shared_doubles_stride_16", 16),
      words_of<double>("shared_doubles_by_two_lanes", 1, 2),
      words_of<double>("shared_doubles_by_all_lanes", 1, 32),
      words_of<float4>("shared_float4s", 1),
      words_of<float4>("shared_float4s_stride_2", 2),
      words_of<float4>("shared_float4s_stride_8", 8),
      words_of<float4>("shared_float4s_by_two_lanes", 1, 2),
      words_of<float4>("shared_float4s_by_four_lanes", 1, 4),
      words_of<float4>("shared_float4s_by_all_lanes", 1, 32),
  };
  add_gathers<__half>(all, "halves");
  add_gathers<float>(all, "floats");
  add_gathers<double>(all, "doubles");
  add_gathers<float4>(all, "float4s");
  return all;
}

}  // namespace trace_tests::counted
