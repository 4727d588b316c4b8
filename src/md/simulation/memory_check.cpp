// Checks whether a run can have the memory that it needs, before it allocates any.

#include <algorithm>
#include <string>

#include "md/core/agreement.hpp"
#include "md/input/forecast.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "sterna/comm/free_memory.hpp"

namespace sterna::md {

void Simulation::Implementation::require_memory() {
  Input input = input_;
  input.neighbor.skin = lists_.skin();
  input.interaction.cutoff = input.electrostatics.cutoff = system_.interaction.range();
  SystemFacts facts;
  facts.particles = system_.particle_count;
  facts.particles_of_type = system_.type_counts;
  facts.box = system_.box;
  facts.ranks = context_.size();
  std::string problem;
  if (const auto expected = forecast(input, facts)) {
    const comm::FreeMemory node = comm::free_memory_of_node();
    const comm::FreeMemory process = comm::free_memory_of_process();
    const double share =
        static_cast<double>(node.bytes) / static_cast<double>(context_.ranks_on_node().size());
    const auto alone = static_cast<double>(process.bytes);
    problem = why_impossible(*expected, std::min(share, alone),
                             alone < share ? process.limit : node.limit);
  }
  agree(context_, problem);
}

}  // namespace sterna::md
