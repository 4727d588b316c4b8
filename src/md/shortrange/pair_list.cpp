#include "md/shortrange/pair_list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "md/shortrange/instruction_set.hpp"

namespace sterna::md {

namespace {

/// Far from every region, so that no lane that pads a row is ever inside a cutoff.
constexpr double dummy_coordinate = 1.0e15;
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

PairList::PairList(const LennardJones& potential, Precision precision, std::string_view kernels)
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

void PairList::set_region(const Vec3& low, const Vec3& high, double list_radius) {
  list_radius_ = list_radius;
  grid_.set_region(low, high, list_radius);
  double extent = 0.0;
  for (int axis = 0; axis < 3; ++axis) extent = std::max(extent, high[axis] - low[axis]);
  // Half of this is at least the list radius, so the dummy beyond the range is beyond the cutoff.
  extent += 2.0 * list_radius * 1.25;
  fixed_scale_ = extent / (2.0 * fixed_half_range);
}

PairWork PairList::layout() const {
  PairWork work{};
  work.fixed_scale = fixed_scale_;
  work.local = static_cast<std::uint32_t>(local_count_);
  work.total = static_cast<std::uint32_t>(total_count_);
  work.cells = grid_.cells().data();
  work.nx = grid_.nx();
  work.ny = grid_.ny();
  work.nz = grid_.nz();
  work.compressed = use_compressed_ ? const_cast<std::uint16_t*>(compressed_.data()) : nullptr;
  work.plain = use_compressed_ ? nullptr : const_cast<std::uint32_t*>(plain_.data());
  work.row_begin = const_cast<std::uint32_t*>(row_begin_.data());
  work.x = x_.data();
  work.y = y_.data();
  work.z = z_.data();
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
  return work;
}

PairWork PairList::work(ParticleStore& particles) {
  PairWork work = layout();
  work.position = particles.position.data();
  work.force = particles.force.data();
  work.fixed_position = fixed_position_.data();
  return work;
}

void PairList::sort_local(ParticleStore& particles) {
  // The coordinates of the last build are of no use any more; their room serves the sort.
  const std::size_t count = particles.local_count();
  x_.resize(count);
  y_.resize(count);
  static_assert(sizeof(float) == sizeof(std::uint32_t));
  grid_.sort_local(particles, {reinterpret_cast<std::uint32_t*>(x_.data()), count},
                   {reinterpret_cast<std::uint32_t*>(y_.data()), count});
}

void PairList::build(ParticleStore& particles) {
  local_count_ = particles.local_count();
  total_count_ = particles.total_count();
  // One dummy behind the last ghost.
  particles.position.reserve(total_count_ + 1);
  particles.position.data()[total_count_] = {dummy_coordinate, dummy_coordinate, dummy_coordinate,
                                             0};
  if (precision_ == Precision::mixed) {
    fixed_position_.resize(total_count_ + 1);
    // Twice the range: far from every particle, and no difference overflows.
    const std::int32_t far = 2 * fixed_half_range;
    fixed_position_[total_count_] = {far, far, far, 0};
  }

  // Vectors of the list builder read past the last particle.
  constexpr std::size_t slack = 64;
  const Vec3 center = grid_.center();
  float farthest = 0.0f;
  for (AlignedBuffer<float>* axis : {&x_, &y_, &z_}) axis->resize(total_count_ + slack);
  for (std::size_t i = 0; i < total_count_; ++i) {
    x_[i] = static_cast<float>(particles.position[i].x - center.x);
    y_[i] = static_cast<float>(particles.position[i].y - center.y);
    z_[i] = static_cast<float>(particles.position[i].z - center.z);
    farthest = std::max({farthest, std::fabs(x_[i]), std::fabs(y_[i]), std::fabs(z_[i])});
  }
  for (AlignedBuffer<float>* axis : {&x_, &y_, &z_}) {
    std::fill(axis->begin() + total_count_, axis->end(), 0.0f);
  }

  bounds_.assign(grid_.cells().size(), CellBounds::none());
  for (std::size_t c = 0; c < bounds_.size(); ++c) {
    const CellRange& cell = grid_.cells()[c];
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      bounds_[c].include({y_[i], y_[i], z_[i], z_[i]});
    }
  }

  std::uint32_t longest_cell = 0;
  for (const CellRange& cell : grid_.cells()) longest_cell = std::max(longest_cell, cell.count);
  use_compressed_ = longest_cell < run_length_limit - 1;
  row_begin_.resize(local_count_ + 1);
  row_begin_[0] = 0;

  // Single precision rounds a coordinate by up to this, so a distance by up to 4 times as much.
  const float rounding = farthest * std::numeric_limits<float>::epsilon();
  const float radius = static_cast<float>(list_radius_) + 4.0f * rounding;

  // Room by the last build or, at first, by the density; pages that stay untouched cost nothing.
  std::size_t candidates_of_largest_row = 0, room_of_largest_cell = 0;
  for (const std::uint32_t cell : grid_.local_cells()) {
    PairRun runs[27];
    const PairWork rows = layout();
    const int run_count = gather_runs(rows, cell, runs, ~std::uint32_t{0});
    std::size_t candidates = 0;
    for (int r = 0; r < run_count; ++r) candidates += runs[r].count;
    candidates_of_largest_row = std::max(candidates_of_largest_row, candidates + 64);
    room_of_largest_cell =
        std::max(room_of_largest_cell, (candidates + 64) * grid_.cells()[cell].count);
  }
  const double volume = [&] {
    const Vec3 width = grid_.high() - grid_.low();
    return width.x * width.y * width.z;
  }();
  const double sphere = 4.19 * list_radius_ * list_radius_ * list_radius_;
  const double density = static_cast<double>(local_count_) / volume;
  std::size_t capacity = entries_used_ > 0
                             ? entries_used_ + entries_used_ / 8
                             : static_cast<std::size_t>(1.2 * static_cast<double>(local_count_) *
                                                        (density * sphere + 16.0));
  capacity += room_of_largest_cell + 1024;
  const std::size_t stride = (candidates_of_largest_row + 63) / 64 * 64;
  AlignedBuffer<std::uint32_t> scratch(rows_together * stride);
  for (;;) {
    if (use_compressed_) {
      compressed_.reserve(capacity + 64);
    } else {
      plain_.reserve(capacity + 64);
    }
    PairWork rows = work(particles);
    rows.bounds = bounds_.data();
    rows.row_scratch = scratch.data();
    rows.row_scratch_stride = stride;
    rows.list_radius = radius;
    rows.list_radius_squared = radius * radius;
    const auto cells = grid_.local_cells();
    const std::size_t used =
        kernels_.build(rows, cells.data(), cells.size(), 0,
                       use_compressed_ ? compressed_.capacity() - 64 : plain_.capacity() - 64);
    if (used != ~std::size_t{0}) {
      if (used > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 4294967295 neighbors on one rank: use more ranks");
      }
      entries_used_ = used;
      break;
    }
    // Denser than thought: again with twice the room, giving the old back first.
    compressed_.release();
    plain_.release();
    capacity *= 2;
  }
}

void PairList::compute(ParticleStore& particles, Cells which, PairSums* sums) {
  PairWork rows = work(particles);
  const auto cells = which == Cells::interior ? grid_.interior_cells() : grid_.boundary_cells();
  // The enumerators of Truncation that do not change the force share one kernel.
  const int truncation = truncation_ == Truncation::force_shifted ? 2
                         : truncation_ == Truncation::switched    ? 3
                                                                  : 0;
  if (precision_ == Precision::mixed) {
    const Vec3 center = grid_.center();
    if (which == Cells::interior) {
      kernels_.to_fixed(rows, 0, local_count_, center);
    } else {
      kernels_.to_fixed(rows, local_count_, total_count_, center);
    }
    kernels_.compute_mixed(rows, cells.data(), cells.size(), truncation, sums != nullptr);
  } else {
    kernels_.compute_double(rows, cells.data(), cells.size(), truncation, sums != nullptr);
  }
  if (sums != nullptr) {
    sums->energy += rows.energy;
    for (int k = 0; k < 6; ++k) sums->virial[k] += rows.virial[k];
  }
}

double PairList::largest_displacement_squared(const ParticleStore& particles) const {
  const Vec3 center = grid_.center();
  double largest = 0.0;
  for (std::size_t i = 0; i < local_count_; ++i) {
    const double dx = particles.position[i].x - center.x - static_cast<double>(x_[i]);
    const double dy = particles.position[i].y - center.y - static_cast<double>(y_[i]);
    const double dz = particles.position[i].z - center.z - static_cast<double>(z_[i]);
    largest = std::max(largest, dx * dx + dy * dy + dz * dz);
  }
  return largest;
}

void PairList::decode_row(const PairWork& rows, std::uint32_t cell, std::uint32_t i,
                          std::vector<std::uint32_t>& neighbors) const {
  neighbors.clear();
  PairRun runs[27];
  gather_runs(rows, cell, runs, run_length_limit - 1);
  for (std::uint32_t k = rows.row_begin[i]; k < rows.row_begin[i + 1]; ++k) {
    if (use_compressed_) {
      const std::uint32_t entry = rows.compressed[k];
      neighbors.push_back(runs[entry >> run_offset_bits].begin + (entry & (run_length_limit - 1)));
    } else {
      neighbors.push_back(rows.plain[k]);
    }
  }
}

std::size_t PairList::memory_bytes() const {
  return entries_used_ * (use_compressed_ ? 2 : 4) + row_begin_.size() * 4 +
         fixed_position_.size() * sizeof(FixedPosition) + 3 * x_.size() * 4 +
         grid_.cells().size() * sizeof(CellRange);
}

double PairList::mean_row_length() const {
  return local_count_ == 0 ? 0.0
                           : static_cast<double>(entries_used_) / static_cast<double>(local_count_);
}

}  // namespace sterna::md
