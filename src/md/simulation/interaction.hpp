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
#include "md/forces/pair/pair_function.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/input/input.hpp"
#include "md/model/component.hpp"
#include "md/model/lennard_jones.hpp"
#include "md/model/molecule_model.hpp"
#include "md/model/tersoff.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

class PairForces;

/// What the particles of a run are and how they interact, as the input says: the one place that
/// knows which short-range forces serve which input.
class Interaction {
 public:
  /// `tersoff_parameters`: the text of the input's parameter file, where it names one.
  explicit Interaction(const Input& input, std::string_view tersoff_parameters = {});

  /// In the order of `Position::type`; a [[type]] is a component of one Lennard-Jones site that
  /// does not rotate.
  const std::vector<Component>& components() const { return components_; }
  std::vector<std::string> names() const;
  std::vector<double> masses() const;
  /// Principal moments of inertia.
  std::vector<Vec3> inertia() const;
  /// Whether particles need orientations: all but single Lennard-Jones sites do.
  bool rotating() const { return model_.has_value() && !potential_; }

  /// The farthest that two particles can be apart that act on each other.
  double range() const { return range_; }
  /// A skin for the neighbor list that serves most states.
  double usual_skin() const;
  /// The short-range forces that this interaction needs; to be called once. The topology lives as
  /// long as they do.
  std::unique_ptr<ShortRangeForces> take_forces(const Topology& topology);

  /// The planar correction that the input asks for: `slabs` of a density profile across the axis
  /// `normal`; no slabs: none.
  struct PlanarLayers {
    int normal = 2;
    std::size_t slabs = 0;
  };
  PlanarLayers planar_layers(const Box& box) const;
  /// What the cutoff leaves out, of all pairs of components. Not for Tersoff's potential.
  std::vector<AveragedPotential> beyond_cutoff() const;
  /// What is the same wherever the particles are, for so many of each type: of the homogeneous
  /// correction all, of the planar one the dipoles in their own reaction fields.
  LennardJones::TailCorrection tail_correction(std::span<const double> counts, double volume) const;

  /// Scales of the sites: the smallest size, the largest energy.
  double smallest_sigma() const;
  double largest_epsilon() const;

 private:
  LennardJones::TailCorrection tail_of_functions(std::span<const double> counts,
                                                 double volume) const;
  void take_pairs(const Input& input, std::unique_ptr<PairForces> pairs);

  TailCorrection tail_correction_;  ///< as in the input, and the next two
  int tail_normal_, tail_slabs_;
  std::vector<Component> components_;
  std::optional<MoleculeModel> model_;     ///< where the input has components
  std::optional<LennardJones> potential_;  ///< where single sites are all there is
  std::vector<PairFunction> functions_;    ///< in place of it: of all pairs of types
  std::vector<PairFunction::Tail> tails_;  ///< of these, and the next
  std::vector<PairScale> scales_;
  std::optional<TersoffPotential> tersoff_;  ///< in place of both
  std::unique_ptr<ShortRangeForces> forces_;
  PairForces* charged_ = nullptr;  ///< these, where charges end at a cutoff
  double charge_factor_ = 1.0;     ///< of their permittivity
  double range_ = 0.0;
};

}  // namespace sterna::md
