#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/longrange/averaged_potential.hpp"
#include "md/forces/manybody/input/many_body_table.hpp"
#include "md/forces/pair/charge_pairs.hpp"
#include "md/forces/pair/pair_function.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/input/input.hpp"
#include "md/model/component.hpp"
#include "md/model/lennard_jones.hpp"
#include "md/model/molecule_model.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

class MolecularForces;
class PairForces;

/// The texts of the parameter files that an input names, in the order of `many_body_rows`; empty if
/// it names none.
using ParameterTexts = std::vector<std::string>;

/// The particles of a run and their interactions, from the input. Only this class knows which
/// short-range forces an input needs.
class Interaction {
 public:
  explicit Interaction(const Input& input, const ParameterTexts& texts = {});

  /// The components in the order of `Position::type`: types first. A [[type]] is a component of one
  /// Lennard-Jones site that does not rotate.
  const std::vector<Component>& components() const { return components_; }
  /// The number of components that are [[type]]s.
  std::size_t type_count() const { return type_count_; }
  std::vector<std::string> names() const;
  std::vector<double> masses() const;
  /// Principal moments of inertia.
  std::vector<Vec3> inertia() const;
  /// Whether particles need orientations: all but single Lennard-Jones sites do.
  bool rotating() const { return rotating_; }
  /// For each component, whether its particles have an orientation.
  std::vector<char> turning_types() const;

  /// The farthest that two particles can be apart that act on each other.
  double range() const { return range_; }
  /// A skin for the neighbor list that serves most states.
  double usual_skin() const;
  /// The short-range terms that this interaction needs; to be called once. The topology lives as long
  /// as they do.
  std::vector<std::unique_ptr<ShortRangeForces>> take_forces(const Topology& topology);
  /// Charges that end at a cutoff, where the input has them; and what multiplies those of atoms.
  const CutoffCharges& cutoff_charges() const { return cutoff_charges_; }
  double charge_factor() const { return charge_factor_; }

  /// The planar correction that the input asks for: `slabs` of a density profile across the axis
  /// `normal`; no slabs: none.
  struct PlanarLayers {
    int normal = 2;
    std::size_t slabs = 0;
  };
  PlanarLayers planar_layers(const Box& box) const;
  /// Returns the potentials beyond the cutoff of all pairs of components that interact in pairs.
  /// Not for inputs with many-body potentials alone.
  std::vector<AveragedPotential> beyond_cutoff() const;
  /// Returns the part of the corrections that does not depend on positions, for this many particles
  /// of each type. That is all of the homogeneous correction, and the dipoles in their own reaction
  /// fields of the planar one.
  LennardJones::TailCorrection tail_correction(std::span<const double> counts, double volume) const;

  /// Scales of the sites: the smallest size, the largest energy.
  double smallest_sigma() const;
  double largest_epsilon() const;

 private:
  void act_of_atoms(const Input& input, const ParameterTexts& texts);
  void pairs_of_types(const Input& input);
  /// Whether anything interacts in pairs.
  bool has_pairs() const { return potential_ || model_ || !functions_.empty(); }
  LennardJones::TailCorrection tail_of_atoms(std::span<const double> counts, double volume) const;
  LennardJones::TailCorrection tail_of_functions(std::span<const double> counts,
                                                 double volume) const;
  /// Whether rigid molecules are few beside atoms.
  bool are_few(const Topology& topology) const;
  void take_pairs(const Input& input, std::unique_ptr<PairForces> pairs);

  TailCorrection tail_correction_;  ///< as in the input, and the next two
  int tail_normal_, tail_slabs_;
  std::vector<Component> components_;
  std::size_t type_count_;
  bool rotating_ = false;
  /// If the input has components: the model of all pairs that have one.
  std::optional<MoleculeModel> model_;
  /// Pairs of single sites outside of the model have this potential, or the next one in its place.
  std::optional<LennardJones> potential_;
  std::vector<PairFunction> functions_;
  std::vector<PairFunction::Tail> tails_;  ///< of these, and the next
  std::vector<PairScale> scales_;
  std::vector<std::unique_ptr<ManyBodyPotential>> many_body_;  ///< of those types that have them
  std::vector<std::unique_ptr<ShortRangeForces>> forces_;
  MolecularForces* molecules_ = nullptr;  ///< of those that are not large, beside atoms
  PairForces* charged_ = nullptr;         ///< the pairs, where charges end at a cutoff
  CutoffCharges cutoff_charges_{};
  double charge_factor_ = 1.0;  ///< of their permittivity
  double range_ = 0.0;
};

}  // namespace sterna::md
