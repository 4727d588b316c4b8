#include "md/trajectories/trajectory_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "md/input/component_frames.hpp"

namespace sterna::md {
namespace {

/// Whether some molecule has sites at several places.
bool has_sites_apart(const Input& input) {
  return std::ranges::any_of(input.components, [](const Input::Component& component) {
    return std::ranges::any_of(component.sites, [&](const Input::Site& site) {
      const Vec3 apart = site.position - component.sites.front().position;
      return dot(apart, apart) > 0.0;
    });
  });
}

}  // namespace

const Registry<TrajectoryRow>& trajectory_table() {
  static const Registry<TrajectoryRow> table("format of trajectories", {
#define STERNA_TRAJECTORY(name) trajectory::name(),
#include "md/trajectories/trajectory_list.inc"
#undef STERNA_TRAJECTORY
                                                                       });
  return table;
}

std::vector<FrameFile> open_trajectories(const comm::Context& context, const Input& input,
                                         const Topology& topology, const ParticleStore& particles,
                                         const std::string& stem,
                                         std::optional<std::int64_t> resume_step,
                                         bool numbers_change) {
  std::vector<FrameFile> files;
  for (const TrajectoryRow& row : trajectory_table()) {
    FrameFileOptions options;
    options.interval = row.interval(input);
    if (options.interval == 0) continue;
    options.numbers_change = numbers_change;
    options.places = atom_places_of_particles(input);
    options.inertia = inertia_of_particles(input);
    if (const auto& names = row.groups(input); !names.empty()) {
      options.chosen = [groups = groups_from_input(input, topology, names)](std::int64_t id,
                                                                            std::int64_t type) {
        return std::ranges::any_of(
            groups, [&](const AtomGroup& group) { return group.contains(id, type); });
      };
    }
    const std::string path = stem + std::string(row.ending);
    auto format = row.make(input, topology);
    files.push_back(resume_step ? FrameFile::resume(context, path, std::move(format), particles,
                                                    std::move(options), *resume_step)
                                : FrameFile::create(context, path, std::move(format), particles,
                                                    std::move(options)));
  }
  return files;
}

void check_forces_of_sites(const Input& input, const IsGood& is_good, const Report& report,
                           std::string_view section, bool forces) {
  const std::string place = fmt::format("{}.forces", section);
  if (!forces || !has_sites_apart(input) || !is_good(place)) return;
  report(Severity::error, place,
         fmt::format("\"forces\" in [{}] is for atoms, and this system has rigid molecules: their "
                     "forces and torques are summed over all sites, so no site has a force of its "
                     "own; \"velocities\" are written of sites, too",
                     section));
}

}  // namespace sterna::md
