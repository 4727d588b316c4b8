#include "md/input/sections/communication_section.hpp"

#include "md/input/sections/section.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md::section {
namespace {

Names neighbor_exchange_methods() {
  Names names{"auto"};
  for (const comm::MethodInfo& method : comm::neighbor_methods()) names.push_back(method.name);
  return names;
}

Names migration_methods() {
  Names names{"auto"};
  for (const comm::MethodInfo& method : comm::sparse_methods()) names.push_back(method.name);
  return names;
}

}  // namespace

InputSection communication() {
  return {
      .schema = {.name = "communication",
                 .description = "How the ranks exchange data. Changes the speed, not the result.",
                 .aliases = {"comm"},
                 .keeps_state = true},
      .keys = {
          {.name = "halo",
           .target = target_in<&Input::communication, &CommunicationSection::halo>,
           .description =
               "Method of the exchange between neighbors, in every step. \"auto\" measures those "
               "that work here while the run goes on and keeps the fastest.",
           .choices = neighbor_exchange_methods,
           .aliases = {"neighbor", "method"}},
          {.name = "migration",
           .target = target_in<&Input::communication, &CommunicationSection::migration>,
           .description = "Method of the exchange of particles that change their rank. \"auto\" as "
                          "for `halo`.",
           .choices = migration_methods,
           .aliases = {"sparse"}},
          {.name = "fmm",
           .target = target_in<&Input::communication, &CommunicationSection::fmm>,
           .description = "Method of the exchanges of the electrostatics: charges between "
                          "neighbors, and expansions of each level. \"auto\" as for `halo`.",
           .choices = neighbor_exchange_methods,
           .aliases = {"electrostatics", "multipole"}},
          {.name = "tuning",
           .target = target_in<&Input::communication, &CommunicationSection::tuning>,
           .description = "Whether \"auto\" measures. Otherwise it takes shared memory in a node, "
                          "else RDMA, else MPI. Results are the same.",
           .aliases = {"tune", "autotuning"}},
          {.name = "machine_file",
           .target = target_in<&Input::communication, &CommunicationSection::machine_file>,
           .description =
               "Where the times of the methods are kept from run to run; \"none\" for nowhere.",
           .default_text = "`$STERNA_MACHINE_FILE`, or `sterna/machine.json` in the cache folder"},
          {.name = "timeout",
           .target = target_in<&Input::communication, &CommunicationSection::timeout>,
           .description = "How long a rank waits for another one before the run ends with an "
                          "error: seconds, or a text such as \"5 min\".",
           .wall_clock = true,
           .range = {.minimum = 0.0, .maximum = 1e7, .exclusive_minimum = true}},
          {.name = "interface",
           .target = target_in<&Input::communication, &CommunicationSection::interface>,
           .description = "Network interface that ranks on several nodes use for TCP, such as "
                          "\"eth0\". On one node no rank uses a network.",
           .default_text = "those that MPI and UCX choose",
           .aliases = {"network", "device"}}}};
}

}  // namespace sterna::md::section
