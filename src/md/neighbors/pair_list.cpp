#include "md/neighbors/pair_list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "md/neighbors/pair_kernels.hpp"

namespace sterna::md {

namespace {

/// The position of the dummy particle. It is far from every region, so that padded lanes of a row
/// are never within a cutoff.
constexpr double dummy_coordinate = 1.0e15;

/// For each local cell the number of listed particles in the 27 cells around it, summed axis by
/// axis. For the outermost layer of cells the sums are meaningless.
std::vector<std::uint32_t> particles_around_cells(const CellGrid& grid) {
  std::vector<std::uint32_t> sums, before;
  for (const CellRange& cell : grid.cells()) sums.push_back(cell.count);
  const auto row = static_cast<std::size_t>(grid.nx() + 2);
  for (const std::size_t stride :
       {std::size_t{1}, row, row * static_cast<std::size_t>(grid.ny() + 2)}) {
    before = sums;
    for (std::size_t c = stride; c + stride < sums.size(); ++c) {
      sums[c] = before[c - stride] + before[c] + before[c + stride];
    }
  }
  return sums;
}

/// The list builder loads vectors up to this many items past the last particle or candidate.
constexpr std::size_t slack = 64;

/// The work space of the list builder for a cell with this many candidates and particles.
struct ScratchRoom {
  AlignedBuffer<std::uint32_t> memory;
  ListScratch arrays;

  ScratchRoom(std::size_t candidates, std::size_t particles) {
    const auto aligned = [](std::size_t count) { return (count + 15) / 16 * 16; };
    // The narrowest vectors hold four candidates; bounds are loaded by whole vectors.
    const std::size_t chunks = aligned(candidates / 4 + 16);
    memory.resize(4 * aligned(candidates) + 6 * chunks + aligned(particles));
    std::uint32_t* next = memory.data();
    const auto take = [&next, &aligned](std::size_t count) {
      return std::exchange(next, next + aligned(count));
    };
    static_assert(sizeof(float) == sizeof(std::uint32_t));
    for (float** axis : {&arrays.x, &arrays.y, &arrays.z}) {
      *axis = reinterpret_cast<float*>(take(candidates));
    }
    arrays.entry = take(candidates);
    for (float*& side : arrays.chunk) side = reinterpret_cast<float*>(take(chunks));
    arrays.order = take(particles);
  }
};

}  // namespace

PairList::PairList(std::string_view kernels, std::uint32_t group, bool half)
    : kernels_(select_pair_kernels(kernels)),
      group_(std::clamp(group, 1u, largest_group)),
      half_(half),
      listed_(std::make_shared<ListedParticles>()) {}

PairList::PairList(const PairList& first, double list_radius, bool half)
    : kernels_(first.kernels_), group_(1), half_(half), listed_(first.listed_) {
  list_radius_ = list_radius;
}

void PairList::set_region(const Vec3& low, const Vec3& high, double list_radius, const Shear& shear,
                          double halo_width) {
  list_radius_ = list_radius;
  listed_->grid.set_region(low, high, list_radius, shear);
  const Vec3 halo = 1.25 * shear.extent(std::max(halo_width, list_radius));
  const Vec3 width = high - low + 2.0 * halo;
  listed_->extent =
      std::max({width.x + std::abs(shear.x_per_y) * width.y + std::abs(shear.x_per_z) * width.z,
                width.y + std::abs(shear.y_per_z) * width.z, width.z});
}

std::size_t PairList::row_count() const {
  // The largest row number that `first_row` can give, plus 1.
  return listed_->grid.listed_local() / group_ + (group_ == 1 ? 0 : listed_->grid.cells().size());
}

PairWork PairList::rows() const {
  PairWork work{};
  work.local = static_cast<std::uint32_t>(listed_->local_count);
  work.total = static_cast<std::uint32_t>(listed_->total_count);
  work.cells = around_few_ ? runs_.data() : listed_->grid.cells().data();
  work.nx = listed_->grid.nx();
  work.ny = listed_->grid.ny();
  work.nz = listed_->grid.nz();
  work.compressed = use_compressed_ ? const_cast<std::uint16_t*>(compressed_.data()) : nullptr;
  work.plain = use_compressed_ ? nullptr : const_cast<std::uint32_t*>(plain_.data());
  work.row_begin = const_cast<std::uint32_t*>(row_begin_.data());
  work.group = group_;
  work.half = half_;
  work.whole_below = static_cast<std::uint32_t>(whole_below());
  work.masks = masked_ ? masks_.data() : nullptr;
  work.mask_begin = mask_begin_.data();
  work.decoded = const_cast<std::uint32_t*>(decoded_.data());
  work.x = listed_->x.data();
  work.y = listed_->y.data();
  work.z = listed_->z.data();
  return work;
}

std::span<const std::uint32_t> PairList::sort_local(ParticleStore& particles) {
  // The coordinates of the last build and the forces are not needed any more, so their memory
  // serves as work space of the sort.
  const std::size_t count = particles.local_count();
  static_assert(sizeof(Vec3) == CellGrid::sort_room);
  listed_->x.resize(count);
  listed_->y.resize(count);
  static_assert(sizeof(float) == sizeof(std::uint32_t));
  const std::span source(reinterpret_cast<std::uint32_t*>(listed_->y.data()), count);
  listed_->grid.sort_local(
      particles, {reinterpret_cast<std::uint32_t*>(listed_->x.data()), count}, source,
      {reinterpret_cast<std::byte*>(particles.force.data()), count * sizeof(Vec3)});
  return source;
}

void PairList::build(ParticleStore& particles) {
  place(particles);
  build_rows();
}

void PairList::place(ParticleStore& particles) {
  ListedParticles& listed = *listed_;
  const std::size_t total = particles.total_count();
  listed.local_count = particles.local_count();
  listed.total_count = total;
  squared_displacement_.resize(total);
  forget_displacements();
  // One dummy particle follows the last ghost.
  particles.position.reserve(total + 1);
  particles.position.data()[total] = {dummy_coordinate, dummy_coordinate, dummy_coordinate, 0};

  const Vec3 center = listed.grid.center();
  float farthest = 0.0f;
  for (AlignedBuffer<float>* axis : {&listed.x, &listed.y, &listed.z}) axis->resize(total + slack);
  float* const x = listed.x.data();
  float* const y = listed.y.data();
  float* const z = listed.z.data();
  for (std::size_t i = 0; i < total; ++i) {
    x[i] = static_cast<float>(particles.position[i].x - center.x);
    y[i] = static_cast<float>(particles.position[i].y - center.y);
    z[i] = static_cast<float>(particles.position[i].z - center.z);
    farthest = std::max({farthest, std::fabs(x[i]), std::fabs(y[i]), std::fabs(z[i])});
  }
  const Shear& shear = listed.grid.shear();
  if (!shear.none()) {
    const double middle = center.x - shear.offset(center, 0);
    listed.unsheared_x.resize(total + slack);
    float* const unsheared = listed.unsheared_x.data();
    for (std::size_t i = 0; i < total; ++i) {
      const Vec3 p = particles.position[i].vector();
      unsheared[i] = static_cast<float>(p.x - shear.offset(p, 0) - middle);
      farthest = std::max(farthest, std::fabs(unsheared[i]));
    }
    std::fill_n(unsheared + total, slack, 0.0f);
  }
  for (float* const axis : {x, y, z}) std::fill_n(axis + total, slack, 0.0f);
  listed.farthest = farthest;

  listed.bounds.assign(listed.grid.cells().size(), CellBounds::none());
  listed.longest_cell = 0;
  for (std::size_t c = 0; c < listed.bounds.size(); ++c) {
    const CellRange& cell = listed.grid.cells()[c];
    listed.longest_cell = std::max(listed.longest_cell, cell.count);
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      listed.bounds[c].include({y[i], y[i], z[i], z[i]});
    }
  }
}

namespace {

struct RoomOfCells {
  std::size_t most_candidates = 0;  ///< of the neighbors of a cell's particles
  std::size_t of_largest_cell = 0;  ///< entries of all rows of a cell, if all candidates are near
};

/// `group`: particles that share a row.
RoomOfCells room_of_cells(const CellGrid& grid, std::uint32_t group) {
  // The candidates of a cell come in up to 9 columns, each padded to whole vectors.
  constexpr std::size_t widest_vector = 16, columns = 9;
  RoomOfCells room;
  const std::vector<std::uint32_t> around = particles_around_cells(grid);
  for (const std::uint32_t cell : grid.local_cells()) {
    const std::size_t candidates = around[cell] + columns * widest_vector;
    const std::size_t rows = group_count(grid.cells()[cell].count, group);
    room.most_candidates = std::max(room.most_candidates, candidates);
    room.of_largest_cell = std::max(room.of_largest_cell, rows * (candidates + slack));
  }
  return room;
}

/// The entries of a list by the density. Pages that are not touched cost nothing.
std::size_t likely_entries(const CellGrid& grid, std::size_t particles, double radius) {
  const Vec3 width = grid.high() - grid.low();
  const double volume = width.x * width.y * width.z;
  const double sphere = 4.19 * radius * radius * radius;
  const double density = static_cast<double>(particles) / volume;
  return static_cast<std::size_t>(1.2 * static_cast<double>(particles) * (density * sphere + 16.0));
}

}  // namespace

void PairList::build_rows() {
  masked_ = false;
  use_compressed_ = listed_->longest_cell < run_length_limit - 1;
  row_begin_.resize(row_count() + 1);
  row_begin_[0] = 0;

  // In single precision a coordinate is rounded by up to this, and a distance by up to four times
  // this.
  const float rounding = listed_->farthest * std::numeric_limits<float>::epsilon();
  const float radius = static_cast<float>(list_radius_) + 4.0f * rounding;

  const auto [most_candidates, of_largest_cell] = room_of_cells(listed_->grid, group_);
  std::size_t capacity = entries_built_ > 0
                             ? entries_built_ + entries_built_ / 8
                             : likely_entries(listed_->grid, listed_->local_count, list_radius_);
  capacity += of_largest_cell + 1024;
  decoded_.resize(most_candidates + slack);
  ScratchRoom scratch(most_candidates + slack, listed_->longest_cell);
  for (;;) {
    if (use_compressed_) {
      compressed_.reserve(capacity + 64);
    } else {
      plain_.reserve(capacity + 64);
    }
    PairWork rows = this->rows();
    rows.bounds = listed_->bounds.data();
    rows.scratch = scratch.arrays;
    rows.list_radius_squared = radius * radius;
    rows.unsheared_x = listed_->grid.shear().none() ? nullptr : listed_->unsheared_x.data();
    const auto cells = listed_->grid.local_cells();
    const std::size_t used =
        kernels_.build(rows, cells.data(), cells.size(), 0,
                       use_compressed_ ? compressed_.capacity() - 64 : plain_.capacity() - 64);
    if (used != ~std::size_t{0}) {
      if (used > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 4294967295 neighbors on one rank: use more ranks");
      }
      entries_built_ = entries_used_ = used;
      break;
    }
    // The rows did not fit. Try again with twice the capacity, after freeing the old memory.
    compressed_.release();
    plain_.release();
    capacity *= 2;
  }
}

void PairList::keep_pairs_of_types(const ParticleStore& particles, std::span<const char> kept) {
  if (group_ != 1) throw std::logic_error("pairs of types are left out of rows of one particle");
  std::size_t types = 1;
  while (types * types < kept.size()) ++types;
  const auto type_of = [&](std::uint32_t i) {
    return static_cast<std::size_t>(particles.position[i].type);
  };
  const char* of_center = kept.data();
  keep_entries([&](std::uint32_t i) { of_center = kept.data() + type_of(i) * types; },
               [&](std::uint32_t j) { return of_center[type_of(j)] != 0; }, [](std::uint32_t) {});
}

void PairList::append_masks(std::span<const std::uint8_t> excluded, std::uint32_t size) {
  for (std::size_t first = 0; first < excluded.size(); first += masked_together) {
    const auto together =
        excluded.subspan(first, std::min(std::size_t{masked_together}, excluded.size() - first));
    for (std::uint32_t q = 0; q < size; ++q) {
      std::uint32_t mask = 0xffff;
      for (std::size_t k = 0; k < together.size(); ++k) mask ^= (together[k] >> q & 1u) << k;
      masks_.push_back(static_cast<std::uint16_t>(mask));
    }
  }
}

bool PairList::is_excluded(std::size_t row, std::uint32_t size, std::uint32_t q,
                           std::uint32_t k) const {
  if (!masked_) return false;
  // A pair whose two particles share a row is stored once, with the first of them.
  if (k < q) std::swap(k, q);
  const std::uint32_t mask = mask_begin_[row] + k / masked_together * size + q;
  return mask < mask_begin_[row + 1] && (masks_[mask] >> k % masked_together & 1u) == 0;
}

void PairList::forget_positions() {
  for (AlignedBuffer<float>* axis : {&listed_->x, &listed_->y, &listed_->z, &listed_->unsheared_x})
    axis->release();
}

double PairList::square_displacements(const ParticleStore& particles, std::size_t begin,
                                      std::size_t end) {
  PairWork work = rows();
  work.position = particles.position.data();
  return kernels_.square_displacements(work, begin, end, listed_->grid.center(),
                                       squared_displacement_.data());
}

void PairList::measure_displacements(const ParticleStore& particles, std::size_t begin,
                                     std::size_t end) {
  const std::size_t listed = std::clamp<std::size_t>(listed_->grid.listed_local(), begin, end);
  largest_listed_ = std::max(largest_listed_, square_displacements(particles, begin, listed));
  largest_other_ = std::max(largest_other_, square_displacements(particles, listed, end));
  measured_ += end - begin;
}

std::span<const std::uint32_t> PairList::select_far(const ParticleStore& particles,
                                                    std::size_t begin, std::size_t end,
                                                    double far) {
  far_.resize(end - begin);
  const double least = far * far;
  std::size_t count =
      kernels_.select_far(squared_displacement_.data(), begin, end,
                          coarse_below(static_cast<float>((1.0 - 1e-6) * least)), far_.data());
  // The stored squares are rounded up, so compare the exact ones.
  if (least > 0.0) {
    const auto is_near = [&](std::uint32_t i) {
      const Vec3 moved = displacement(particles, i);
      return dot(moved, moved) < least;
    };
    const auto end_of_far = std::remove_if(far_.begin(), far_.begin() + count, is_near);
    count = static_cast<std::size_t>(end_of_far - far_.begin());
  }
  return {far_.data(), count};
}

PairList::Displacements PairList::displacements(const ParticleStore& particles, double far,
                                                bool listed_only) {
  if (measured_ != listed_->local_count) {
    forget_displacements();
    measure_displacements(particles, 0, listed_->local_count);
  }
  listed_only_ = listed_only && listed_->grid.has_unlisted();
  CoarseNumber* const squares = squared_displacement_.data();
  if (listed_only_) {
    std::fill(squares + listed_->grid.listed_local(), squares + listed_->local_count,
              CoarseNumber{0});
    largest_other_ = 0.0;
  }
  const double largest = std::sqrt(std::max(largest_listed_, largest_other_));
  forget_displacements();
  return {largest, select_far(particles, 0, listed_->local_count, far)};
}

PairList::Displacements PairList::ghost_displacements(const ParticleStore& particles, double far) {
  const std::size_t listed = listed_->local_count + listed_->grid.ghosts_of_listed_types();
  double largest = square_displacements(particles, listed_->local_count, listed);
  if (listed_only_) {
    CoarseNumber* const squares = squared_displacement_.data();
    std::fill(squares + listed, squares + listed_->total_count, CoarseNumber{0});
  } else {
    largest = std::max(largest, square_displacements(particles, listed, listed_->total_count));
  }
  return {std::sqrt(largest),
          select_far(particles, listed_->local_count, listed_->total_count, far)};
}

}  // namespace sterna::md
