#pragma once

#include <cstddef>
#include <vector>

#include "md/model/component.hpp"
#include "md/model/lennard_jones.hpp"

namespace sterna::md {

/// All components and how their sites interact: what the site kernels and the corrections beyond
/// the cutoff are made from.
struct MoleculeModel {
  std::vector<Component> components;

  /// How unlike sites of two components mix: sigma = eta (s1 + s2) / 2, epsilon = xi sqrt(e1 e2).
  struct Mixing {
    double eta = 1.0, xi = 1.0;
  };
  /// components^2, symmetric; the diagonal is not read (inside a component both are 1).
  std::vector<Mixing> mixing;
  /// components^2: whether the Lennard-Jones energy of this pair of components is shifted to zero
  /// at the cutoff.
  std::vector<char> shifted;

  /// Which distance ends the interaction of two molecules.
  enum class Cutoff {
    center_of_mass,  ///< all pairs of sites, or none
    site             ///< each pair of sites by its own distance
  };
  Cutoff cutoff_kind = Cutoff::center_of_mass;
  double cutoff = 0.0;                ///< of the centers, or of the sites
  double lennard_jones_cutoff = 0.0;  ///< at most `cutoff`; between the same points

  enum class Electrostatics {
    truncated,       ///< plain multipoles to the cutoff
    reaction_field,  ///< dipoles of two molecules also by the field of the dielectric around
    none             ///< charges and dipoles are left to a long-range solver; quadrupoles as above
  };
  Electrostatics electrostatics = Electrostatics::truncated;
  double reaction_field_epsilon = 1.0e10;

  const Mixing& mix(std::size_t a, std::size_t b) const {
    return mixing[a * components.size() + b];
  }
};

}  // namespace sterna::md
