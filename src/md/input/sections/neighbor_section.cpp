#include "md/input/sections/neighbor_section.hpp"

#include "md/input/sections/section.hpp"

namespace sterna::md::section {

InputSection neighbor() {
  return {
      .schema = {.name = "neighbor",
                 .description = "The list of neighbors. Changes the speed, not the result.",
                 .aliases = {"neighbour"},
                 .keeps_state = true},
      .keys = {{.name = "skin",
                .target = target_in<&Input::neighbor, &NeighborSection::skin>,
                .description = "The list holds pairs up to cutoff + skin, and is rebuilt when a "
                               "particle has moved half the skin or, where that can be told, a "
                               "pair that it lacks comes within the cutoff. 0: chosen.",
                .default_text = "0: chosen",
                .dimension = Dimension::length,
                .range = not_negative,
                .aliases = {"verlet_skin", "rlist"}},
               {.name = "maximum_interval",
                .target = target_in<&Input::neighbor, &NeighborSection::maximum_interval>,
                .description =
                    "Steps after which the list is rebuilt at the latest. With `buffer` = "
                    "\"tolerance\": after which it is rebuilt; without it, as many as cost least.",
                .range = {.minimum = 1.0, .maximum = 1e6},
                .aliases = {"interval", "every", "nstlist", "rebuild"}},
               {.name = "buffer",
                .target = target_in<&Input::neighbor, &NeighborSection::buffer>,
                .aliases = {"verlet_buffer", "cutoff_scheme"}},
               {.name = "tolerance",
                .target = target_in<&Input::neighbor, &NeighborSection::tolerance>,
                .description =
                    "How fast the energy per particle may change by pairs that the list misses.",
                .dimension = Dimension::energy_rate,
                .range = positive,
                .condition =
                    choice_is("neighbor", "buffer", {NeighborBuffer::tolerance}, Severity::warning),
                .aliases = {"verlet_buffer_tolerance", "verlet-buffer-tolerance", "drift"}}}};
}

}  // namespace sterna::md::section
