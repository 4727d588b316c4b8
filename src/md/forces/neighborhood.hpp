#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/domain/decomposition.hpp"
#include "md/domain/halo.hpp"
#include "md/neighbors/full_rows.hpp"
#include "md/system/aligned_buffer.hpp"
#include "md/system/padded_force.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What the engine tells a term that a program adds and that has a `Neighborhood`.
class SeesNeighborhood {
 public:
  virtual ~SeesNeighborhood() = default;
  /// Collective. Called once, before the first `rebuild`. All arguments outlive the term; `skin` is
  /// that of the neighbor list.
  virtual void connect(const comm::Context& context, const Decomposition& decomposition,
                       double skin) = 0;
};

/// The local particles of a rank with ghosts and rows of their own, for potentials that reach
/// farther than the neighbor list or that compute outside of the engine: a rank computes the
/// energies of its own particles and their forces on all, and the forces on ghosts return. Such a
/// term needs early rebuilds (ForceTerm::needs_early_rebuild).
class Neighborhood {
 public:
  struct Options {
    double range;  ///< length; ghosts come from as far as this and the skin
    double skin;
    double cutoff = 0.0;  ///< of the rows, which contain the skin; 0: there are none
    int ghost_steps = 0;  ///< see FullRows::build
    bool returns_forces = true;
    std::vector<char> unlisted_types = {};  ///< see FullRows::build
  };
  /// Collective.
  Neighborhood(const comm::Context& context, const Decomposition& decomposition,
               const Options& options);

  // The calls of a term, all of them collective:
  void set_decomposition(const Decomposition& decomposition);
  void rebuild(const ParticleStore& particles);
  void start(const ParticleStore& particles);
  /// Ghosts have arrived; forces are 0.
  void finish();
  /// Brings the forces on ghosts home. Adds forces to those of the local particles, and the virial of
  /// all forces to `sums`, if they are given. The energy must not depend on where all particles are
  /// together.
  void return_forces(ParticleStore& particles, EnergyAndVirial* sums);

  /// Local particles in the order of the store, then ghosts: positions, types and ids.
  const ParticleStore& atoms() const { return atoms_; }
  const FullRows& rows() const { return rows_; }
  std::span<PaddedForce> force() { return force_.span(); }
  double cutoff() const { return options_.cutoff; }

  /// Calls visit(i, j, d) for each pair within the cutoff whose first particle has a row, row by row;
  /// d leads from i to j.
  template <class Visit>
  void for_each_pair(Visit&& visit) const {
    const double largest = options_.cutoff * options_.cutoff;
    for (const std::uint32_t i : rows_.centers()) {
      const Vec3 center = atoms_.position[i].vector();
      for (const std::uint32_t j : rows_.row(i)) {
        const Vec3 d = atoms_.position[j].vector() - center;
        if (dot(d, d) < largest) visit(i, j, d);
      }
    }
  }

 private:
  void make_halo(const Decomposition& decomposition);
  void take_positions(const ParticleStore& particles);

  comm::Context context_;
  Options options_;
  std::unique_ptr<Halo> halo_;
  Vec3 center_;  ///< of the region
  ParticleStore atoms_;
  FullRows rows_;
  AlignedBuffer<PaddedForce> force_;
};

}  // namespace sterna::md
