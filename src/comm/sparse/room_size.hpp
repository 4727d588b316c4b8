#pragma once

#include <cstddef>

namespace sterna::comm {

/// Size of the rooms that a method starts with: some hundred particles.
constexpr std::size_t first_room_bytes = std::size_t{64} << 10;

/// Size of a room for a step in which parts of `wanted` bytes did not fit, with some to spare.
constexpr std::size_t grown_room_bytes(std::size_t wanted) {
  constexpr std::size_t page = 4096;
  return (wanted + wanted / 2 + 2 * page - 1) / page * page;
}

}  // namespace sterna::comm
