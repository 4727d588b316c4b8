#include "md/simulation/files/trajectory_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "md/input/component_frames.hpp"
#include "md/input/particle_description.hpp"
#include "md/input/trajectory_row.hpp"
#include "md/trajectories/trajectory_table.hpp"
#include "sterna/version.hpp"

namespace sterna::md {

namespace {

H5mdOptions h5md_options(const Input& input, const SimulatedSystem& system) {
  H5mdOptions options;
  options.fields = input.output.trajectory_fields;
  options.single_precision = input.output.is_single_precision();
  options.compressed = input.output.trajectory_compression == Input::Output::Compression::lossless;
  options.rounding = input.output.trajectory_rounding;
  options.reduced_units = input.units.is_reduced();
  options.description = particle_description(input, system.topology);
  options.type_names = system.interaction.names();
  options.type_masses = system.masses;
  if (!system.topology.empty()) options.topology = &system.topology;
  const std::string energy_unit = input.units.is_reduced() ? "" : "kJ mol-1";
  options.observables = {{"temperature", input.units.is_reduced() ? "" : "K"},
                         {"pressure", input.units.is_reduced() ? "" : "kJ mol-1 nm-3"},
                         {"potential_energy", energy_unit},
                         {"kinetic_energy", energy_unit}};
  options.creator_version = version;
  // A box whose angles change may begin as an orthorhombic one.
  options.triclinic =
      !system.box.tilt.none() ||
      (input.barostat.is_used() && input.barostat.coupling == BoxCoupling::triclinic);
  return options;
}

XtcOptions xtc_options(const Input& input, const SimulatedSystem& system) {
  XtcOptions options;
  options.rounding = input.output.xtc_rounding;
  options.interval = input.output.xtc_interval;
  options.places = atom_places_of_particles(input);
  for (std::size_t type = 0; type < system.type_counts.size(); ++type) {
    const auto atoms = options.places.empty() ? 1 : options.places[type].size();
    options.atoms += system.type_counts[type] * static_cast<std::int64_t>(atoms);
  }
  return options;
}

}  // namespace

std::vector<std::string> TrajectoryFiles::paths(const Input& input, const std::string& stem) {
  std::vector<std::string> paths;
  if (input.output.trajectory_interval > 0) paths.push_back(stem + ".h5md");
  if (input.output.xtc_interval > 0) paths.push_back(stem + ".xtc");
  for (const TrajectoryRow& row : trajectory_table()) {
    if (row.interval(input) > 0) paths.push_back(stem + std::string(row.ending));
  }
  return paths;
}

void TrajectoryFiles::open(const comm::Context& context, const Input& input,
                           const SimulatedSystem& system, const std::string& stem,
                           std::optional<std::int64_t> resume_step) {
  const auto open = [&]<class Writer, class Options>(std::optional<Writer>& writer,
                                                     const std::string& path,
                                                     const Options& options) {
    writer.emplace(resume_step
                       ? Writer::resume(context, path, system.particle_count, options, *resume_step)
                       : Writer::create(context, path, system.particle_count, options));
  };
  const auto look_for_gap = [&](const auto& writer, const std::string& path,
                                std::int64_t interval) {
    const auto& kept = writer.kept_steps();
    if (!kept) return;
    if (const auto missing = kept->first_missing(interval, *resume_step)) {
      lost_frames_.push_back(
          fmt::format("{} has no frames from step {} to {}", path, *missing, *resume_step));
    }
  };
  h5md_interval_ = input.output.trajectory_interval;
  xtc_interval_ = input.output.xtc_interval;
  if (h5md_interval_ > 0) open(h5md_, stem + ".h5md", h5md_options(input, system));
  if (xtc_interval_ > 0) open(xtc_, stem + ".xtc", xtc_options(input, system));
  others_ = open_trajectories(context, input, system.topology, system.particles, stem, resume_step,
                              system.is_open);
  if (h5md_) look_for_gap(*h5md_, stem + ".h5md", h5md_interval_);
  if (xtc_) look_for_gap(*xtc_, stem + ".xtc", xtc_interval_);
  for (const FrameFile& file : others_) look_for_gap(file, file.path(), file.interval());
}

bool TrajectoryFiles::is_due(const RunClock& clock) const {
  return (h5md_ && clock.is_due(h5md_interval_)) || (xtc_ && clock.is_due(xtc_interval_)) ||
         std::ranges::any_of(others_,
                             [&](const FrameFile& file) { return file.is_due(clock.step); });
}

void TrajectoryFiles::write(const RunClock& clock, const SimulatedSystem& system,
                            const ThermodynamicState& state) {
  if (h5md_ && clock.is_due(h5md_interval_)) {
    const double observables[] = {state.temperature, state.pressure, state.potential_energy,
                                  state.kinetic_energy};
    h5md_->write_frame(clock.step, clock.time(), system.box, system.particles, observables,
                       &system.fields);
  }
  if (xtc_ && clock.is_due(xtc_interval_)) {
    xtc_->write_frame(clock.step, clock.time(), system.box, system.particles);
  }
  for (FrameFile& file : others_) {
    if (!file.is_due(clock.step)) continue;
    file.write_frame(clock.step, clock.time(), state.potential_energy, system.box,
                     system.particles);
  }
}

void TrajectoryFiles::sync() {
  if (h5md_) h5md_->sync();
  if (xtc_) xtc_->sync();
  for (FrameFile& file : others_) file.sync();
}

}  // namespace sterna::md
