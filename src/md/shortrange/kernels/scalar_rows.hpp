#pragma once

// Writing and reading list rows one entry at a time, for instruction sets without compress.

#include <cstdint>

#include "md/shortrange/pair_work.hpp"

namespace sterna::md {
namespace {

/// Appends `value + lane` for each lane of the mask.
template <class Entry>
inline Entry* append(Entry* out, unsigned mask, std::uint32_t value) {
  for (; mask != 0; mask &= mask - 1) {
    *out++ = static_cast<Entry>(value + static_cast<std::uint32_t>(__builtin_ctz(mask)));
  }
  return out;
}

/// Turns run-and-offset entries into array offsets.
template <int offset_shift>
struct RowDecoder {
  const std::uint32_t* begins;
  explicit RowDecoder(const std::uint32_t (&begins_of_runs)[32]) : begins(begins_of_runs) {}
  void operator()(const std::uint16_t* entries, std::size_t count, std::uint32_t* out) const {
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t entry = entries[k];
      out[k] = (begins[entry >> run_offset_bits] + (entry & (run_length_limit - 1)))
               << offset_shift;
    }
  }
};

}  // namespace
}  // namespace sterna::md
