#include "md/simulation/momentum_control.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "md/integrate/alignment.hpp"
#include "md/integrate/alignment_section.hpp"
#include "md/integrate/drift_control.hpp"
#include "md/integrate/drift_control_section.hpp"
#include "md/integrate/limit_section.hpp"
#include "md/integrate/motion_limit.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

class Limiting final : public StepModifier {
 public:
  Limiting(const comm::Context& context, const Input& input, const LimitSection& wanted,
           const MoleculeTable& molecules)
      : StepModifier(context,
                     StepRange::of(input, wanted.start_step, wanted.stop_step, wanted.interval),
                     molecules, 0.0),
        limit_(limits_of(wanted),
               selection_of(wanted.component, wanted.lower, wanted.upper, molecules),
               wanted.outside) {}

  bool keeps_momentum() const override { return false; }
  void limit_forces(ParticleStore& particles, const StepContext& now) override {
    limit_.limit_forces(particles, now.box);
  }
  double apply(ParticleStore& particles, const StepContext& now) override {
    limit_.limit_velocities(particles, now.box);
    return 1.0;
  }

 private:
  static MotionLimit::Limits limits_of(const LimitSection& wanted) {
    constexpr double none = MotionLimit::none;
    return {.force = wanted.force.value_or(none),
            .torque = wanted.torque.value_or(none),
            .velocity = wanted.velocity.value_or(none),
            .angular_momentum = wanted.angular_momentum.value_or(none),
            .overlaps_only = wanted.overlaps_only};
  }

  MotionLimit limit_;
};

class DriftKeeping final : public StepModifier {
 public:
  DriftKeeping(const comm::Context& context, const Input& input, const DriftControlSection& wanted,
               const MoleculeTable& molecules)
      : StepModifier(context,
                     StepRange::of(input, wanted.start_step, wanted.stop_step,
                                   std::gcd(wanted.interval, wanted.sample_interval)),
                     molecules, energy_scale(wanted, molecules)),
        interval_(wanted.interval),
        sample_interval_(wanted.sample_interval),
        velocity_(wanted.velocity),
        control_({selection_of(wanted.component, wanted.lower, wanted.upper, molecules),
                  wanted.slabs, wanted.velocity},
                 molecules.masses),
        of_all_(
            selection_of(wanted.component, wanted.lower, wanted.upper, molecules).is_everything() &&
            wanted.slabs == 1) {}

  bool keeps_momentum() const override { return false; }
  double apply(ParticleStore& particles, const StepContext& now) override {
    if (now.step % sample_interval_ == 0) {
      const std::span<double> sums = control_.measure(particles, now.box);
      comm::ReductionBatch batch(context_, "drift control");
      batch.sum(sums.data(), sums.size()).run();
      control_.add(sums);
    }
    if (now.step % interval_ != 0) return 1.0;
    add_exchanged_energy(control_.correct(particles, now.box));
    // The first correction may be as large as the wanted velocity, which may double a speed.
    return dot(velocity_, velocity_) > 0.0 ? 2.0 : 1.0;
  }

  bool violates_constraints() const override { return !of_all_; }
  std::vector<double> state() const override { return control_.samples(); }
  void set_state(const std::vector<double>& state) override { control_.set_samples(state); }

 private:
  /// Energy scale of a molecule, which sets the rounding of exchanged energies.
  static double energy_scale(const DriftControlSection& wanted, const MoleculeTable& molecules) {
    const double mass = std::ranges::max(molecules.masses);
    return mass * std::max(dot(wanted.velocity, wanted.velocity), 1e-12);
  }

  std::int64_t interval_, sample_interval_;
  Vec3 velocity_;
  DriftControl control_;
  bool of_all_;
};

class Aligning final : public StepModifier {
 public:
  Aligning(const comm::Context& context, const Input& input, const MoleculeTable& molecules)
      : StepModifier(context, {.first = 1, .last = 0}, molecules, 0.0),
        interval_(input.section<AlignmentSection>().interval),
        alignment_(molecules.masses, axes_of(input), input.section<AlignmentSection>().part,
                   molecules.range) {}

  bool keeps_momentum() const override { return true; }
  bool shift_all(ParticleStore& particles, const StepContext& now) override {
    if (now.step % interval_ != 0) return false;
    std::array<double, 4> sums = alignment_.measure(particles, now.box);
    comm::ReductionBatch batch(context_, "alignment");
    batch.sum(sums.data(), sums.size()).run();
    const Vec3 shift = alignment_.shift(sums, now.box);
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      Position& position = particles.position[i];
      position.x += shift.x;
      position.y += shift.y;
      position.z += shift.z;
    }
    return true;
  }

 private:
  static std::array<bool, 3> axes_of(const Input& input) {
    const auto acts = [&](Axis axis) {
      return std::ranges::find(input.section<AlignmentSection>().axes, axis) !=
             input.section<AlignmentSection>().axes.end();
    };
    return {acts(Axis::x), acts(Axis::y), acts(Axis::z)};
  }

  std::int64_t interval_;
  Alignment alignment_;
};

}  // namespace

void make_motion_limits(const comm::Context& context, const Input& input,
                        const MoleculeTable& molecules,
                        std::vector<std::unique_ptr<StepModifier>>& modifiers) {
  for (const LimitSection& wanted : input.tables<LimitSection>()) {
    modifiers.push_back(std::make_unique<Limiting>(context, input, wanted, molecules));
  }
}

void make_drift_controls(const comm::Context& context, const Input& input,
                         const MoleculeTable& molecules,
                         std::vector<std::unique_ptr<StepModifier>>& modifiers) {
  for (const DriftControlSection& wanted : input.tables<DriftControlSection>()) {
    modifiers.push_back(std::make_unique<DriftKeeping>(context, input, wanted, molecules));
  }
}

void make_alignment(const comm::Context& context, const Input& input,
                    const MoleculeTable& molecules,
                    std::vector<std::unique_ptr<StepModifier>>& modifiers) {
  if (input.section<AlignmentSection>().interval == 0) return;
  modifiers.push_back(std::make_unique<Aligning>(context, input, molecules));
}

}  // namespace sterna::md
