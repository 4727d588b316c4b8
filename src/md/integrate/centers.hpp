#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/core/deformation.hpp"
#include "md/system/molecule_places.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The points that move with a changing box: particles, or for atoms that constraints join,
/// directly or through others, their common center of mass, so that such a group keeps its shape.
/// Virtual sites whose atoms are all in one group move with it. Functions that take a store are
/// collective, except `move_positions` and `inner_virial`.
class Centers {
 public:
  /// Copies vectors of particles to their ghosts, as for `Constraints`.
  using GhostVectors = std::function<void(std::span<const Vec3> local, std::span<Vec3> ghosts)>;

  /// `places` is null if there are no flexible molecules. `masses`: by type.
  Centers(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
          std::span<const double> masses, GhostVectors ghost_vectors);

  /// The number of atoms minus the number of centers.
  static std::int64_t joined_atoms(const Topology& topology);
  bool are_groups() const { return !kinds_.empty(); }

  /// To be called after `places` was rebuilt. Throws FileError on all ranks if a rank lacks an atom
  /// of a group that contains one of its local atoms.
  void rebuild(const ParticleStore& particles);

  /// Moves the local particles; ghosts stay.
  void move_positions(ParticleStore& particles, const Deformation& by) const;
  void change_velocities(ParticleStore& particles, const Deformation& by);

  /// This rank's share of the sum of m v_a v_b.
  Tensor kinetic(const ParticleStore& particles);
  /// This rank's share of the virial of forces on atoms minus the virial of forces on centers: sum
  /// d_b f_a, with d from the center to the atom.
  Tensor inner_virial(const ParticleStore& particles) const;

 private:
  struct KindGroup {
    /// Each atom but the first is constrained to an earlier one, or is a virtual site of earlier
    /// ones.
    std::vector<std::int32_t> atoms;
    std::vector<std::int32_t> parent;  ///< place of that earlier one in `atoms`; -1: the first
    std::size_t with_mass = 0;         ///< number of atoms before the virtual sites
  };
  struct Kind {
    std::vector<KindGroup> groups;
    std::vector<std::int32_t> group_of;  ///< for each atom; -1: in no group
  };
  struct Group {
    std::uint32_t first, count;  ///< in `atoms_`
    double mass, share;          ///< total; part owned by this rank
  };
  struct Atom {
    std::uint32_t place;     ///< in the store, of the image near the group's other atoms
    std::uint32_t particle;  ///< the local particle if this rank owns it; otherwise `place`
    double mass;
  };

  static Kind kind_of(const Topology::Molecule& molecule);
  void add(const ParticleStore& particles, std::uint32_t particle, const Topology::Place& place,
           const KindGroup& group, std::string& missing);
  std::span<const Atom> of(const Group& group) const {
    return std::span(atoms_).subspan(group.first, group.count);
  }
  Vec3 center(const Group& group, const ParticleStore& particles) const;
  Vec3 velocity(const Group& group) const;  ///< from `velocity_`
  void take_velocities(const ParticleStore& particles);

  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  std::vector<double> masses_;
  GhostVectors ghost_vectors_;
  std::vector<Kind> kinds_;  ///< for each kind of molecule; empty: no constraints
  std::vector<Group> groups_;
  std::vector<Atom> atoms_;
  std::vector<char> is_joined_;  ///< for each local particle; empty: none is
  std::vector<Vec3> velocity_;
};

}  // namespace sterna::md
