/// \file
/// Finding the allocation, the program's image, and what is wrong with an address.
#include "common/simt/trace/address_spaces.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

namespace simt::trace {
namespace {

// An address this close to an allocation was meant for it; kernels seldom miss by more than a row.
constexpr std::size_t kNear = 64 * 1024;
constexpr std::size_t kNullPage = 4096;

std::string bytes_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

auto first_behind(const std::vector<std::unique_ptr<Allocation>>& allocations, const char* address) {
  return std::upper_bound(allocations.begin(), allocations.end(), address,
                          [](const char* a, const auto& allocation) { return a < allocation->begin; });
}

}  // namespace

bool Allocation::uninitialised(std::size_t offset, std::size_t count) {
  const Shadow::Range cells = shadow.cells(offset, count);
  const std::size_t piece = shadow.bytes_of_piece();
  for (const Cell& cell : cells) {
    if (!cell.written() && host.any_missing(offset, piece)) return true;
    offset += piece;
  }
  return false;
}

void DeviceMemory::add(const char* begin, std::size_t bytes, bool written) {
  std::erase_if(freed_, [&](const Past& past) {
    return past.begin < begin + bytes && begin < past.begin + past.bytes;
  });
  allocations_.insert(first_behind(allocations_, begin), std::make_unique<Allocation>(begin, bytes, written));
}

void DeviceMemory::remove(const char* begin) {
  const auto found = std::find_if(allocations_.begin(), allocations_.end(),
                                  [&](const auto& allocation) { return allocation->begin == begin; });
  if (found == allocations_.end()) return;
  constexpr std::size_t kMostFreed = 1000;
  if (freed_.size() == kMostFreed) freed_.erase(freed_.begin());
  freed_.push_back({begin, (*found)->bytes});
  allocations_.erase(found);
}

Allocation* DeviceMemory::find(const char* address) {
  const auto next = first_behind(allocations_, address);
  if (next == allocations_.begin()) return nullptr;
  Allocation* allocation = std::prev(next)->get();
  return allocation->holds(address, 1) ? allocation : nullptr;
}

void DeviceMemory::filled(const char* begin, std::size_t bytes) {
  if (Allocation* allocation = find(begin)) {
    allocation->host.set(std::size_t(begin - allocation->begin), bytes, true);
  }
}

// Bytes that nobody has written stay so in their copy.
void DeviceMemory::copied(const char* to, const char* from, std::size_t bytes) {
  Allocation* target = find(to);
  if (target == nullptr) return;
  const auto target_offset = std::size_t(to - target->begin);
  target->host.set(target_offset, bytes, true);
  const Allocation* source = find(from);
  if (source == nullptr) return;
  const auto source_offset = std::size_t(from - source->begin);
  if (!source->host.any_missing(source_offset, bytes)) return;

  const std::size_t piece = source->shadow.bytes_of_piece();
  const auto missing = [&](std::size_t offset, std::size_t count) {
    return !source->shadow.at(offset).written() && source->host.any_missing(offset, count);
  };
  const std::size_t end = source_offset + bytes;
  for (std::size_t first = source_offset, next; first < end; first = next) {
    next = std::min(end, (first / piece + 1) * piece);
    if (!missing(first, next - first)) continue;
    for (std::size_t i = first, behind; i < next;
         i = behind) {  // the host may have written a part of the piece
      behind = i + 1;
      if (!missing(i, 1)) continue;
      while (behind < next && missing(behind, 1)) ++behind;
      const std::size_t at = i - source_offset + target_offset;
      target->host.set(at, behind - i, false);
      for (Cell& cell : target->shadow.cells(at, behind - i)) cell.forget_writes();
    }
  }
}

std::string DeviceMemory::place_of(const char* address) const {
  for (const Past& past : freed_) {
    if (address >= past.begin && address < past.begin + past.bytes) {
      return "in memory that was freed, " + bytes_text(std::size_t(address - past.begin)) +
             " behind the beginning of an allocation of " + bytes_text(past.bytes);
    }
  }
  const auto next = first_behind(allocations_, address);
  if (next != allocations_.begin()) {
    const Allocation& before = **std::prev(next);
    const char* end = before.begin + before.bytes;
    if (std::size_t(address - end) < kNear) {
      const auto distance = std::size_t(address - end);
      return (distance == 0 ? std::string("directly") : bytes_text(distance)) +
             " behind the end of an allocation of " + bytes_text(before.bytes);
    }
  }
  if (next != allocations_.end() && std::size_t((*next)->begin - address) < kNear) {
    return bytes_text(std::size_t((*next)->begin - address)) + " before an allocation of " +
           bytes_text((*next)->bytes);
  }
  if (reinterpret_cast<std::size_t>(address) < kNullPage) return "at a null pointer";
  return "";
}

ProgramImage::ProgramImage() {
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* result) {
        auto& image = *static_cast<ProgramImage*>(result);
        image.load_address_ = reinterpret_cast<const char*>(program->dlpi_addr);
        const char *begin = nullptr, *end = nullptr;
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const auto& segment = program->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          const char* first = image.load_address_ + segment.p_vaddr;
          if (begin == nullptr || first < begin) begin = first;
          if (first + segment.p_memsz > end) end = first + segment.p_memsz;
        }
        image.begin_ = begin;
        image.bytes_ = std::size_t(end - begin);
        return 1;  // the first entry is the main program
      },
      this);
}

// The kernel refuses to read from an address that is not there, instead of ending the program.
bool can_be_touched(const void* address) {
  static int ends[2] = {-1, -1};
  if (ends[0] < 0 && pipe2(ends, O_CLOEXEC) != 0) return true;
  if (write(ends[1], address, 1) != 1) return false;
  char byte;
  return read(ends[0], &byte, 1) == 1;
}

}  // namespace simt::trace
