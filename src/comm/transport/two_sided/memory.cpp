#include "comm/transport/two_sided/memory.hpp"

#include <new>

#include "comm/context/memory_need.hpp"

namespace sterna::comm::two_sided {
namespace {
constexpr std::align_val_t alignment{128};

std::byte* allocate(std::size_t bytes) {
  require_memory({.plain = bytes});
  return static_cast<std::byte*>(::operator new(bytes, alignment));
}

}  // namespace

Memory::Memory(std::size_t bytes) : bytes_(bytes), data_(allocate(bytes)) {}

void Memory::Free::operator()(std::byte* data) const {
  ::operator delete(data, alignment);
}

}  // namespace sterna::comm::two_sided
