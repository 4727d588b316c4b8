#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/force_term.hpp"
#include "md/system/selection.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Springs that hold the centers of molecules at places:
///
///     U = (k/2) sum over the axes of (R - R0)^2,
///
/// with R0 either where the molecule was at the start, reached by its path through all images of
/// the box, or one place for all, by its nearest image. Source: Allen and Tildesley, Computer
/// Simulation of Liquids, 2nd edition, section 2.7 (tethered wall atoms). There is no virial.
///
/// Which molecules are held and where is known to all ranks, so at most a million are.
class Restraints final : public ForceTerm {
 public:
  struct Restraint {
    double stiffness = 0.0;
    std::array<bool, 3> axes{true, true, true};
    std::optional<Vec3> place{};  ///< otherwise that of the start
    Selection where{};            ///< at the start
  };

  /// The box outlives this.
  Restraints(const comm::Context& context, const Box& box, std::vector<Restraint> restraints);

  std::string_view name() const override { return "restraints"; }
  /// The first call finds out who is held; std::runtime_error on all ranks where these are too
  /// many.
  void rebuild(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;

 private:
  struct Held {
    std::int64_t id;
    Vec3 place;  ///< not wrapped into the box
  };
  struct HeldHere {
    std::size_t index;  ///< in the store
    Vec3 place;
  };
  void find_all(const ParticleStore& particles);
  Vec3 path(const ParticleStore& particles, std::size_t i) const;

  comm::Context context_;
  const Box& box_;
  std::vector<Restraint> restraints_;
  std::vector<std::vector<Held>> held_;  ///< by restraint, on all ranks, in the order of ids
  std::vector<std::vector<HeldHere>> here_;
  bool known_ = false;
};

}  // namespace sterna::md
