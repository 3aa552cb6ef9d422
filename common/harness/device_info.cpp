/// \file
/// Asks the device who it is.
#include "common/harness/device_info.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <fstream>

#include "common/gpu/check.hpp"

namespace ropewalk {
namespace {

// The kernel module tells its own version; the runtime only knows the newest CUDA the driver can serve.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.size() > 4 && word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos)
      return word;
  int version = 0;
  CUDA_CHECK(cudaDriverGetVersion(&version));
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

DeviceInfo device_info(Runs runs) {
  DeviceInfo info;
  if (runs == Runs::on_host) {
    info.name = "host";
    return info;
  }
  if (!kGpuBuild) {
    info.name = "CPU executor";
    return info;
  }
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    info.problem = fmt::format("no GPU can be used: {}", cudaGetErrorString(status));
    return info;
  }
  int device = 0, runtime = 0;
  cudaDeviceProp properties{};
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  info.name = properties.name;
  info.sm = fmt::format("{}{}", properties.major, properties.minor);
  info.driver = driver_version();
  info.toolkit = fmt::format("{}.{}", runtime / 1000, runtime % 1000 / 10);
  return info;
}

}  // namespace ropewalk
