#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "md/core/choice.hpp"

namespace sterna::md {

/// The quantity that is distributed evenly over the regions.
enum class DomainWeights { time, neighbors, particles };
template <>
inline constexpr auto choice_table<DomainWeights> = std::to_array<Choice<DomainWeights>>(
    {{"time", DomainWeights::time, "\"time\": the measured time of forces and lists."},
     {"neighbors", DomainWeights::neighbors, "\"neighbors\": an estimate of it from the density."},
     {"particles", DomainWeights::particles, "\"particles\": their number."}});

struct DomainSection {                 ///< [domain]
  std::string decomposition = "auto";  ///< or a name of decomposition_methods()
  std::array<int, 3> grid{0, 0, 0};    ///< ranks per axis; 0: chosen
  DomainWeights weights = DomainWeights::time;
  std::int64_t rebalance_interval = 0;  ///< steps; 0: if it pays
  std::string halo_route = "direct";    ///< a name of halo_routes()
};

}  // namespace sterna::md
