/// \file
/// The same launch in CUDA's own spelling. Only nvcc can read it, so it is a program of its own and not part
/// of the chapter.
#include <cmath>
#include <cstdio>
#include <vector>

#include "chapters/03_naive/kernels.cuh"
#include "common/gpu/device_array.hpp"
#include "common/gpu/stream.hpp"

int main() {
  using namespace ropewalk;
  const std::vector<float> x = {1, 0}, inv_freq = {1};
  const std::vector<int> positions = {1};
  DeviceArray<float> dx{std::span<const float>(x)}, dfreq{std::span<const float>(inv_freq)};
  const DeviceArray<int> dpos{std::span<const int>(positions)};
  const naive::Heads<float> heads{dx.data(), dpos.data(), 1, 1, 2, 2};
  const Stream stream;

  // [classic]
  const dim3 grid(1), block(naive::kBlock);
  const std::size_t shared_bytes = 0;
  naive::rope_angles<<<grid, block, shared_bytes, stream>>>(heads, static_cast<const float*>(dfreq.data()));
  CUDA_CHECK(cudaGetLastError());  // <<<>>> returns nothing: a refused launch shows only here
  // [classic]
  stream.synchronize();

  const std::vector<float> y = dx.download();
  std::printf("(1, 0) turned by 1 radian: (%.6f, %.6f)\n", static_cast<double>(y[0]),
              static_cast<double>(y[1]));
  const bool right = std::fabs(y[0] - 0.540302f) < 1e-6f && std::fabs(y[1] - 0.841471f) < 1e-6f;
  return right ? 0 : 1;
}
