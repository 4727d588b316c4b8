#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "md/forces/force_term.hpp"
#include "md/forces/kim/kim_model.hpp"
#include "md/forces/neighborhood.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// A model of KIM as a force term: a rank computes the energies of its own particles, with ghosts as
/// particles that do not contribute, and forces on ghosts return.
class KimForces final : public ForceTerm {
 public:
  struct Options {
    std::string model;
    std::vector<int> code_of_type;  ///< -1: the model does not know particles of this type
    double length_unit = 1.0;       ///< an angstrom in internal units
    double energy_unit = 1.0;       ///< an electronvolt in internal units
    double skin = 0.0;              ///< length
  };
  /// Collective.
  KimForces(const comm::Context& context, const Decomposition& decomposition, KimModel model,
            Options options);

  std::string_view name() const override { return "kim"; }
  bool keeps_momentum() const override { return true; }
  TimeScale time_scale() const override { return TimeScale::medium; }
  bool needs_early_rebuild() const override { return true; }
  bool needs_all_ghosts() const override { return false; }
  void set_decomposition(const Decomposition& decomposition) override {
    neighborhood_.set_decomposition(decomposition);
  }
  void rebuild(const ParticleStore& particles) override;
  void begin_step(const StepContext& now) override { step_ = now.step; }
  void start(const ParticleStore& particles) override { neighborhood_.start(particles); }
  /// Collective. Throws FileError on all ranks if the model reports an error on one of them.
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  Settings settings() const override;
  std::string description() const override;

 private:
  comm::Context context_;
  KimModel model_;
  Options options_;
  Neighborhood neighborhood_;
  std::int64_t step_ = 0;
  std::vector<int> code_, is_local_;
  std::vector<double> coordinates_, force_;
};

}  // namespace sterna::md
