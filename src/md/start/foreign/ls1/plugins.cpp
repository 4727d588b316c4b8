#include "md/start/foreign/ls1/plugins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "md/core/display_text.hpp"
#include "md/start/foreign/ls1/motion_plugins.hpp"
#include "md/start/foreign/ls1/sampling_plugins.hpp"
#include "md/start/foreign/ls1/wall_plugins.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md::ls1 {
namespace {

enum class Role {
  results,       ///< Sterna's log
  checkpoint,    ///< Sterna's checkpoints
  trajectory,    ///< Sterna's trajectory
  rdf,           ///< [rdf]
  report,        ///< about ls1's own run; Sterna reports on itself
  tension,       ///< [pressure_tensor]
  orientation,   ///< [orientation_order]
  permittivity,  ///< [dielectric]
  observation,   ///< a measurement that is not converted
  limit,         ///< [[limit]]
  drift,         ///< [[drift_control]]
  alignment,     ///< [alignment]
  wall,          ///< [[wall]]
  mirror,        ///< [[wall]]
  regions,       ///< [profile]
  profile,       ///< [profile]
  physics,       ///< changes the physics
};

struct Plugin {
  std::string_view name;
  Role role;
};

constexpr std::array<Plugin, 57> plugins{{
    {"ResultWriter", Role::results},
    {"EnergyLogWriter", Role::results},
    {"CheckpointWriter", Role::checkpoint},
    {"MPICheckpointWriter", Role::checkpoint},
    {"Adios2Writer", Role::trajectory},
    {"MmpldWriter", Role::trajectory},
    {"MmspdWriter", Role::trajectory},
    {"MmspdBinWriter", Role::trajectory},
    {"PovWriter", Role::trajectory},
    {"VISWriter", Role::trajectory},
    {"VTKMoleculeWriter", Role::trajectory},
    {"XyzWriter", Role::trajectory},
    {"RDF", Role::rdf},
    {"CommunicationPartnerWriter", Role::report},
    {"DecompWriter", Role::report},
    {"EnergyRAPL", Role::report},
    {"ExamplePlugin", Role::report},
    {"FlopRateWriter", Role::report},
    {"HaloParticleWriter", Role::report},
    {"InMemoryCheckpointing", Role::report},
    {"KDTreePrinter", Role::report},
    {"LJFLOPCounter", Role::report},
    {"LoadbalanceWriter", Role::report},
    {"LoadImbalanceThroughSleep", Role::report},
    {"MemoryProfiler", Role::report},
    {"SysMonOutput", Role::report},
    {"TaskTimingProfiler", Role::report},
    {"TestPlugin", Role::report},
    {"TimerProfiler", Role::report},
    {"TimerWriter", Role::report},
    {"VectorizationTuner", Role::report},
    {"CavityWriter", Role::observation},
    {"DistControl", Role::observation},
    {"DomainProfiles", Role::observation},
    {"GammaWriter", Role::tension},
    {"MaxWriter", Role::observation},
    {"ODF", Role::orientation},
    {"Permittivity", Role::permittivity},
    {"RegionSampling", Role::regions},
    {"SpatialProfile", Role::profile},
    {"VTKGridWriter", Role::observation},
    {"COMaligner", Role::alignment},
    {"MaxCheck", Role::limit},
    {"DriftCtrl", Role::drift},
    {"DensityControl", Role::physics},
    {"DirectedPM", Role::physics},
    {"Dropaccelerator", Role::physics},
    {"Dropaligner", Role::physics},
    {"ExtractPhase", Role::physics},
    {"FixRegion", Role::physics},
    {"MettDeamon", Role::physics},
    {"MettDeamonFeedrateDirector", Role::physics},
    {"Mirror", Role::mirror},
    {"MirrorSystem", Role::physics},
    {"PosNegComp", Role::physics},
    {"VelocityExchange", Role::physics},
    {"WallPotential", Role::wall},
}};

bool is_off(const XmlElement& plugin, XmlValues& values) {
  XmlElement holder = plugin;
  holder.name += " enabled";
  holder.text = plugin.attribute("enabled");
  return !holder.text.empty() && !values.boolean(holder).value_or(true);
}

/// `<writefrequency>` of a plugin, at any depth; null if it is 0 or missing.
const XmlElement* frequency_of(const XmlElement& plugin) {
  for (const std::string_view path : {"writefrequency", "writecontrol/writefrequency"}) {
    if (const XmlElement* element = plugin.find(path)) return element;
  }
  return nullptr;
}

/// The row of a plugin; null, with a warning, if there is none.
const Plugin* row_of(const XmlElement& plugin, XmlValues& values) {
  const std::string_view name = plugin.attribute("name");
  const auto* known = std::ranges::find(plugins, name, &Plugin::name);
  if (known != plugins.end()) return known;
  std::vector<std::string_view> names;
  for (const Plugin& candidate : plugins) names.push_back(candidate.name);
  const auto near = comm::nearest_name(name, names);
  values.warning(plugin, fmt::format("the plugin {} is not known and is left out{}", quote(name),
                                     near ? fmt::format("; did you mean {}?", quote(*near)) : ""));
  return nullptr;
}

/// Reads what the writer of ls1's table says besides its interval.
void read_results(const XmlElement& plugin, XmlValues& values, const Decides& decides,
                  Input& input) {
  plugin.pass_over({"writeprecision", "outputfilename"});
  if (const XmlElement* accumulated = plugin.find("accumulation_steps")) {
    values.warning(*accumulated,
                   "<accumulation_steps>: Sterna's table has no averages over the last steps");
  }
  const XmlElement* prefix = plugin.find("outputprefix");
  if (prefix == nullptr) return;
  if (prefix->text.empty() || prefix->text.find_first_of("/\\") != std::string::npos) {
    values.warning(*prefix, "<outputprefix> is no plain name; the name of this file is taken");
    return;
  }
  input.run.name = prefix->text;
  decides("run.name", *prefix);
}

/// Reads a plugin that has a section of its own in Sterna's input. Returns false if it has none.
bool read_section(Role role, const XmlElement& plugin, const MoleculeTypes& types,
                  std::optional<std::int64_t> equilibration, XmlValues& values,
                  const Decides& decides, Input& input) {
  switch (role) {
    case Role::rdf:
      read_rdf(plugin, equilibration, values, decides, input);
      return true;
    case Role::tension:
      read_gamma_writer(plugin, values, decides, input);
      return true;
    case Role::orientation:
      read_orientations(plugin, types, values, decides, input);
      return true;
    case Role::permittivity:
      read_permittivity(plugin, types, values, decides, input);
      return true;
    case Role::limit:
      read_max_check(plugin, types, values, decides, input);
      return true;
    case Role::drift:
      read_drift_control(plugin, types, values, decides, input);
      return true;
    case Role::alignment:
      read_alignment(plugin, values, decides, input);
      return true;
    case Role::wall:
      read_wall_potential(plugin, types, values, decides, input);
      return true;
    case Role::mirror:
      read_mirror(plugin, types, values, decides, input);
      return true;
    case Role::regions:
      read_region_sampling(plugin, values, decides, input);
      return true;
    case Role::profile:
      read_spatial_profile(plugin, values, decides, input);
      return true;
    default:
      return false;
  }
}

}  // namespace

void read_plugin(const XmlElement& plugin, const MoleculeTypes& types,
                 std::optional<std::int64_t> equilibration, XmlValues& values,
                 const Decides& decides, Input& input) {
  const Plugin* const known = is_off(plugin, values) ? nullptr : row_of(plugin, values);
  if (known == nullptr) {
    plugin.pass_over();
    return;
  }
  // Looking for the element also marks it as known, in plugins with a section, too.
  const XmlElement* frequency = frequency_of(plugin);
  if (read_section(known->role, plugin, types, equilibration, values, decides, input)) return;
  const auto interval = [&](std::string_view key, std::int64_t& target) {
    if (frequency == nullptr || frequency->text == "0") return;
    if (const auto steps = values.integer(*frequency, 1, most_steps)) {
      target = *steps;
      decides(key, *frequency);
    }
  };
  switch (known->role) {
    case Role::results:
      interval("output.thermo_interval", input.output.thermo_interval);
      read_results(plugin, values, decides, input);
      return;
    case Role::checkpoint:
      interval("output.checkpoint_interval", input.output.checkpoint_interval);
      plugin.pass_over({"type", "outputprefix", "incremental", "appendTimestamp", "datarep",
                        "measureTime", "mpi_info", "ParticlesBufferSizeMPI"});
      return;
    case Role::trajectory:
      interval("output.trajectory_interval", input.output.trajectory_interval);
      values.warning(plugin,
                     fmt::format("{}: Sterna writes an H5MD trajectory instead", known->name));
      break;
    case Role::report:
      values.warning(plugin, fmt::format("{}: ls1 reports on its own running; Sterna's log has "
                                         "times, memory and load",
                                         known->name));
      break;
    case Role::observation:
      leave_out_measurement(plugin, known->name, values);
      return;
    case Role::physics:
      values.error(plugin,
                   fmt::format("{}: Sterna does not have this, and the run would be another "
                               "one without it (enabled=\"false\" leaves it out)",
                               known->name));
      break;
    default:
      return;  // read already, as a section
  }
  plugin.pass_over();
}

}  // namespace sterna::md::ls1
