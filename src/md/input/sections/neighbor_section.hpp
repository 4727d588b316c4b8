#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

/// The pairs that a neighbor list may miss.
enum class NeighborBuffer { exact, tolerance };
template <>
inline constexpr auto choice_table<NeighborBuffer> = std::to_array<Choice<NeighborBuffer>>(
    {{"exact", NeighborBuffer::exact, "\"exact\": no pair within the cutoff is ever missed."},
     {"tolerance", NeighborBuffer::tolerance,
      "\"tolerance\": the list is kept for a fixed number of steps, and the skin is so wide that "
      "missed pairs change the energy by no more than `tolerance`, as in GROMACS. Faster, for "
      "atoms in a fluid that fills the box."}});

struct NeighborSection {       ///< [neighbor]
  double skin = 0.0;           ///< 0: chosen
  int maximum_interval = 100;  ///< steps after which the list is rebuilt at the latest
  using Buffer = NeighborBuffer;
  Buffer buffer = Buffer::exact;
  double tolerance = 0.005;  ///< Buffer::tolerance: energy per particle and time
};

}  // namespace sterna::md
