#include "comm/transport/two_sided/memory.hpp"

#include <new>

namespace sterna::comm::two_sided {
namespace {
constexpr std::align_val_t alignment{128};
}

Memory::Memory(std::size_t bytes)
    : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(bytes, alignment))) {}

void Memory::Free::operator()(std::byte* data) const {
  ::operator delete(data, alignment);
}

}  // namespace sterna::comm::two_sided
