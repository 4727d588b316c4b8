#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/domain/decomposition.hpp"
#include "md/fmm/fmm_solver.hpp"
#include "md/model/component.hpp"
#include "md/particles/particle_store.hpp"
#include "md/shortrange/pair_sums.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The Coulomb forces of all charges of all particles at any distance, by the fast multipole
/// method. Charges of one molecule do not act on each other, but their periodic images do.
/// All calls are collective.
class Electrostatics {
 public:
  struct Options {
    double accuracy = 1e-4;                 ///< relative root-mean-square error of the forces
    int order = 0;                          ///< 0: as the accuracy wants it
    std::optional<FmmPrecision> precision;  ///< nothing: as the accuracy wants it
    Surroundings surroundings = Surroundings::conductor;
    /// Whether the virial that `finish` adds is the whole tensor, which takes about half as long
    /// again as the far field alone; otherwise it has the right trace only.
    bool virial_tensor = false;
    std::string exchange = "auto";  ///< of comm::neighbor_methods()
  };
  /// `components`: in the order of Position::type. The decomposition must live as long as it is in
  /// use here. Throws std::invalid_argument where the box is too small for the molecules.
  Electrostatics(const comm::Context& context, const Decomposition& decomposition,
                 std::span<const Component> components, const Options& options);

  /// Other regions from now on; `rebuild` must follow.
  void set_decomposition(const Decomposition& decomposition);
  /// Particles lie in their owner's region and keep their order until the next call. The first
  /// time it chooses the tree, and an order whose error, measured in the forces on these
  /// particles, is below the accuracy; but for what `restore` was given.
  void rebuild(const ParticleStore& particles);
  /// Begins with the present positions and orientations; other work may be done until `finish`.
  void start(const ParticleStore& particles);
  /// Adds the forces (and torques, where the store rotates) of the local particles; where `sums` is
  /// given, this rank's share of energy and virial. The virial is that of centers of mass; of one
  /// of sites the sites' positions in their molecules times the forces on them are taken off.
  void finish(ParticleStore& particles, PairSums* sums);

  /// Of all particles, in internal units.
  double total_charge() const { return total_charge_; }
  /// What the error was at the start, relative to the root of the mean square force.
  double measured_error() const { return error_; }
  const FmmParameters& parameters() const { return solver_->parameters(); }
  /// "order 8, single precision, 16 x 16 x 16 leaves".
  std::string description() const;
  /// None before the first `rebuild` in the present regions.
  std::vector<comm::Verdict> verdicts() const {
    return solver_ ? solver_->verdicts() : std::vector<comm::Verdict>{};
  }

  /// For checkpoints: what the first `rebuild` chose, so that a resumed run has the same bits.
  std::vector<double> state() const;
  void restore(std::span<const double> state);

 private:
  void place_charges(const ParticleStore& particles);
  PointCharges charges() const { return {positions_, values_, molecules_, centers_}; }
  void choose_parameters();

  comm::Context context_;
  const Decomposition* decomposition_;
  std::vector<Component> components_;
  Options options_;
  double reach_ = 0.0;  ///< of the farthest charge from its molecule's center

  std::optional<FmmParameters> parameters_;
  double error_ = 0.0;
  double total_charge_ = 0.0;
  std::unique_ptr<FmmSolver> solver_;

  // Of each charge of the local particles, particle by particle.
  std::vector<Vec3> positions_, centers_;
  std::vector<double> values_;
  std::vector<std::int32_t> molecules_;
};

}  // namespace sterna::md
