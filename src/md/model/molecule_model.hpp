#pragma once

#include <cstddef>
#include <vector>

#include "md/model/component.hpp"
#include "md/model/lennard_jones.hpp"

namespace sterna::md {

/// All components and the interactions of their sites: the input of the site kernels and of the
/// corrections beyond the cutoff.
struct MoleculeModel {
  std::vector<Component> components;

  /// Mixing of unlike sites of two components: sigma = eta (s1 + s2) / 2, epsilon = xi sqrt(e1 e2).
  struct Mixing {
    double eta = 1.0, xi = 1.0;
  };
  /// components^2, symmetric. The diagonal is ignored: within a component eta and xi are 1.
  std::vector<Mixing> mixing;
  /// components^2: whether the Lennard-Jones energy of this pair of components is shifted to zero
  /// at the cutoff.
  std::vector<char> shifted;

  /// The distance at which the interaction of two molecules ends.
  enum class Cutoff {
    center_of_mass,  ///< between centers of mass: all pairs of sites interact, or none
    site             ///< between sites: each pair of sites is decided on its own
  };
  Cutoff cutoff_kind = Cutoff::center_of_mass;
  double cutoff = 0.0;                ///< between centers, or between sites
  double lennard_jones_cutoff = 0.0;  ///< at most `cutoff`, measured likewise

  enum class Electrostatics {
    truncated,       ///< plain multipoles to the cutoff
    reaction_field,  ///< dipoles also feel the reaction field of a dielectric beyond the cutoff
    none             ///< charges and dipoles have a long-range solver; quadrupoles are truncated
  };
  Electrostatics electrostatics = Electrostatics::truncated;
  double reaction_field_epsilon = 1.0e10;

  const Mixing& mix(std::size_t a, std::size_t b) const {
    return mixing[a * components.size() + b];
  }
};

}  // namespace sterna::md
