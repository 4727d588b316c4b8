#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/force_term.hpp"
#include "md/model/component.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// Forces that are the same at all positions: F on each molecule, its mass times an acceleration,
/// and the force and torque of an electric field E,
///
///     U = -(F + m a + q E) . R - p . E,    torque p x E,
///
/// with the molecule's charge q and its dipole moment p about the center of mass (of charges and
/// point dipoles). R is the center's path, which is not wrapped into the box, so that U has no jump
/// where a molecule leaves the box. Atoms of flexible molecules are molecules here. Source: Jackson,
/// Classical Electrodynamics, 3rd edition, section 4.2; a point quadrupole feels nothing in a uniform
/// field. There is no virial.
class UniformFields final : public ForceTerm {
 public:
  struct Field {
    Vec3 force{}, acceleration{}, electric_field{};
    int type = -1;  ///< the type it acts on; -1: all
  };

  /// The box must outlive this object. `components` by type, with charges in units of
  /// `charge_unit`: the electric field is an energy per length and per such a charge.
  UniformFields(const Box& box, std::span<const Component> components, double charge_unit,
                std::span<const Field> fields);
  /// Atoms have the charges of their molecules from now on; the topology outlives this.
  void set_topology(const Topology& topology) { topology_ = &topology; }

  std::string_view name() const override { return "fields"; }
  bool needs_all_ghosts() const override { return false; }
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;

 private:
  struct OfType {
    Vec3 force;
    double charge = 0.0;  ///< in units of the field's; the force has its part
    Vec3 electric_field;
    Vec3 dipole;  ///< body frame
    bool turns = false;
  };

  const Box& box_;
  double charge_unit_;
  const Topology* topology_ = nullptr;
  std::vector<OfType> types_;
};

}  // namespace sterna::md
