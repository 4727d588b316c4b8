#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "md/core/box.hpp"
#include "md/input/input.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/model/lennard_jones.hpp"
#include "md/simulation/starting/frozen_types.hpp"
#include "md/simulation/interaction.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What a run simulates: the particles of this rank, the box, and what is known of the types. All
/// parts of a run read it; the start, the integrator and the barostat change it.
struct SimulatedSystem {
  SimulatedSystem(const Input& input, const ParameterTexts& texts);

  /// Collective, once the particles are there: how many there are of each type, and what follows
  /// from that.
  void count_particles(const comm::Context& context);
  /// The box and what depends on its volume.
  void set_box(const Box& box);

  double lightest_mass() const;         ///< of the types that have a mass
  double lightest_moving_mass() const;  ///< of particles that are there and not frozen
  double total_mass() const;

  Interaction interaction;
  Topology topology;  ///< of flexible molecules
  std::vector<double> masses;
  FrozenTypes frozen;
  std::vector<double> counted_masses;  ///< without those of frozen types
  std::vector<RigidBody> bodies;       ///< by type; frozen ones do not turn

  Box box;
  ParticleStore particles;
  std::int64_t particle_count = 0;        ///< of all ranks
  std::vector<std::int64_t> type_counts;  ///< of all ranks
  std::int64_t moving_count = 0;  ///< of particles that are not frozen, and no virtual sites
  LennardJones::TailCorrection tail{0.0, 0.0};
};

}  // namespace sterna::md
