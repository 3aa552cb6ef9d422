/// \file
/// Pages from the system, the first and the last without any rights.
#include "common/simt/executor/guarded_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "common/simt/executor/sanitizer.hpp"

namespace simt {
namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

void* take_guarded(std::size_t bytes, std::size_t alignment) {
  if (kAddressSanitizer) {
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
  }
  const std::size_t used = round_up(bytes, alignment), pages = round_up(used, page_size());
  void* const map =
      mmap(nullptr, pages + 2 * page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) return nullptr;
  char* const first = static_cast<char*>(map) + page_size();
  if (mprotect(first, pages, PROT_READ | PROT_WRITE) != 0) {
    munmap(map, pages + 2 * page_size());
    return nullptr;
  }
  return first + (pages - used);
}

void give_back_guarded(void* memory, std::size_t bytes, std::size_t alignment) {
  if (kAddressSanitizer) return std::free(memory);
  const std::size_t used = round_up(bytes, alignment), pages = round_up(used, page_size());
  munmap(static_cast<char*>(memory) - (pages - used) - page_size(), pages + 2 * page_size());
}

}  // namespace simt
