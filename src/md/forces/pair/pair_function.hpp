#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "md/forces/pair/pair_potential_table.hpp"
#include "md/forces/pair/tabulated_curve.hpp"
#include "md/model/lennard_jones.hpp"

namespace sterna::md {

/// How the potential of one pair of types ends, in the form that kernels read. Up to `cutoff` it is
/// u - (energy_shift - force_shift r), changed from `switch_start` on according to `truncation`;
/// beyond it is 0.
struct PairEnd {
  Truncation truncation = Truncation::truncated;
  double cutoff = 0.0;
  double switch_start = 0.0;  ///< equal to the cutoff without switching
  double energy_shift = 0.0;
  double force_shift = 0.0;
  /// The constants of the truncation. switched: 1 / (rc^2 - rs^2)^3. quintic_switched: rs, 1 / (rc
  /// - rs). cubic_force_switched: rs, A, B. force_switched replaces u by a12 (r^-6 - rc^-6)^2 - a6
  /// (r^-3 - rc^-3)^2 and has a12, a6, rc^-6, rc^-3.
  std::array<double, 4> terms{};

  bool operator==(const PairEnd&) const = default;
};

/// True if this potential can be truncated in this way: CHARMM's force switch needs powers 12 and
/// 6.
bool can_end(const PairPotentialRow& potential, Truncation truncation);

/// The potential of one pair of types in plain double precision, with the formulas of the kernels.
/// It is used for all values that are computed once: shifts, corrections, advice.
class PairFunction {
 public:
  /// The truncation of all potentials of a run.
  struct Ending {
    double cutoff = 0.0;
    Truncation truncation = Truncation::truncated;
    double switch_start = 0.0;
  };
  /// `parameters` are as many as the potential has, in its order. `cutoff` is that of this pair; 0
  /// stands for that of the run. If it is shorter than the run's, switching begins at the same
  /// share of it. A table ends the potential no later than its last distance. Throws
  /// std::invalid_argument if the potential cannot be truncated so, see `can_end`.
  PairFunction(const PairPotentialRow& potential, std::span<const double> parameters, double cutoff,
               const Ending& ending, const PairTable* table = nullptr);

  const PairPotentialRow& potential() const { return *potential_; }
  /// True for a Lennard-Jones potential of no depth.
  bool is_nothing() const;
  const PairEnd& end() const { return end_; }
  double cutoff() const { return end_.cutoff; }
  std::span<const double> parameters() const { return parameters_; }
  std::span<const double> coefficients() const { return coefficients_; }
  const TabulatedCurve* curve() const { return curve_.get(); }

  /// u and -u' without truncation.
  double energy(double distance) const { return value(distance).energy; }
  double force(double distance) const { return value(distance).force_over_r * distance; }
  /// u and -u' with truncation, as the kernels compute them.
  double ended_energy(double distance) const;
  double ended_force(double distance) const;
  PairValue<double> ended_value(double distance) const;

  /// The contribution that the truncation removes: integrals of r^2 u and of r^2 (r f), for the
  /// potential without truncation minus that with it. Shifted potentials count as truncated. 0 if
  /// the potential ends by itself or is a table.
  struct Tail {
    double energy = 0.0;
    double virial = 0.0;
    /// The same difference of energies below the switching distance. Its integral begins at a
    /// distance of 0, where the particle itself is.
    double near_energy = 0.0;
  };
  Tail tail() const;

  /// The size and the energy: the outermost zero of the potential, and the depth of the well beyond
  /// it. If there is no well, the size is the distance at which the potential has fallen to a
  /// hundredth of its value at a hundredth of the cutoff.
  PairScale scale() const;
  /// u'' at the outermost minimum of u + charges / r within the cutoff, or at the size if there is
  /// no minimum. 0 if the potential is 0.
  double stiffness(double charges) const;

 private:
  PairValue<double> value(double distance) const;
  void switch_by(Truncation truncation);
  double slope_of_force_at_end() const;

  const PairPotentialRow* potential_;
  std::vector<double> parameters_;
  std::vector<double> coefficients_;
  std::shared_ptr<const TabulatedCurve> curve_;
  PairEnd end_;
};

}  // namespace sterna::md
