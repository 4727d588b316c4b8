#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "md/forces/coulomb/charge_solver.hpp"
#include "md/forces/coulomb/fmm/fmm_options.hpp"
#include "md/forces/coulomb/fmm/fmm_solver.hpp"

namespace sterna::md {

/// The fast multipole method as a solver of charges. Its far field is the slow part.
class FmmChargeSolver final : public ChargeSolver {
 public:
  /// `exchange_method`: a name of comm::neighbor_methods(), or "auto". Throws std::invalid_argument if
  /// the box is too small for the molecules.
  FmmChargeSolver(const ChargeSolverRequest& request, const FmmOptions& options,
                  const std::string& exchange_method = "auto");

  bool has_parameters() const override { return parameters_.has_value(); }
  /// Chooses the tree, by a model or by timing, and an order by the measured error. No solver is in
  /// memory meanwhile.
  void choose_parameters(const PointCharges& charges, const ChargeCounts& counts,
                         const std::function<std::vector<Vec3>()>& other_forces) override;
  double error() const override { return error_; }
  std::vector<double> state() const override;
  void restore(std::span<const double> state) override;
  void set_decomposition(const Decomposition& decomposition) override;
  void rebuild(const PointCharges& charges, const ChargeCounts& counts) override;
  void start(const PointCharges& charges, bool with_slow_part) override;
  const CoulombResult& finish(const Wanted& wanted) override;
  /// The points must lie in the box; by a tree of their own, as large as that of the charges.
  std::vector<double> potentials_at(std::span<const Vec3> points, const PointCharges& charges,
                                    const ChargeCounts& counts) override;

  bool adds_forces() const override { return solver_->adds_forces(); }
  bool needs_centers() const override { return options_.smoothing > 0.0; }
  /// Overlapping cells hold particles only within half the skin. Without overlap the error is small:
  /// a charge that leaves its cell as far as any list allows adds less than the existing error.
  bool needs_early_rebuild() const override { return options_.smoothing > 0.0; }
  void keep_slow_part() override { keeps_far_part_ = true; }
  const CoulombResult* slow_part() const override { return &solver_->far_part(); }
  /// Without overlap a charge that changes its cell changes its near neighbors, and with them the
  /// near field.
  bool rebuild_moves_slow_part() const override { return options_.smoothing == 0.0; }

  std::string_view name() const override { return "fmm"; }
  std::string description() const override;
  int order() const override { return parameters_ ? parameters_->order : 0; }
  std::string_view subject_of_error() const override;
  std::vector<comm::Verdict> verdicts() const override {
    return solver_ ? solver_->verdicts() : std::vector<comm::Verdict>{};
  }

 private:
  /// The settings on which a choice depends.
  std::array<double, 7> wishes() const;
  /// Sets the parameters that do not follow from the accuracy.
  void set_options(FmmParameters& parameters) const;

  comm::Context context_;
  const Decomposition* decomposition_;
  double accuracy_;
  bool periodic_;
  Surroundings surroundings_;
  bool has_dipoles_;
  double molecule_radius_, travel_;
  FmmOptions options_;
  std::optional<FmmPrecision> precision_;  ///< nothing: from the accuracy
  std::string exchange_method_;
  std::optional<FmmParameters> parameters_;
  double error_ = 0.0;
  std::unique_ptr<FmmSolver> solver_;
  bool keeps_far_part_ = false;
};

}  // namespace sterna::md
