/// \file
/// Finding, poisoning and setting aside shared memory.
#include "common/simt/executor/shared_memory.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/simt/executor/guarded_memory.hpp"

#if defined(__clang__)
// The linker defines these two around the section "simt_shared" (see device/qualifiers.hpp), if the program
// has one.
extern "C" {
extern char __start_simt_shared[] __attribute__((weak));
extern char __stop_simt_shared[] __attribute__((weak));
}
#else
#include <link.h>
#endif

namespace simt {
namespace {

struct MemoryRange {
  char* begin = nullptr;
  std::size_t size = 0;
};

#if defined(__clang__)
MemoryRange find_static_part() {
  if (__start_simt_shared == nullptr) return {};
  return {__start_simt_shared, std::size_t(__stop_simt_shared - __start_simt_shared)};
}
#else
// The thread-local block of the main program. Whatever else is thread-local in the program lies there too,
// which is why a launch saves the block and puts it back afterwards (executor/grid.cpp); shared libraries
// have blocks of their own.
MemoryRange find_static_part() {
  MemoryRange range;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* result) {
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const auto& segment = program->dlpi_phdr[i];
          if (segment.p_type != PT_TLS) continue;
          *static_cast<MemoryRange*>(result) = {static_cast<char*>(program->dlpi_tls_data), segment.p_memsz};
        }
        return 1;  // the first entry is the main program; stop here
      },
      &range);
  return range;
}
#endif

const MemoryRange& static_part() {
  static const MemoryRange range = find_static_part();
  return range;
}

}  // namespace

DynamicSharedMemory::DynamicSharedMemory(std::size_t size) : size_(size) {
  if (size == 0) return;
  data_ = take_guarded(size, kDynamicSharedAlignment);
  if (data_ == nullptr) {
    std::fprintf(stderr, "simt: no memory for %zu bytes of shared memory\n", size);
    std::abort();
  }
}

DynamicSharedMemory::~DynamicSharedMemory() {
  if (data_ != nullptr) give_back_guarded(data_, size_, kDynamicSharedAlignment);
}

void DynamicSharedMemory::poison() {
  if (size_ > 0) std::memset(data_, 0xff, size_);
}

std::span<const char> static_shared_memory() {
  return {static_part().begin, static_part().size};
}

void poison_static_shared_memory() {
  if (static_part().size > 0) std::memset(static_part().begin, 0xff, static_part().size);
}

StaticSharedImage save_static_shared_memory() {
  return StaticSharedImage(static_part().begin, static_part().begin + static_part().size);
}

void restore_static_shared_memory(const StaticSharedImage& image) {
  if (!image.empty()) std::memcpy(static_part().begin, image.data(), image.size());
}

}  // namespace simt
