#pragma once

#include <optional>

#include "md/forces/coulomb/charge_solver.hpp"
#include "md/forces/coulomb/ewald.hpp"

namespace sterna::md {

/// Ewald sums of the charges of all ranks (`gathered_ewald`), in a periodic box.
class EwaldChargeSolver final : public ChargeSolver {
 public:
  explicit EwaldChargeSolver(const ChargeSolverRequest& request);

  bool has_parameters() const override { return accuracy_of_sums_.has_value(); }
  void choose_parameters(const PointCharges& charges, const ChargeCounts& counts,
                         const std::function<std::vector<Vec3>()>& other_forces) override;
  double error() const override { return error_; }
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;
  void set_decomposition(const Decomposition& decomposition) override {
    decomposition_ = &decomposition;
  }
  void rebuild(const PointCharges&, const ChargeCounts& counts) override { counts_ = counts; }
  void start(const PointCharges& charges, bool) override { charges_ = charges; }
  const CoulombResult& finish(const Wanted& wanted) override;
  std::vector<double> potentials_at(std::span<const Vec3> points, const PointCharges& charges,
                                    const ChargeCounts& counts) override;

  std::string_view name() const override { return "ewald"; }
  std::string description() const override { return "by Ewald sums"; }
  std::string_view subject_of_error() const override { return "the Ewald sums do"; }

 private:
  CoulombResult solve(double accuracy, const PointCharges& charges,
                      const ChargeCounts& counts) const;

  comm::Context context_;
  const Decomposition* decomposition_;
  double accuracy_;
  Surroundings surroundings_;
  std::optional<double> accuracy_of_sums_;
  double error_ = 0.0;
  PointCharges charges_;
  ChargeCounts counts_;
  CoulombResult result_;
};

}  // namespace sterna::md
