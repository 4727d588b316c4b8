#pragma once

// Reading list rows one entry at a time, for instruction sets without a wide table look-up.

#include <cstdint>

#include "md/neighbors/pair_work.hpp"

namespace sterna::md {
namespace {

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
