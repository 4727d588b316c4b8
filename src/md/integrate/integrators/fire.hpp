#pragma once

#include <vector>

#include "md/integrate/integrators/minimizer.hpp"

namespace sterna::md {

/// Minimization by FIRE: see fire.cpp.
class FireMinimizer final : public Minimizer {
 public:
  explicit FireMinimizer(const IntegratorRequest& request);
  /// `largest_timestep` is in units of sqrt(length / force). For the others see
  /// `Minimizer::Settings`.
  FireMinimizer(const comm::Context& context, double first_timestep, double largest_timestep,
                double force_tolerance, double maximum_displacement,
                std::span<const double> radii = {});

  void advance(ParticleStore& particles, MotionStages& stages) override;

  double timestep() const override { return timestep_; }
  double largest_timestep() const override { return largest_timestep_; }

  std::vector<double> state() const override {
    return {timestep_, mixing_, static_cast<double>(downhill_steps_)};
  }
  void set_state(const std::vector<double>& state) override {
    timestep_ = state.at(0);
    mixing_ = state.at(1);
    downhill_steps_ = static_cast<int>(state.at(2));
  }

 private:
  struct Sums {
    double power = 0.0;             ///< sum f.v
    double velocity_squared = 0.0;  ///< sum v.v
    double force_squared = 0.0;     ///< sum f.f
  };
  Sums local_sums(const ParticleStore& particles) const;
  void step(ParticleStore& particles, const Sums& sums);

  double timestep_;
  double largest_timestep_;
  double mixing_ = 0.1;
  int downhill_steps_ = 0;
};

}  // namespace sterna::md
