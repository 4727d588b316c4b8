#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/external/wall_potential.hpp"
#include "md/forces/external/wall_surface.hpp"
#include "md/forces/force_term.hpp"
#include "md/model/component.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// Walls: each acts by its potential (`WallPotential`) of the distance from its surface
/// (`WallSurface`) on the Lennard-Jones sites of molecules, or on their centers, along the
/// surface's normal. Walls have no virial: the pressure stays that of the molecules' forces on each
/// other.
class WallForces final : public ForceTerm {
 public:
  struct Wall {
    WallSurface surface;
    WallPotential potential;
    Selection where{};
    bool on_sites = true;  ///< otherwise on centers
  };

  /// The box outlives this. `components` by type.
  WallForces(const Box& box, std::span<const Component> components, std::vector<Wall> walls);

  std::string_view name() const override { return "walls"; }
  bool needs_all_ghosts() const override { return false; }
  /// Throws std::runtime_error on this rank, naming id and distance, where a site is behind a wall
  /// whose potential has no value there.
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;

 private:
  double act(const Wall& wall, ParticleStore& particles, std::size_t i) const;

  const Box& box_;
  std::vector<std::vector<Vec3>> sites_;  ///< of Lennard-Jones, by type
  std::vector<double> radius_;            ///< of the sites from the center, by type
  std::vector<Wall> walls_;
};

}  // namespace sterna::md
