#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/input/atom_groups.hpp"
#include "md/input/input.hpp"
#include "md/input/trajectory_row.hpp"
#include "md/output/frame_file.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The rows, each defined in the format's own file.
namespace trajectory {
#define STERNA_TRAJECTORY(name) TrajectoryRow name();
#include "md/trajectories/trajectory_list.inc"
#undef STERNA_TRAJECTORY
}  // namespace trajectory

/// All of them, in the order of the reference page.
const Registry<TrajectoryRow>& trajectory_table();

/// Collective. What an input asks to be written, beside the stem of the run's files. `topology`
/// outlives it. `resume_step`: of the checkpoint that the run goes on from. `numbers_change`: whether
/// particles come and go.
std::vector<FrameFile> open_trajectories(const comm::Context& context, const Input& input,
                                         const Topology& topology, const ParticleStore& particles,
                                         const std::string& stem,
                                         std::optional<std::int64_t> resume_step,
                                         bool numbers_change);

/// The keys that the section of every format has. `Options` must have `interval` and `groups`.
template <class Options>
std::vector<KeySchema> trajectory_keys() {
  return {{.name = "interval",
           .target = option<&Options::interval>,
           .description = "Steps between two frames. 0: none.",
           .need = Need::required,
           .range = {.minimum = 0.0, .maximum = most_steps},
           .aliases = {"every"}},
          groups_key<Options>("Names of `[[group]]`s whose atoms the frames have, in the order of "
                              "all atoms.",
                              "all atoms")};
}

/// The keys of formats that can hold more than positions. `Options` must have `velocities` and
/// `forces`.
template <class Options>
std::vector<KeySchema> motion_keys() {
  return {{.name = "velocities",
           .target = option<&Options::velocities>,
           .description = "Whether frames have velocities.",
           .aliases = {"velocity"}},
          {.name = "forces",
           .target = option<&Options::forces>,
           .description = "Whether frames have forces.",
           .aliases = {"force"}}};
}

/// Reports an error if forces are asked for and atoms are sites of rigid molecules: force and
/// torque are summed over all sites, so the force on each site is not known.
void check_forces_of_sites(const Input& input, const IsGood& is_good, const Report& report,
                           std::string_view section, bool forces);

template <class Options>
std::int64_t trajectory_interval(const Input& input) {
  return input.section<Options>().interval;
}
template <class Options>
const std::vector<std::string>& trajectory_groups(const Input& input) {
  return input.section<Options>().groups;
}

/// The row of such a format, whose section `Options::section` names. An atom takes so many bytes in a
/// frame for each vector, and for all else.
template <class Options, int bytes_of_vector, int bytes_of_rest>
TrajectoryRow motion_row(std::string_view description, std::vector<std::string_view> aliases,
                         std::string_view ending,
                         std::unique_ptr<FrameFormat> (*make)(const Input& input,
                                                              const Topology& topology)) {
  std::vector<KeySchema> keys = trajectory_keys<Options>();
  for (KeySchema& key : motion_keys<Options>()) keys.push_back(std::move(key));
  return {.schema = {.name = Options::section,
                     .description = description,
                     .aliases = std::move(aliases)},
          .keys = std::move(keys),
          .interval = trajectory_interval<Options>,
          .groups = trajectory_groups<Options>,
          .bytes_per_atom =
              [](const Input& input) {
                const auto& options = input.section<Options>();
                return bytes_of_rest +
                       double{bytes_of_vector} * (1 + options.velocities + options.forces);
              },
          .check =
              [](const Input& input, const IsGood& is_good, const Report& report) {
                check_forces_of_sites(input, is_good, report, Options::section,
                                      input.section<Options>().forces);
              },
          .ending = ending,
          .make = make};
}

}  // namespace sterna::md
