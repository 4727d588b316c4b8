#include "md/simulation/simulated_system.hpp"

#include <algorithm>

#include "md/ensemble/grand_canonical_section.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/topology_from_input.hpp"
#include "md/simulation/alchemical_system.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {

std::vector<RigidBody> bodies_of(const Interaction& interaction, const FrozenTypes& frozen) {
  const std::vector<Vec3> inertia = frozen.inertia(interaction.inertia());
  return {inertia.begin(), inertia.end()};
}

}  // namespace

SimulatedSystem::SimulatedSystem(const Input& input, const ParameterTexts& texts)
    : is_open(changes_numbers(input)),
      interaction(input, texts),
      topology(topology_of_state(input, topology_from_input(input))),
      masses(interaction.masses()),
      frozen(input, interaction.names(), masses),
      counted_masses(frozen.counted_masses(masses)),
      bodies(bodies_of(interaction, frozen)) {
  particles.set_turning_types(interaction.turning_types());
  particles.set_ghost_ids(!topology.empty() || is_open ||
                          !input.section<AtomGroupSections>().all.empty());
}

void SimulatedSystem::count_particles(const comm::Context& context) {
  type_counts.assign(masses.size(), 0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    ++type_counts[static_cast<std::size_t>(particles.position[i].type)];
  }
  comm::ReductionBatch counts(context, "type counts");
  counts.sum(type_counts.data(), type_counts.size()).run();
  moving_count = particle_count;
  for (std::size_t type = 0; type < frozen.flags().size(); ++type) {
    if (frozen.flags()[type] != 0) moving_count -= type_counts[type];
  }
  set_box(box);
}

void SimulatedSystem::exchange_particles(std::span<const std::size_t> removed,
                                         std::span<const ParticleRecord> added, std::int64_t more) {
  particle_count += more;
  if (removed.empty() && added.empty()) return;
  std::vector<ParticleRecord> all;
  auto gap = removed.begin();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (gap != removed.end() && *gap == i) {
      ++gap;
    } else {
      all.push_back(particle(particles, i));
    }
  }
  all.insert(all.end(), added.begin(), added.end());
  fields.remove(removed);
  fields.resize(all.size());
  // Those that turn are found anew, in the order of the store.
  particles.resize_local(0);
  particles.resize_local(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) set_particle(particles, i, all[i]);
}

double SimulatedSystem::steady_count() const {
  if (!is_open) return static_cast<double>(particle_count);
  // That of a dense liquid.
  const double size = interaction.smallest_sigma();
  constexpr double least = 1000.0, most = 1e12;
  return size > 0.0 ? std::clamp(box.volume() / (size * size * size), least, most) : least;
}

void SimulatedSystem::set_box(const Box& changed) {
  box = changed;
  const std::vector<double> particles_of_type(type_counts.begin(), type_counts.end());
  tail = interaction.tail_correction(particles_of_type, box.volume());
}

double SimulatedSystem::lightest_mass() const {
  double lightest = std::numeric_limits<double>::infinity();
  for (const double mass : masses) {
    if (mass > 0.0) lightest = std::min(lightest, mass);
  }
  return lightest;
}

double SimulatedSystem::lightest_moving_mass() const {
  double lightest = std::numeric_limits<double>::infinity();
  for (std::size_t type = 0; type < masses.size(); ++type) {
    const bool moves = frozen.flags().empty() || frozen.flags()[type] == 0;
    if (moves && type_counts[type] > 0 && masses[type] > 0.0) {
      lightest = std::min(lightest, masses[type]);
    }
  }
  return lightest;
}

double SimulatedSystem::total_mass() const {
  double sum = 0.0;
  for (std::size_t type = 0; type < masses.size(); ++type) {
    sum += static_cast<double>(type_counts[type]) * masses[type];
  }
  return sum;
}

}  // namespace sterna::md
