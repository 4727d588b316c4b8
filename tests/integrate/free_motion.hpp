#pragma once

#include "md/integrate/integrators/integrator.hpp"

namespace sterna::md::test {

/// The stages of a step without constraints or thermostats, of a store that is moved as a whole.
class FreeMotion final : public MotionStages {
 public:
  explicit FreeMotion(const ParticleStore& particles) : particles_(particles) {}
  void begin_drift() override {}
  void for_each_part(const Part& move) override { move(0, particles_.local_count()); }
  void end_drift(double) override {}
  void apply_thermostats() override {}
  std::int64_t step() const override { return 0; }

 private:
  const ParticleStore& particles_;
};

}  // namespace sterna::md::test
