#include "md/domain/halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "md/core/sort_by.hpp"
#include "md/domain/halo_stage.hpp"
#include "md/system/particle_fields.hpp"

namespace sterna::md {

namespace {

void narrow_other_half(std::span<HaloSegment> segments, const Vec3& margin) {
  for (HaloSegment& segment : segments) {
    if (segment.in_half_shell) continue;
    segment.is_narrow = true;
    segment.lower += margin;
    segment.upper -= margin;
  }
}

/// The orientations of the ghosts that turn, in the order of the places that all ghosts will have.
std::vector<Quaternion> turned_in_order(const ParticleStore& particles,
                                        std::span<const std::uint32_t> slots) {
  std::vector<std::pair<std::uint32_t, Quaternion>> ghosts;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const std::size_t number = particles.rotor_number(particles.local_count() + k);
    if (number == RotorPlaces::none) continue;
    ghosts.emplace_back(slots[k], particles.orientation.data()[number]);
  }
  sort_by(ghosts, [](const auto& ghost) { return ghost.first; });
  std::vector<Quaternion> turned;
  for (const auto& ghost : ghosts) turned.push_back(ghost.second);
  return turned;
}

}  // namespace

Halo::Halo(const comm::Context& context, const Decomposition& decomposition, double width,
           const HaloOptions& options)
    : context_(context), options_(options), width_(width) {
  if (!(width > 0.0) || !std::isfinite(width)) {
    throw std::invalid_argument(fmt::format("the halo width must be positive, not {}", width));
  }
  if (decomposition.rank_count() != context.size()) {
    throw std::invalid_argument(fmt::format("the decomposition is for {} ranks, the context has {}",
                                            decomposition.rank_count(), context.size()));
  }
  own_ = decomposition.region(context.rank());
  shear_ = decomposition.box().shear();
  const Vec3 margin = shear_.extent(width) - shear_.extent(std::min(width, options.narrow_width));
  HaloPlan plan = halo_route(options.route).plan(decomposition, context.rank(), width);
  for (HaloStage& stage : plan) {
    if (options.narrow_other_half && plan.size() == 1) narrow_other_half(stage.segments, margin);
    // In earlier stages all ghosts return forces, because they also receive forces from the ghosts
    // that later stages made of them.
    const bool returns_half =
        options.ghost_forces == GhostForces::half_shell && &stage == &plan.back();
    const bool only_half = options.only_half_shell && plan.size() == 1;
    stages_.push_back(std::make_unique<Stage>(context, stage, own_, shear_, margin, options,
                                              returns_half, only_half));
  }
}
Halo::~Halo() = default;
Halo::Halo(Halo&&) noexcept = default;
Halo& Halo::operator=(Halo&&) noexcept = default;

void Halo::begin_rebuild(ParticleStore& particles) {
  particles.resize_ghosts(0);
#ifndef NDEBUG
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (!own_.contains(shear_.unsheared(particles.position[i].vector()))) {
      throw std::logic_error(
          fmt::format("the halo was rebuilt while local particle {} of {} lay outside the region "
                      "of its rank: migrate first",
                      i, particles.local_count()));
    }
  }
#endif
}

void Halo::select(const ParticleStore& particles, std::size_t stage) {
  stages_[stage]->select(particles);
}

void Halo::exchange(ParticleStore& particles, std::size_t stage) {
  stages_[stage]->exchange(particles);
}

void Halo::rebuild(ParticleStore& particles) {
  begin_rebuild(particles);
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    select(particles, stage);
    exchange(particles, stage);
  }
}

void Halo::order_ghosts(ParticleStore& particles, std::span<const std::uint32_t> slots) {
  slots_.assign(slots.begin(), slots.end());
  const std::size_t local_count = particles.local_count();
  // Ghosts are permuted in place, because a copy of all ghosts could be a rank's largest array.
  std::vector<std::uint32_t> target;
  std::vector<Quaternion> turned;
  if (particles.only_some_rotate()) turned = turned_in_order(particles, slots_);
  for_each_field_of_ghosts(particles.kind_of_all(), kAtRebuild, [&](const auto& field) {
    if (!field.has_array()) return;
    auto* const ghosts = (particles.*field.array).data() + local_count;
    target = slots_;
    for (std::uint32_t k = 0; k < target.size(); ++k) {
      while (target[k] != k) {
        const std::uint32_t place = target[k];
        std::swap(ghosts[k], ghosts[place]);
        target[k] = target[place];
        target[place] = place;
      }
    }
  });
  if (particles.only_some_rotate()) particles.reorder_ghost_rotors(turned);
  for (auto& stage : stages_) stage->order_ghosts(particles, slots_);
}

void Halo::start_positions(const ParticleStore& particles) {
  stages_.front()->start_positions(particles);
}

void Halo::copy_images(ParticleStore& particles) {
  stages_.front()->copy_images(particles);
}

void Halo::finish_positions(ParticleStore& particles) {
  stages_.front()->finish_positions(particles);
  for (std::size_t i = 1; i < stages_.size(); ++i) {
    stages_[i]->start_positions(particles);
    stages_[i]->finish_positions(particles);
  }
}

void Halo::exchange_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
  for (auto& stage : stages_) stage->exchange_vectors(local, ghosts);
}

void Halo::exchange_values(std::span<double> values) {
  for (auto& stage : stages_) stage->exchange_values(values);
}

void Halo::start_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
  stages_.front()->start_selected_vectors(local, ghosts);
}

void Halo::finish_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts) {
  stages_.front()->finish_selected_vectors(local, ghosts);
  for (std::size_t i = 1; i < stages_.size(); ++i) {
    stages_[i]->start_selected_vectors(local, ghosts);
    stages_[i]->finish_selected_vectors(local, ghosts);
  }
}

void Halo::select_ghosts(const ParticleStore& particles, std::span<const std::uint32_t> places) {
  std::vector<bool> wanted(particles.total_count(), false);
  for (const std::uint32_t place : places) wanted[place] = true;
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    (*stage)->select_ghosts(context_, options_, wanted);
  }
}

std::vector<char> Halo::half_shell() const {
  std::vector<char> marks;
  for (const auto& stage : stages_) stage->append_half_shell(marks);
  return marks;
}

void Halo::start_forces(const ParticleStore& particles, const CollectedForces& collected) {
  stages_.back()->start_forces(particles, collected);
}

void Halo::finish_forces(const ParticleStore& particles, const CollectedForces& collected) {
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    if (stage != stages_.rbegin()) (*stage)->start_forces(particles, collected);
    (*stage)->finish_forces(collected);
  }
}

double Halo::width() const {
  return width_;
}

std::size_t Halo::ghost_shift_count() const {
  std::size_t count = 0;
  for (const auto& stage : stages_) count += stage->segment_count();
  return count;
}

std::size_t Halo::sent_positions() const {
  std::size_t count = 0;
  for (const auto& stage : stages_) count += stage->sent();
  return count;
}

std::size_t Halo::copied_positions() const {
  std::size_t count = 0;
  for (const auto& stage : stages_) count += stage->copied();
  return count;
}

std::vector<comm::Verdict> Halo::verdicts() const {
  std::vector<comm::Verdict> verdicts;
  for (const auto& stage : stages_) stage->append_verdicts(verdicts);
  return verdicts;
}

}  // namespace sterna::md
