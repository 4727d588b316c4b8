#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

/// The fast multipole method for the charges of a distributed program. Particles may be on any rank:
/// the library deals them out to regions of space, computes, and brings the results back in the
/// caller's order.
namespace sterna::fmm {

/// The error that `Options::accuracy` bounds. Those of fields and potentials are root mean squares over
/// all charges. Relative errors are divided by the root mean square of the quantity itself or, where
/// that is very small, as the fields in a crystal are, by a tenth of that of two charges at their mean
/// distance.
enum class Tolerance {
  field,               ///< relative error of the fields
  potential,           ///< relative error of the potentials
  energy,              ///< relative error of the energy
  absolute_field,      ///< in units of charge / length^2
  absolute_potential,  ///< in units of charge / length
  absolute_energy      ///< in units of charge^2 / length
};

/// The medium beyond the images of a periodic box at infinity.
enum class Surroundings {
  conductor,  ///< tin foil: no dipole term
  vacuum      ///< a dipole D of the box costs 2 pi D^2 / (3 V); positions must not be wrapped
};

/// Equal on all ranks.
struct Options {
  double accuracy = 1e-5;
  Tolerance tolerance = Tolerance::field;
  Surroundings surroundings = Surroundings::conductor;
  /// The highest degree of the expansions, 2 to 32, in place of the one that the accuracy wants; 0: as
  /// the accuracy wants it.
  int order = 0;
  /// The method of neighbor exchanges: a name of comm::neighbor_methods(), or "auto".
  std::string exchange = "auto";
};

/// The three edges of a periodic box, in any directions and of any handedness; no two are parallel.
using Edges = std::array<std::array<double, 3>, 3>;

/// Errors that `Solver::tune` has measured, against expansions of a higher degree in double precision.
/// That of the energy is at least what errors of the potentials, where they are independent, give.
struct Errors {
  double field = 0.0, potential = 0.0, energy = 0.0;  ///< relative
  double absolute_field = 0.0, absolute_potential = 0.0, absolute_energy = 0.0;
};

/// Sums over the charges of all ranks, equal on all ranks.
struct Sums {
  double energy = 0.0;  ///< each pair counts once; charge^2 / length
  /// The sum over pairs of connection times force, row by row: minus the derivative of the energy when
  /// the box and all positions in it are strained. Zeros if it was not asked for.
  std::array<double, 9> virial{};
};

/// Potentials and fields of charges: the sums of q / r and of q r / r^3 over all other charges and, in a
/// periodic box, all images of all charges. A charged periodic system is neutralized by a homogeneous
/// background. Charges of 0 are places where potentials and fields are wanted.
///
/// All calls are collective over the ranks of the context, except those that say otherwise. Errors are
/// `comm::Error`, with the same text on all ranks of the context.
class Solver {
 public:
  /// Charges without images, wherever they are.
  explicit Solver(const comm::Context& context, const Options& options = {});
  /// Charges in a box that is repeated in all directions. Positions need not be inside.
  Solver(const comm::Context& context, const Edges& edges, const Options& options = {});
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  /// Changes the periodic box. The parameters stay, unless its shape has changed much.
  void set_box(const Edges& edges);

  /// Chooses the parameters with which these charges have the accuracy, and measures their errors. If
  /// even the highest order has larger errors, this is an error that says what is possible. The first
  /// `compute` calls it, and so does a later one if the number of charges has doubled or halved.
  /// Arguments are as for `compute`.
  void tune(std::span<const double> positions, std::span<const double> charges);
  /// Computes the potentials and, if `fields` is not empty on any rank, the fields. `positions`: x, y and
  /// z of each charge of this rank, which may have none. `potentials`: one number a charge. `fields`:
  /// three. Where two charges lie in one place it throws.
  Sums compute(std::span<const double> positions, std::span<const double> charges,
               std::span<double> potentials, std::span<double> fields, bool with_virial = false);

  // What follows is not collective.

  /// The errors that the last `tune` has measured.
  const Errors& errors() const;
  /// The parameters in words: "order 8, single precision, 16 x 16 x 16 leaves".
  std::string description() const;
  int order() const;  ///< 0 before the first `tune`
  /// Traffic of the exchanges.
  std::vector<comm::Verdict> verdicts() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::fmm
