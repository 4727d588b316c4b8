#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "md/forces/alchemy/alchemical_energies.hpp"
#include "md/forces/alchemy/alchemical_state.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What motion adds to the energies of states: the kinetic energy of atoms whose masses change, and
/// the forces of constraints whose lengths change. Both follow from the velocities at the end of a
/// step.
class AlchemicalMotion {
 public:
  struct Mass {
    double of_a, of_b;
  };
  struct Options {
    std::vector<Mass> masses{};  ///< by type; empty: none changes
    /// Whether a constraint joins the particle of this id to another one.
    std::function<bool(std::int64_t)> is_constrained{};
    bool lengths_change = false;
  };
  AlchemicalMotion(const comm::Context& context, Options options);

  /// Whether the energies of states have a part of motion.
  bool is_used() const { return masses_change() || lengths_change(); }
  bool masses_change() const { return !options_.masses.empty(); }
  bool lengths_change() const { return options_.lengths_change; }
  /// Collective. Adds the part of motion to the energies of these states. `by_lengths`: this rank's
  /// share of the derivative that constraints have.
  void add(const ParticleStore& particles, double by_lengths, const AlchemicalState& now,
           std::span<const AlchemicalState> states, AlchemicalEnergies& energies) const;

 private:
  comm::Context context_;
  Options options_;
};

}  // namespace sterna::md
