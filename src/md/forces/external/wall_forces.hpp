#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/energy_of_one.hpp"
#include "md/forces/external/wall_potential.hpp"
#include "md/forces/external/wall_surface.hpp"
#include "md/forces/force_term.hpp"
#include "md/model/component.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// Walls act on the Lennard-Jones sites of molecules, or on their centers, along the surface's
/// normal, by a potential (`WallPotential`) of the distance from a surface (`WallSurface`). Walls
/// have no virial: the pressure is that of the forces between molecules.
class WallForces final : public ForceTerm, public HasEnergyOfOne {
 public:
  struct Wall {
    WallSurface surface;
    WallPotential potential;
    Selection where{};
    bool on_sites = true;  ///< false: acts on centers
  };

  /// The box must outlive this object. `components` by type.
  WallForces(const Box& box, std::span<const Component> components, std::vector<Wall> walls);

  std::string_view name() const override { return "walls"; }
  bool needs_all_ghosts() const override { return false; }
  /// Throws std::runtime_error on this rank, with id and distance, if a site is behind a wall whose
  /// potential is undefined there.
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  double energy_of_one(const Position& position, const Quaternion& orientation) const override;

 private:
  double act(const Wall& wall, ParticleStore& particles, std::size_t i) const;
  /// Whether the wall acts on a particle with its center at this place relative to the wall.
  bool reaches(const Wall& wall, std::size_t type, const Vec3& center) const;

  const Box& box_;
  std::vector<std::vector<Vec3>> sites_;  ///< Lennard-Jones sites, by type
  std::vector<double> radius_;            ///< largest distance of sites from the center, by type
  std::vector<Wall> walls_;
};

}  // namespace sterna::md
