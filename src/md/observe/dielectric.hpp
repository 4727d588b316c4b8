#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "md/observe/batch_means.hpp"
#include "md/observe/observer.hpp"
#include "md/observe/whole_molecules.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

struct DielectricOptions {    ///< [dielectric]
  std::int64_t interval = 0;  ///< 0: none
};

/// Fluctuations of the dipole moment M of all molecules, and from them the relative permittivity of
/// a fluid. With y = 4 pi <M^2> / (9 V kT) and a dielectric epsilon_RF around the cutoff sphere of
/// a reaction field, or around all images of the box (Neumann, Mol. Phys. 50, 841 (1983)): (epsilon
/// - 1) (2 epsilon_RF + 1) / (2 epsilon_RF + epsilon) = 3 y. Without a dielectric only the
/// fluctuations are reported. Kirkwood's factor <M^2> / sum of mu^2 measures the order of a fluid:
/// it is 1 if molecules are independent.
class Dielectric : public Observer {
 public:
  /// `dipoles`: of each type in its body frame, with the factor sqrt(1/(4 pi epsilon_0)); empty
  /// where all molecules are those of `flexible`, which may stand beside rigid ones. `around`: epsilon_RF, which may be infinite.
  Dielectric(const comm::Context& context, std::int64_t interval, std::vector<Vec3> dipoles,
             std::optional<double> around, const UnitSystem& units,
             std::unique_ptr<WholeMolecules> flexible = nullptr);

  void sample(const Frame& frame) override;
  std::vector<double> common() const override { return series_.state(); }
  void set_common(std::span<const double> values) override { series_.set_state(values); }
  ObserverReport report(std::span<const double> all_sums) const override;

 private:
  struct Moments {
    Vec3 all;                  ///< M
    double independent = 0.0;  ///< sum of mu^2
  };
  /// The moments of this rank's molecules.
  Moments rigid_moments(const ParticleStore& particles) const;
  Moments flexible_moments(const Frame& frame);
  /// 3 y for a mean square of M, with the mean volume and the mean temperature.
  double fluctuation(double mean_square) const;
  /// The permittivity; infinite if the fluctuations are larger than any permittivity allows.
  double permittivity(double mean_square) const;

  comm::Context context_;
  std::vector<Vec3> dipoles_;
  std::optional<double> around_;
  UnitSystem units_;
  std::unique_ptr<WholeMolecules> flexible_;
  BatchMeans series_{7};  ///< M^2, volume, temperature, sum of mu^2, M
};

}  // namespace sterna::md
