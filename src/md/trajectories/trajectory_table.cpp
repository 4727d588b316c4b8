#include "md/trajectories/trajectory_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "md/input/molecule_model_from_input.hpp"
#include "md/output/run_files.hpp"

namespace sterna::md {
namespace {

constexpr const TrajectoryRow* trajectory_rows[] = {
#define STERNA_TRAJECTORY(name) &trajectory::name,
#include "md/trajectories/trajectory_list.inc"
#undef STERNA_TRAJECTORY
};

/// Whether some molecule has sites at different positions.
bool has_sites_apart(const Input& input) {
  return std::ranges::any_of(input.components, [](const Input::Component& component) {
    return std::ranges::any_of(component.sites, [&](const Input::Site& site) {
      const Vec3 apart = site.position - component.sites.front().position;
      return dot(apart, apart) > 0.0;
    });
  });
}

}  // namespace

std::span<const TrajectorySection> trajectory_sections() {
  static const std::vector<TrajectorySection> sections = [] {
    std::vector<TrajectorySection> all;
    for (const TrajectoryRow* row : trajectory_rows) all.push_back(row->section());
    return all;
  }();
  return sections;
}

std::span<const std::string> trajectory_file_endings() {
  static const std::vector<std::string> endings = [] {
    std::vector<std::string> all;
    for (const TrajectoryRow* row : trajectory_rows) all.emplace_back(row->ending);
    return all;
  }();
  return endings;
}

std::vector<FrameFile> open_trajectories(const comm::Context& context, const Input& input,
                                         const Topology& topology, const ParticleStore& particles,
                                         const std::string& stem,
                                         std::optional<std::int64_t> resume_step) {
  std::vector<FrameFile> files;
  for (std::size_t n = 0; n < std::size(trajectory_rows); ++n) {
    const TrajectorySection& section = trajectory_sections()[n];
    FrameFileOptions options;
    options.interval = section.interval(input);
    if (options.interval == 0) continue;
    options.places = atom_places_of_particles(input);
    options.inertia = inertia_of_particles(input);
    if (const auto& names = section.groups(input); !names.empty()) {
      options.chosen = [groups = groups_from_input(input, topology, names)](std::int64_t id,
                                                                            std::int64_t type) {
        return std::ranges::any_of(
            groups, [&](const AtomGroup& group) { return group.contains(id, type); });
      };
    }
    const std::string path = stem + std::string(trajectory_rows[n]->ending);
    auto format = trajectory_rows[n]->make(input, topology);
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
