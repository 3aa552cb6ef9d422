/// \file
/// Reads the symbols of the program's file. Static shared memory is its thread-local block
/// (executor/shared_memory.cpp), and there a symbol's value is its place in the block.
#include "common/simt/trace/guard_variables.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace simt::trace {
namespace {

// Element `index` of a table at `offset` of the file.
template <class T>
const T& element(const std::string& file, std::size_t offset, std::size_t index) {
  return reinterpret_cast<const T*>(file.data() + offset)[index];
}

}  // namespace

GuardVariables::GuardVariables() {
  std::ifstream input("/proc/self/exe", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(input), {}};
  if (file.size() < sizeof(ElfW(Ehdr))) return;
  const auto& header = element<ElfW(Ehdr)>(file, 0, 0);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto& section = element<ElfW(Shdr)>(file, header.e_shoff, i);
    if (section.sh_type != SHT_SYMTAB) continue;
    known_ = true;
    const auto& names = element<ElfW(Shdr)>(file, header.e_shoff, section.sh_link);
    for (std::size_t k = 0; k < section.sh_size / sizeof(ElfW(Sym)); ++k) {
      const auto& symbol = element<ElfW(Sym)>(file, section.sh_offset, k);
      if ((symbol.st_info & 0xf) != STT_TLS) continue;
      const std::string name = file.data() + names.sh_offset + symbol.st_name;
      if (name.rfind("_ZGV", 0) == 0) offsets_.push_back(symbol.st_value);
    }
  }
  std::sort(offsets_.begin(), offsets_.end());
}

bool GuardVariables::holds(std::size_t offset) const {
  return !known_ || std::binary_search(offsets_.begin(), offsets_.end(), offset);
}

}  // namespace simt::trace
