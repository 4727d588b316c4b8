#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "md/model/component.hpp"
#include "md/model/lennard_jones.hpp"

namespace sterna::md {

/// All components and the interactions of their sites: the input of the site kernels and of the
/// corrections beyond the cutoff.
struct MoleculeModel {
  std::vector<Component> components;
  /// So many of the components, the first ones, are atoms: types that stand beside rigid molecules,
  /// each of one Lennard-Jones site. How two atoms interact is not said here.
  std::size_t atom_types = 0;
  bool are_atoms(std::size_t a, std::size_t b) const { return a < atom_types && b < atom_types; }

  md::Mixing rule = md::Mixing::lorentz_berthelot;
  /// Factors of what the rule gives of unlike sites: eta of sigma, xi of epsilon; and a rule of this
  /// pair, where it has another one.
  struct Mixing {
    double eta = 1.0, xi = 1.0;
    std::optional<md::Mixing> rule = {};
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
  /// Returns the mixed parameters of a site of component `a` and one of component `b`.
  LennardJones::PairParameters mixed(std::size_t a, const Component::LennardJonesSite& i,
                                     std::size_t b, const Component::LennardJonesSite& j) const {
    const Mixing factors = a == b ? Mixing{} : mix(a, b);
    const auto [epsilon, sigma] =
        md::mix(factors.rule.value_or(rule), {i.epsilon, i.sigma}, {j.epsilon, j.sigma});
    return {factors.xi * epsilon, factors.eta * sigma};
  }
};

}  // namespace sterna::md
