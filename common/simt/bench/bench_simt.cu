/// \file
/// How many CUDA threads the executor runs in a second: without a barrier, with one barrier, with five
/// shuffles. 32 heads of 128 channels; the arguments are the number of tokens (512) and of repetitions (5),
/// the best of which counts. The trace build makes bench_trace of this file, whose kernels are traced.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef SIMT_BENCH_TRACE
#include "common/simt/trace/trace.hpp"
#endif

namespace {

constexpr int kHeads = 32, kHeadDim = 128, kPairs = kHeadDim / 2;

/// One thread turns one pair.
__global__ void rope_naive(float* x, const float* cosines, const float* sines, int tokens) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= tokens * kHeads * kPairs) return;
  const int pair = i % kPairs, head = i / kPairs % kHeads, token = i / kPairs / kHeads;
  float* row = x + (token * kHeads + head) * kHeadDim;
  const float c = cosines[token * kPairs + pair], s = sines[token * kPairs + pair];
  const float a = row[pair], b = row[pair + kPairs];
  row[pair] = a * c - b * s;
  row[pair + kPairs] = b * c + a * s;
}

/// One block per token and head stages the row in shared memory: one barrier for each thread.
__global__ void rope_shared(float* x, const float* cosines, const float* sines) {
  __shared__ float row[kHeadDim];
  const int i = int(threadIdx.x), pair = i % kPairs, token = int(blockIdx.y);
  float* global_row = x + (token * kHeads + int(blockIdx.x)) * kHeadDim;
  row[i] = global_row[i];
  __syncthreads();
  const float c = cosines[token * kPairs + pair], s = sines[token * kPairs + pair];
  const float other = row[i < kPairs ? i + kPairs : i - kPairs];
  global_row[i] = row[i] * c + (i < kPairs ? -other : other) * s;
}

/// One warp per token and head: RMSNorm, whose sum takes five shuffles for each thread, then the rotation.
__global__ void rmsnorm_rope_warp(__half* x, const float* cosines, const float* sines, int rows) {
  constexpr int kPerLane = kPairs / 32;
  const int row = int((blockIdx.x * blockDim.x + threadIdx.x) / 32), lane = int(threadIdx.x % 32);
  if (row >= rows) return;
  const int token = row / kHeads;
  __half* values = x + row * kHeadDim;
  float a[kPerLane], b[kPerLane], sum = 0;
  for (int k = 0; k < kPerLane; ++k) {
    a[k] = __half2float(values[lane + 32 * k]);
    b[k] = __half2float(values[lane + 32 * k + kPairs]);
    sum += a[k] * a[k] + b[k] * b[k];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  const float scale = rsqrtf(sum / kHeadDim + 1e-6f);
  for (int k = 0; k < kPerLane; ++k) {
    const int pair = lane + 32 * k;
    const float c = cosines[token * kPairs + pair], s = sines[token * kPairs + pair];
    const float u = a[k] * scale, v = b[k] * scale;
    values[pair] = __float2half(u * c - v * s);
    values[pair + kPairs] = __float2half(v * c + u * s);
  }
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(3);
}

template <class... Parameters, class... Arguments>
void measure(const char* name, int repetitions, dim3 grid, dim3 block, void (*kernel)(Parameters...),
             Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  double best = 1e30;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    check(cudaLaunchKernelEx(&config, kernel, arguments...));
    check(cudaDeviceSynchronize());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  const double threads = double(grid.x) * grid.y * grid.z * block.x * block.y * block.z;
  std::printf("%-14s %10.0f threads %8.1f ms %8.1f M threads/s\n", name, threads, best * 1e3,
              threads / best / 1e6);
}

}  // namespace

int main(int count, char** arguments) {
  const int tokens = count > 1 ? std::atoi(arguments[1]) : 512,
            repetitions = count > 2 ? std::atoi(arguments[2]) : 5;
  if (tokens < 1 || repetitions < 1) {
    std::fprintf(stderr, "bench_simt [tokens] [repetitions]: both at least 1\n");
    return 2;
  }
#ifdef SIMT_BENCH_TRACE
  simt::trace::start();
  simt::trace::set_label("bench");
#endif
  const int rows = tokens * kHeads;
  const std::size_t elements = std::size_t(rows) * kHeadDim, angles = std::size_t(tokens) * kPairs;
  float *x = nullptr, *cosines = nullptr, *sines = nullptr;
  __half* halves = nullptr;
  check(cudaMalloc(&x, elements * sizeof(float)));
  check(cudaMalloc(&halves, elements * sizeof(__half)));
  check(cudaMalloc(&cosines, angles * sizeof(float)));
  check(cudaMalloc(&sines, angles * sizeof(float)));
  const std::vector<float> ones(elements, 1.0f), cosine(angles, 0.6f), sine(angles, 0.8f);
  const std::vector<__half> half_ones(elements, __half(1.0f));
  check(cudaMemcpy(x, ones.data(), elements * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(halves, half_ones.data(), elements * sizeof(__half), cudaMemcpyHostToDevice));
  check(cudaMemcpy(cosines, cosine.data(), angles * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(sines, sine.data(), angles * sizeof(float), cudaMemcpyHostToDevice));

  const auto blocks = [](int threads, int per_block) {
    return unsigned((threads + per_block - 1) / per_block);
  };
  measure("no barrier", repetitions, blocks(rows * kPairs, 256), 256, rope_naive, x, cosines, sines, tokens);
  measure("one barrier", repetitions, dim3(kHeads, unsigned(tokens)), kHeadDim, rope_shared, x, cosines,
          sines);
  measure("five shuffles", repetitions, blocks(rows * 32, 128), 128, rmsnorm_rope_warp, halves, cosines,
          sines, rows);
  check(cudaFree(x));
  check(cudaFree(halves));
  check(cudaFree(cosines));
  check(cudaFree(sines));
}
