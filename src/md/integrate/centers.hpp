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

/// What moves with a box that changes: particles, but of atoms that constraints join, directly or
/// through others, their common center of mass, so that the group keeps its shape. Virtual sites
/// whose atoms are all of a group move with it. Functions that
/// take a store are collective, but for `move_positions` and `inner_virial`.
class Centers {
 public:
  /// As those of `Constraints`.
  using GhostVectors = std::function<void(std::span<const Vec3> local, std::span<Vec3> ghosts)>;

  /// `places`: null where there are no flexible molecules. `masses`: by type.
  Centers(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
          std::span<const double> masses, GhostVectors ghost_vectors);

  /// By how many there are fewer centers than atoms.
  static std::int64_t joined_atoms(const Topology& topology);
  bool are_groups() const { return !kinds_.empty(); }

  /// After `places` was rebuilt. Throws FileError on all ranks where a rank lacks an atom of a
  /// group that one of its own is in.
  void rebuild(const ParticleStore& particles);

  /// Of the local particles; ghosts stay.
  void move_positions(ParticleStore& particles, const Deformation& by) const;
  void change_velocities(ParticleStore& particles, const Deformation& by);

  /// This rank's share of the sum of m v_a v_b.
  Tensor kinetic(const ParticleStore& particles);
  /// This rank's share of what the virial of forces on atoms has beyond that of forces on centers:
  /// sum d_b f_a, d from the center to the atom.
  Tensor inner_virial(const ParticleStore& particles) const;

 private:
  struct KindGroup {
    /// Each but the first is constrained to an earlier one, or a virtual site that is made of some.
    std::vector<std::int32_t> atoms;
    std::vector<std::int32_t> parent;  ///< the place of that one in `atoms`; -1: the first
    std::size_t with_mass = 0;         ///< those before virtual sites
  };
  struct Kind {
    std::vector<KindGroup> groups;
    std::vector<std::int32_t> group_of;  ///< of each atom; -1: none
  };
  struct Group {
    std::uint32_t first, count;  ///< in `atoms_`
    double mass, share;          ///< that this rank owns
  };
  struct Atom {
    std::uint32_t place;     ///< of its image beside the group's other atoms, in the store
    std::uint32_t particle;  ///< the local one, where this rank owns it; otherwise `place`
    double mass;
  };

  static Kind kind_of(const Topology::Molecule& molecule);
  void add(const ParticleStore& particles, std::uint32_t particle, const Topology::Place& place,
           const KindGroup& group, std::string& missing);
  std::span<const Atom> of(const Group& group) const {
    return std::span(atoms_).subspan(group.first, group.count);
  }
  Vec3 center(const Group& group, const ParticleStore& particles) const;
  Vec3 velocity(const Group& group) const;  ///< by `velocity_`
  void take_velocities(const ParticleStore& particles);

  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  std::vector<double> masses_;
  GhostVectors ghost_vectors_;
  std::vector<Kind> kinds_;  ///< of molecules; empty: none has a constraint
  std::vector<Group> groups_;
  std::vector<Atom> atoms_;
  std::vector<char> is_joined_;  ///< of the local particles; empty: none is
  std::vector<Vec3> velocity_;
};

}  // namespace sterna::md
