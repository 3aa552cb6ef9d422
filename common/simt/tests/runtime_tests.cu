/// \file
/// The runtime API: device, memory, copies, launch limits. The error codes are those that an H200 with
/// CUDA 13.0 returned for the same calls. Valid CUDA.
#include <cstring>
#include <string>

#include "common/gpu/dynamic_shared.cuh"
#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;
using simt_tests::launch;
using simt_tests::run;

namespace {

__global__ void increment(int* values) {
  ++values[threadIdx.x];
}
__global__ void do_nothing() {}
__global__ void fill_dynamic(int* last, unsigned count) {
  int* shared = ropewalk::dynamic_shared<int>();
  shared[count - 1] = 5;
  *last = shared[count - 1];
}
__global__ void add_arguments(float* out, char a, double b, float4 c) {
  *out = float(a) + float(b) + c.w;
}

// A call that fails must also leave its error for cudaGetLastError(), once.
void check_error(cudaError_t status, cudaError_t expected) {
  CHECK(status == expected);
  CHECK(cudaGetLastError() == expected);
  CHECK(cudaGetLastError() == cudaSuccess);
}

}  // namespace

TEST_CASE("the device") {
  int count = 0, device = -1, value = 0;
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count >= 1);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 0);
  check_error(cudaSetDevice(1000), cudaErrorInvalidDevice);
  check_error(cudaSetDevice(-1), cudaErrorInvalidDevice);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0) == cudaSuccess);
  CHECK(value == 32);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess);
  CHECK(value == 1024);
  check_error(cudaDeviceGetAttribute(&value, cudaDeviceAttr(100000), 0), cudaErrorInvalidValue);
  check_error(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1000), cudaErrorInvalidDevice);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(properties.warpSize == 32);
  CHECK(properties.sharedMemPerBlock == 49152);
  CHECK(std::strlen(properties.name) > 0);
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
  CHECK((free > 0 && free <= total));
  CHECK(cudaRuntimeGetVersion(&value) == cudaSuccess);
  CHECK(value >= 13000);
  CHECK(cudaDriverGetVersion(&value) == cudaSuccess);
}

TEST_CASE("error names and messages") {
  CHECK(std::string(cudaGetErrorName(cudaSuccess)) == "cudaSuccess");
  CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
  CHECK(std::string(cudaGetErrorName(cudaErrorLaunchFailure)) == "cudaErrorLaunchFailure");
  CHECK(std::string(cudaGetErrorString(cudaErrorLaunchFailure)) == "unspecified launch failure");
  CHECK(std::string(cudaGetErrorName(cudaError_t(12345))) == "unrecognized error code");
}

TEST_CASE("allocating and freeing") {
  int *memory = nullptr, host[4];
  CHECK(cudaMalloc(&memory, 0) == cudaSuccess);
  CHECK(memory == nullptr);
  check_error(cudaMalloc(&memory, std::size_t(1) << 60), cudaErrorMemoryAllocation);
  check_error(cudaMalloc(static_cast<int**>(nullptr), 4), cudaErrorInvalidValue);
  CHECK(cudaMalloc(&memory, 16) == cudaSuccess);
  CHECK(reinterpret_cast<std::size_t>(memory) % 256 == 0);
  check_error(cudaFree(memory + 1), cudaErrorInvalidValue);
  check_error(cudaFree(host), cudaErrorInvalidValue);
  check_error(cudaFreeHost(memory), cudaErrorInvalidValue);
  CHECK(cudaFree(memory) == cudaSuccess);
  check_error(cudaFree(memory), cudaErrorInvalidValue);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFreeHost(nullptr) == cudaSuccess);

  CHECK(cudaMallocHost(&memory, 16) == cudaSuccess);
  memory[3] = 1;
  check_error(cudaFree(memory), cudaErrorInvalidValue);
  CHECK(cudaFreeHost(memory) == cudaSuccess);
  CHECK(cudaHostAlloc(&memory, 16, cudaHostAllocDefault) == cudaSuccess);
  CHECK(cudaFreeHost(memory) == cudaSuccess);
}

TEST_CASE("memory allocated and freed in stream order") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  int *memory = nullptr, values[4] = {1, 2, 3, 4};
  CHECK(cudaMallocAsync(&memory, sizeof values, stream) == cudaSuccess);
  CHECK(cudaMemcpyAsync(memory, values, sizeof values, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  CHECK(launch(1, 4, 0, stream, increment, memory) == cudaSuccess);
  CHECK(cudaMemcpyAsync(values, memory, sizeof values, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  CHECK(cudaFreeAsync(memory, stream) == cudaSuccess);
  check_error(cudaFreeAsync(memory, stream), cudaErrorInvalidValue);  // it is on its way already
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK((values[0] == 2 && values[3] == 5));
  check_error(cudaFree(memory), cudaErrorInvalidValue);
  check_error(cudaFreeAsync(values, stream), cudaErrorInvalidValue);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("managed memory") {
  int* values = nullptr;
  REQUIRE(cudaMallocManaged(&values, 4 * sizeof(int)) == cudaSuccess);
  for (int i = 0; i < 4; ++i) values[i] = i;
  CHECK(run(1, 4, increment, values) == cudaSuccess);
  CHECK((values[0] == 1 && values[3] == 4));
#ifndef __CUDACC__
  CHECK(launch(1, 4, 0, nullptr, increment, values) == cudaSuccess);
  CHECK(values[0] == 1);  // without waiting there is no result
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(values[0] == 2);
#endif
  CHECK(cudaFree(values) == cudaSuccess);
}

TEST_CASE("copies check their direction and their ends") {
  int host[8] = {}, other[8] = {}, *device = nullptr, *managed = nullptr, *pinned = nullptr;
  REQUIRE(cudaMalloc(&device, sizeof host) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, sizeof host) == cudaSuccess);
  REQUIRE(cudaMallocHost(&pinned, sizeof host) == cudaSuccess);
  constexpr std::size_t kSize = sizeof host;
  CHECK(cudaMemcpy(device, host, kSize, cudaMemcpyHostToDevice) == cudaSuccess);
  check_error(cudaMemcpy(device, host, kSize, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  check_error(cudaMemcpy(host, device, kSize, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  check_error(cudaMemcpy(device, host, kSize, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  check_error(cudaMemcpy(host, other, kSize, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, other, kSize, cudaMemcpyDefault) == cudaSuccess);
  CHECK(cudaMemcpy(device, host, kSize, cudaMemcpyDefault) == cudaSuccess);
  check_error(cudaMemcpy(device, host, kSize + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  check_error(cudaMemcpy(device + 1, host, kSize, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK(cudaMemcpy(managed, host, kSize, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(host, managed, kSize, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemcpy(host, managed, kSize, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(cudaMemcpy(pinned, host, kSize, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(pinned, device, kSize, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemcpy(device, host, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  check_error(cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  check_error(cudaMemcpy(device, nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  check_error(cudaMemcpy(device, host, 4, cudaMemcpyKind(17)), cudaErrorInvalidMemcpyDirection);
  check_error(cudaMemcpyAsync(device, host, kSize, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);

  CHECK(cudaMemset(device, 0x11, kSize) == cudaSuccess);
  CHECK(cudaMemcpy(host, device, kSize, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host[7] == 0x11111111);
  CHECK(cudaMemset(pinned, 0, kSize) == cudaSuccess);
  CHECK(cudaMemset(managed, 0, kSize) == cudaSuccess);
  check_error(cudaMemset(host, 0, kSize), cudaErrorInvalidValue);
  check_error(cudaMemset(device, 0, kSize + 1), cudaErrorInvalidValue);
  CHECK(cudaMemset(nullptr, 0, 0) == cudaSuccess);
  check_error(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
  cudaFree(device), cudaFree(managed), cudaFreeHost(pinned);
}

TEST_CASE("launches beyond the device's limits") {
  for (const dim3 block :
       {dim3(1025), dim3(33, 32), dim3(1, 1, 65), dim3(1, 1025), dim3(0), dim3(1, 0), dim3(1, 1, 0)}) {
    CAPTURE(block.x, block.y, block.z);
    check_error(launch(1, block, 0, nullptr, do_nothing), cudaErrorInvalidValue);
  }
  for (const dim3 grid :
       {dim3(1, 65536), dim3(1, 1, 65536), dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(2147483648u)}) {
    CAPTURE(grid.x, grid.y, grid.z);
    check_error(launch(grid, 1, 0, nullptr, do_nothing), cudaErrorInvalidValue);
  }
  CHECK(run(1, dim3(1, 1, 64), do_nothing) == cudaSuccess);
  CHECK(run(1, 1024, do_nothing) == cudaSuccess);
  CHECK(run(dim3(1, 65535), 1, do_nothing) == cudaSuccess);
  CHECK(run(dim3(1, 1, 65535), 1, do_nothing) == cudaSuccess);
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = 1;
  check_error(cudaLaunchKernelEx(&config, static_cast<void (*)()>(nullptr)), cudaErrorInvalidDeviceFunction);
}

TEST_CASE("more than 48 KB of shared memory need an opt-in") {
  Buffer<int> out(1);
  const auto fill = [&](std::size_t bytes) {
    return launch(1, 1, bytes, nullptr, fill_dynamic, out.data(), unsigned(bytes / sizeof(int)));
  };
  CHECK(fill(48 * 1024) == cudaSuccess);
  check_error(fill(48 * 1024 + 4), cudaErrorInvalidValue);
  constexpr auto kAttribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  check_error(cudaFuncSetAttribute(fill_dynamic, kAttribute, 227 * 1024 + 1), cudaErrorInvalidValue);
  check_error(cudaFuncSetAttribute(fill_dynamic, kAttribute, -1), cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(fill_dynamic, kAttribute, 227 * 1024) == cudaSuccess);
  CHECK(fill(227 * 1024) == cudaSuccess);
  CHECK(out.download()[0] == 5);
  check_error(fill(227 * 1024 + 4), cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(fill_dynamic, kAttribute, 1000) == cudaSuccess);  // it can also be lowered
  CHECK(fill(1000) == cudaSuccess);
  check_error(fill(1004), cudaErrorInvalidValue);

  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, fill_dynamic) == cudaSuccess);
  CHECK(attributes.maxDynamicSharedSizeBytes == 1000);
  CHECK(attributes.maxThreadsPerBlock == 1024);
}

TEST_CASE("blocks that fit on a multiprocessor") {
  int blocks = -1;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, do_nothing, 128, 0) == cudaSuccess);
  CHECK(blocks == 16);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, do_nothing, 2000, 0) == cudaSuccess);
  CHECK(blocks == 0);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, do_nothing, 32, 100 * 1024) == cudaSuccess);
  CHECK(blocks == 0);
  check_error(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, do_nothing, 0, 0),
              cudaErrorInvalidValue);
}

TEST_CASE("arguments are converted and copied at the launch") {
  Buffer<float> out(1);
  int a = 3;
  CHECK(launch(1, 1, 0, nullptr, add_arguments, out.data(), a, 0.5f, make_float4(0, 0, 0, 10)) ==
        cudaSuccess);
  a = 100;
  CHECK(out.download()[0] == 13.5f);
  float* pointer = out.data();
  char b = 1;
  double c = 2;
  float4 d = make_float4(0, 0, 0, 4);
  void* arguments[] = {&pointer, &b, &c, &d};
  CHECK(cudaLaunchKernel(add_arguments, dim3(1), dim3(1), arguments, 0, nullptr) == cudaSuccess);
  CHECK(out.download()[0] == 7.0f);
}
