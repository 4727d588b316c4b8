#include "md/input/sections/domain_section.hpp"

#include "md/domain/decomposition_method.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

Names decompositions() {
  Names names{"auto"};
  for (const DecompositionRow& method : decomposition_methods()) names.push_back(method.name);
  return names;
}

}  // namespace

InputSection domain() {
  return {
      .schema = {.name = "domain",
                 .description = "How space is divided among the ranks.",
                 .keeps_state = true},
      .keys = {
          {.name = "decomposition",
           .target = target_in<&Input::domain, &DomainSection::decomposition>,
           .description =
               "How space is cut into regions, one for each rank. \"grid\": equal boxes. "
               "\"bisection\", \"sampling\": regions of equal computing time, cut again where that "
               "pays. \"auto\" begins with a grid and goes over to bisection where the measured "
               "gain exceeds the cost; where a grid or the staged route is asked for, it stays "
               "with the grid. What is cut by measured time cannot be repeated bit for bit.",
           .choices = decompositions,
           .aliases = {"balance", "load_balance", "dlb"}},
          {.name = "weights",
           .target = target_in<&Input::domain, &DomainSection::weights>,
           .description = "What the regions share out evenly.",
           .remark = "The latter two make runs that can be repeated bit for bit.",
           .condition = Condition{"domain",
                                  "decomposition",
                                  {"auto", "bisection", "sampling"},
                                  Severity::warning}},
          {.name = "rebalance_interval",
           .target = target_in<&Input::domain, &DomainSection::rebalance_interval>,
           .description = "Steps after which the regions are cut again, whether it pays or not. 0: "
                          "where the predicted gain exceeds the measured cost.",
           .range = {.minimum = 0.0, .maximum = most_steps},
           .condition =
               Condition{"domain", "decomposition", {"bisection", "sampling"}, Severity::error},
           .aliases = {"balance_interval"}},
          {.name = "grid",
           .target = target_in<&Input::domain, &DomainSection::grid>,
           .description = "Ranks along x, y and z; 0 lets the program choose that number: so that "
                          "regions have the least surface and, of such grids, share particles out "
                          "most evenly at the start.",
           .default_text = "[0, 0, 0]: chosen",
           .range = {.minimum = 0.0, .maximum = 1e6},
           .condition = Condition{"domain", "decomposition", {"auto", "grid"}, Severity::error},
           .aliases = {"processors", "ranks"}},
          {.name = "halo_route",
           .target = target_in<&Input::domain, &DomainSection::halo_route>,
           .description = "How the halo travels. \"direct\": one message to each of the 26 "
                          "neighbors. \"staged\": six larger ones, axis after axis.",
           .choices =
               [] {
                 return Names{"direct", "staged"};
               },
           .aliases = {"halo"}}}};
}

}  // namespace sterna::md::section
