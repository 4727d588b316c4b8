#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/input/input.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/model/lennard_jones.hpp"
#include "md/simulation/interaction.hpp"
#include "md/simulation/starting/frozen_types.hpp"
#include "md/system/added_fields.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The system that a run simulates: the particles of this rank, the box, and the properties of the
/// types. All parts of a run read it; the start, the integrator and the barostat change it.
struct SimulatedSystem {
  SimulatedSystem(const Input& input, const ParameterTexts& texts);

  /// Collective. Counts the particles of each type, and sets the values that follow from the
  /// counts. Is called once the particles exist.
  void count_particles(const comm::Context& context);
  /// Takes the particles at these ascending local places out of the store, and appends others.
  /// `more`: the particles of all ranks that this adds. Lists must be rebuilt.
  void exchange_particles(std::span<const std::size_t> removed,
                          std::span<const ParticleRecord> added, std::int64_t more);
  /// A number of particles that does not change in a run, also where particles come and go: sizes
  /// that a resumed run must have alike depend on it.
  double steady_count() const;
  /// Sets the box and the values that depend on its volume.
  void set_box(const Box& box);

  double lightest_mass() const;         ///< over the types that have a mass
  double lightest_moving_mass() const;  ///< over types with particles, not frozen
  double total_mass() const;

  bool is_open;  ///< particles come and go
  Interaction interaction;
  Topology topology;  ///< of flexible molecules
  std::vector<double> masses;
  FrozenTypes frozen;
  std::vector<double> counted_masses;  ///< 0 for frozen types
  std::vector<RigidBody> bodies;       ///< by type; frozen types do not rotate

  Box box;
  ParticleStore particles;
  AddedFields fields;                     ///< of `particles`
  std::int64_t particle_count = 0;        ///< on all ranks
  std::vector<std::int64_t> type_counts;  ///< on all ranks
  std::int64_t moving_count = 0;          ///< without frozen particles and virtual sites
  LennardJones::TailCorrection tail{0.0, 0.0};
};

}  // namespace sterna::md
