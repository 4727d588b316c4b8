#include "md/shortrange/lennard_jones_forces.hpp"

#include <algorithm>
#include <utility>

#include "md/shortrange/instruction_set.hpp"

namespace sterna::md {

namespace {

constexpr std::int32_t fixed_half_range = 1 << 29;

std::vector<double> scaled(std::span<const double> values, double factor) {
  std::vector<double> result;
  for (const double value : values) result.push_back(factor * value);
  return result;
}

std::vector<float> to_single(std::span<const double> values) {
  return {values.begin(), values.end()};
}

}  // namespace

LennardJonesForces::LennardJonesForces(const LennardJones& potential, Precision precision,
                                       std::string_view kernels)
    : kernels_(select_pair_kernels(kernels)),
      precision_(precision),
      truncation_(potential.truncation()),
      type_count_(potential.type_count()),
      cutoff_(potential.cutoff()),
      switch_start_(potential.switch_start()),
      twelve_c12_(scaled(potential.c12(), 12.0)),
      six_c6_(scaled(potential.c6(), 6.0)),
      energy_shift_(potential.energy_shift().begin(), potential.energy_shift().end()),
      force_shift_(potential.force_shift().begin(), potential.force_shift().end()),
      twelve_c12_single_(to_single(twelve_c12_)),
      six_c6_single_(to_single(six_c6_)),
      energy_shift_single_(to_single(energy_shift_)),
      force_shift_single_(to_single(force_shift_)) {}

void LennardJonesForces::rebuild(const PairList& list, const ParticleStore& particles) {
  if (precision_ != Precision::mixed) return;
  // Half of the margin is at least the list radius, so the dummy beyond the range is beyond the
  // cutoff.
  fixed_scale_ = list.extent() / (2.0 * fixed_half_range);
  const std::size_t total = particles.total_count();
  fixed_position_.resize(total + 1);
  // Twice the range: far from every particle, and no difference overflows.
  const std::int32_t far = 2 * fixed_half_range;
  fixed_position_[total] = {far, far, far, 0};
  collected_.resize(total + 1);
  std::fill(collected_.begin(), collected_.end(), SingleForce{});
  moved_ = false;
}

PairWork LennardJonesForces::run(const PairList& list, ParticleStore& particles,
                                 PairList::Cells which, bool with_sums) {
  PairWork work = list.rows();
  work.position = particles.position.data();
  work.force = particles.force.data();
  work.collected = collected_.data();
  work.fixed_position = fixed_position_.data();
  work.fixed_scale = fixed_scale_;
  work.type_count = type_count_;
  work.cutoff_squared = cutoff_ * cutoff_;
  work.switch_start_squared = switch_start_ * switch_start_;
  work.twelve_c12 = twelve_c12_.data();
  work.six_c6 = six_c6_.data();
  work.energy_shift = energy_shift_.data();
  work.force_shift = force_shift_.data();
  work.twelve_c12_single = twelve_c12_single_.data();
  work.six_c6_single = six_c6_single_.data();
  work.energy_shift_single = energy_shift_single_.data();
  work.force_shift_single = force_shift_single_.data();

  const auto cells = list.cells(which);
  // The enumerators of Truncation that do not change the force share one kernel.
  const int truncation = truncation_ == Truncation::force_shifted ? 2
                         : truncation_ == Truncation::switched    ? 3
                                                                  : 0;
  if (precision_ == Precision::mixed) {
    const Vec3 center = list.grid().center();
    if (which == PairList::Cells::boundary) {
      kernels_.to_fixed(work, work.local, work.total, center);
    } else if (!std::exchange(moved_, false)) {
      kernels_.to_fixed(work, 0, work.local, center);
    }
    kernels_.compute_mixed(work, cells.data(), cells.size(), truncation, with_sums);
  } else {
    kernels_.compute_double(work, cells.data(), cells.size(), truncation, with_sums);
  }
  return work;
}

void LennardJonesForces::compute(const PairList& list, ParticleStore& particles,
                                 PairList::Cells which, EnergyAndVirial* sums) {
  PairWork work = run(list, particles, which, sums != nullptr);
  if (work.half && which == PairList::Cells::boundary) kernels_.collect(work, 0, work.local);
  if (sums != nullptr) {
    sums->energy += work.energy;
    for (int k = 0; k < 6; ++k) sums->virial[k] += work.virial[k];
  }
}

void LennardJonesForces::compute_and_move(const PairList& list, ParticleStore& particles,
                                          const Mover& move) {
  PairWork work = run(list, particles, PairList::Cells::boundary, false);
  for (std::size_t begin = 0; begin < work.local; begin += moved_together) {
    const std::size_t end = std::min(begin + moved_together, std::size_t{work.local});
    if (work.half) kernels_.collect(work, begin, end);
    move(begin, end);
    kernels_.to_fixed(work, begin, end, list.grid().center());
  }
  moved_ = true;
}

}  // namespace sterna::md
