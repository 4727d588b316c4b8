#pragma once

#include <cstddef>

namespace sterna::comm {

/// The size of the buffers that a method starts with, enough for some hundred particles.
constexpr std::size_t first_buffer_bytes = std::size_t{64} << 10;

/// Returns the size of a buffer for a step in which parts of `wanted` bytes did not fit, with a
/// margin.
constexpr std::size_t grown_buffer_bytes(std::size_t wanted) {
  constexpr std::size_t page = 4096;
  return (wanted + wanted / 2 + 2 * page - 1) / page * page;
}

}  // namespace sterna::comm
