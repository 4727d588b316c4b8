#include "md/input/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "md/domain/regular_grid.hpp"
#include "md/input/cutoffs.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/trajectory_row.hpp"
#include "md/neighbors/cell_counts.hpp"
#include "md/system/particle_fields.hpp"

namespace sterna::md {
namespace {

// Bytes for a particle in double precision: position, velocity, force, id, image, and coordinates
// for the pair list; and for each neighbor, in rows that two particles share.
constexpr double bytes_per_local = 180.0;
constexpr double bytes_per_neighbor = 1.6;
constexpr double bytes_per_ghost = 64.0;
// Lower bounds that hold for any distribution of particles: position, velocity, force, id, image,
// coordinates; for a ghost position and coordinates.
constexpr double least_bytes_per_local = 116.0;
constexpr double least_bytes_per_ghost = 44.0;
constexpr double least_bytes_per_neighbor = 0.5;    // in rows that four particles share
constexpr double least_bytes_in_half_lists = 0.25;  // in lists of mixed precision
constexpr double bytes_per_process = 60e6;          // program, MPI and its buffers
// Additional bytes for molecules.
constexpr double bytes_in_xtc = 5.0;         // of an atom
constexpr double rotation_per_local = 80.0;  // orientation, angular momentum, torque
constexpr double rotation_per_ghost = 32.0;  // orientation
constexpr double bytes_per_site = 32.0;      // position in the laboratory frame

double bytes_of_field(std::string_view name, bool single_precision) {
  double bytes = 0.0;
  for_each_field([&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if (field.name != name) return;
    const bool halved = !Field::whole_numbers && single_precision;
    bytes = Field::components * (halved ? sizeof(float) : sizeof(typename Field::StoredType));
  });
  return bytes;
}

}  // namespace

double likely_skin(const Input& input) {
  return input.neighbor.skin > 0.0 ? input.neighbor.skin : 0.12 * longest_cutoff(input);
}

std::string byte_text(double bytes) {
  constexpr const char* names[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t i = 0;
  while (bytes >= 999.5 && i + 1 < std::size(names)) {
    bytes /= 1000.0;
    ++i;
  }
  return fmt::format("{:.3g} {}", bytes, names[i]);
}

namespace {

/// Sets the regions of the ranks. Returns false if the box cannot be divided among them.
bool set_regions(const Input& input, const SystemFacts& facts, Forecast& result) {
  try {
    const RegularGrid grid(*facts.box, *facts.ranks, input.domain.grid);
    result.grid = grid.grid();
    for (int axis = 0; axis < 3; ++axis) {
      result.region[static_cast<std::size_t>(axis)] = grid.smallest_width(axis);
    }
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

/// Sets how many particles, ghosts, cells and neighbors a rank has.
void set_counts(const Input& input, const SystemFacts& facts, Forecast& result) {
  const double density = static_cast<double>(*facts.particles) / facts.box->volume();
  result.halo = longest_cutoff(input) + likely_skin(input);
  double own = 1.0, with_halo = 1.0;
  const Vec3 extent = facts.box->shear().extent(result.halo);
  for (int axis = 0; axis < 3; ++axis) {
    const double width = result.region[static_cast<std::size_t>(axis)];
    own *= width;
    with_halo *= width + 2.0 * extent[axis];
  }
  result.local_particles = static_cast<double>(*facts.particles) / *facts.ranks;
  result.ghost_particles = density * (with_halo - own);
  const Vec3 unsheared{result.region[0], result.region[1], result.region[2]};
  for (const int cells : cell_counts(unsheared, extent, result.local_particles)) {
    result.cells = std::max(result.cells, 1.0) * (cells + 2);
  }
  result.neighbors = density * 4.0 / 3.0 * std::numbers::pi * std::pow(result.halo, 3);
}

/// Parts of the particles that are of each type, and then of each component; empty: not known.
std::vector<double> shares_of_kinds(const Input& input, const SystemFacts& facts) {
  std::vector<double> shares;
  const auto kinds = input.types.size() + input.components.size();
  if (facts.particles_of_type.size() == kinds) {
    shares.assign(facts.particles_of_type.begin(), facts.particles_of_type.end());
  } else if (!input.molecules.empty()) {
    shares.assign(kinds, 0.0);
    for (const Input::Molecule& molecule : input.molecules) {
      for (const Input::MoleculeAtom& atom : molecule.atoms) {
        const auto type = std::ranges::find(input.types, atom.type, &Input::Type::name);
        const auto rigid = std::ranges::find(input.components, atom.type, &Input::Component::name);
        auto kind = static_cast<std::size_t>(type - input.types.begin());
        if (type == input.types.end()) {
          if (rigid == input.components.end()) continue;
          kind += static_cast<std::size_t>(rigid - input.components.begin());
        }
        shares[kind] += static_cast<double>(molecule.count);
      }
    }
  } else if (input.start.kind != StartKind::file || kinds == 1) {
    for (const Input::Type& type : input.types) shares.push_back(type.fraction);
    for (const Input::Component& component : input.components) shares.push_back(component.fraction);
  }
  double sum = 0.0;
  for (const double share : shares) sum += share;
  if (!(sum > 0.0)) return {};
  for (double& share : shares) share /= sum;
  return shares;
}

/// Numbers of a particle, on average.
struct RigidShares {
  double turning = 0.0;  ///< the part of the particles that turn
  double sites = 0.0;    ///< of rigid molecules
  double atoms = 1.0;    ///< of trajectories: an atom, or the places of a rigid molecule's sites
};

/// Whether molecules of a component turn.
bool turns(const Input::Component& component) {
  return component.sites.size() != 1 || component.inertia.has_value() ||
         component.sites.front().kind != SiteKind::lennard_jones;
}

/// The number of different places of a component's sites.
double places_of(const Input::Component& component) {
  std::set<std::array<double, 3>> places;
  for (const Input::Site& site : component.sites) {
    places.insert({site.position.x, site.position.y, site.position.z});
  }
  return static_cast<double>(places.size());
}

RigidShares rigid_shares(const Input& input, const SystemFacts& facts) {
  if (input.components.empty()) return {};
  // Where there are no types, all particles have orientations if some turn.
  const bool all_alike = input.types.empty() && std::ranges::any_of(input.components, turns);
  const std::vector<double> shares = shares_of_kinds(input, facts);
  RigidShares result{.turning = 0.0, .sites = 0.0, .atoms = 0.0};
  for (std::size_t k = 0; k < input.types.size() && !shares.empty(); ++k) result.atoms += shares[k];
  for (std::size_t k = 0; k < input.components.size(); ++k) {
    const auto sites = static_cast<double>(input.components[k].sites.size());
    const double places = places_of(input.components[k]);
    if (shares.empty()) {
      // Any particle may be the largest molecule.
      result.turning = all_alike || turns(input.components[k]) ? 1.0 : result.turning;
      result.sites = std::max(result.sites, sites);
      result.atoms = std::max(result.atoms, places);
      continue;
    }
    const double share = shares[input.types.size() + k];
    if (all_alike || turns(input.components[k])) result.turning += share;
    result.sites += share * sites;
    result.atoms += share * places;
  }
  return result;
}

/// Bytes of a particle that all observers of the input keep until the end.
double remembered_bytes(const Input& input) {
  double bytes = 0.0;
  for (const ObserverRow& section : observer_rows()) {
    if (section.bytes_per_particle == nullptr || section.interval(input) == 0) continue;
    bytes += section.bytes_per_particle(input);
  }
  return bytes;
}

/// Sets the memory that a rank is likely to need.
void set_memory(const Input& input, const RigidShares& rigid, Forecast& result) {
  const double site_bytes = bytes_per_site * rigid.sites;
  const double local_bytes = bytes_per_local + bytes_per_neighbor * result.neighbors +
                             rotation_per_local * rigid.turning + site_bytes;
  const double ghost_bytes = bytes_per_ghost + rotation_per_ghost * rigid.turning + site_bytes;
  result.memory_per_rank = bytes_per_process + bytes_per_cell * result.cells +
                           local_bytes * result.local_particles +
                           ghost_bytes * result.ghost_particles;
  result.memory_per_rank += remembered_bytes(input) * result.local_particles;
}

/// Sets lower bounds of the particles and the memory of a rank.
void set_least_memory(const Input& input, const SystemFacts& facts, Forecast& result) {
  // In an uneven system a region may have few ghosts, so only the images by which the cutoff
  // extends over whole boxes are certain. Clustered particles have more neighbors than evenly
  // spread ones, so the even estimate is a lower bound.
  const Vec3 extent = facts.box->shear().extent(result.halo);
  double images = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    images *= 1.0 + 2.0 * std::floor(extent[axis] / facts.box->length[axis]);
  }
  result.least_particles =
      result.local_particles + static_cast<double>(*facts.particles) * (images - 1.0);
  const double list_bytes = input.run.precision == Precision::mixed ? least_bytes_in_half_lists
                                                                    : least_bytes_per_neighbor;
  result.least_memory_per_rank =
      least_bytes_per_ghost * result.least_particles +
      result.local_particles * (least_bytes_per_local - least_bytes_per_ghost +
                                list_bytes * std::max(0.0, result.neighbors - 2.0));
}

/// Sets the sizes of the files of a run.
void set_file_sizes(const Input& input, const RigidShares& rigid, double particles,
                    Forecast& result) {
  if (input.output.trajectory_interval > 0) {
    double bytes = 0.0;
    for (const std::string& field : input.output.trajectory_fields) {
      bytes += bytes_of_field(field, input.output.is_single_precision());
    }
    const auto frames = input.run.steps / input.output.trajectory_interval + 1;
    result.trajectory_bytes = bytes * particles * static_cast<double>(frames);
  }
  const double atoms = rigid.atoms * particles;
  const auto add_frames = [&](std::int64_t interval, double bytes_per_atom) {
    if (interval == 0) return;
    const auto frames = static_cast<double>(input.run.steps / interval + 1);
    result.trajectory_bytes += bytes_per_atom * atoms * frames;
  };
  add_frames(input.output.xtc_interval, bytes_in_xtc);
  for (const TrajectoryRow& section : trajectory_rows()) {
    // Only trajectories of all atoms are counted, because the sizes of groups are not known yet.
    if (section.groups(input).empty()) {
      add_frames(section.interval(input), section.bytes_per_atom(input));
    }
  }
  // Where only some particles turn, these have 64 bytes more, and else their fields.
  const bool only_some = !input.types.empty() && rigid.turning > 0.0;
  const ParticleKind kind{.rotating = rigid.turning > 0.0 && !only_some};
  const double more = only_some ? 64.0 * rigid.turning : 0.0;
  result.checkpoint_bytes =
      (static_cast<double>(bytes_in_files(kind)) + more + remembered_bytes(input)) * particles;
}

}  // namespace

std::optional<Forecast> forecast(const Input& input, const SystemFacts& facts) {
  if (!facts.particles || !facts.box || !facts.ranks) return std::nullopt;
  Forecast result;
  if (!set_regions(input, facts, result)) return std::nullopt;
  set_counts(input, facts, result);
  const RigidShares rigid = rigid_shares(input, facts);
  set_memory(input, rigid, result);
  set_least_memory(input, facts, result);
  set_file_sizes(input, rigid, static_cast<double>(*facts.particles), result);
  return result;
}

std::string why_impossible(const Forecast& expected, double memory_per_rank,
                           const std::string& limit) {
  // Indices of particles are 32-bit numbers.
  constexpr double most = std::numeric_limits<std::uint32_t>::max();
  if (expected.least_particles > most) {
    return fmt::format(
        "a rank would have {:.3g} particles, with the images around them that the "
        "cutoff reaches; it can hold {:.3g}",
        expected.least_particles, most);
  }
  if (expected.least_memory_per_rank <= memory_per_rank) return {};
  return fmt::format(
      "a rank needs about {}, and {} at the very least, but {} are there ({}); use "
      "more ranks on more nodes, a smaller system or a shorter cutoff",
      byte_text(expected.memory_per_rank), byte_text(expected.least_memory_per_rank),
      byte_text(memory_per_rank), limit);
}

}  // namespace sterna::md
