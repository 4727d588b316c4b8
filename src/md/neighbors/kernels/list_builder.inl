// The list builder, written once in terms of FloatPack; part of pair_kernels.inl.
//
// Idea:    all candidates of a cell are gathered, column by column. Bounding boxes of chunks, each
//          as many candidates as a vector holds, say which chunks are near enough for a closer
//          look. Particles that share a row are consecutive on a Hilbert curve through the cell, so
//          they are close together and have most neighbors in common.
// Source:  the curve: Hilbert, Math. Ann. 38, 459 (1891), by the algorithm of Skilling, AIP Conf.
//          Proc. 707, 381 (2004); bounding boxes of several particles: Pall and Hess, Comput. Phys.
//          Commun. 184, 2641 (2013).
// Cost:    a row looks at about three times as many candidates as it keeps.
// Hazards: coordinates are single precision: the radius must include a margin for their rounding.
// Others:  a search through smaller and smaller cells, if the radius is much shorter than a cell.

#include <initializer_list>

#include "md/neighbors/kernels/rows.inl"

namespace sterna::md {
namespace {

/// Calls function.operator()<size>() for a size from 1 to `most`.
template <std::uint32_t most, class Function>
void with_size(std::uint32_t size, const Function& function) {
  if constexpr (most > 1) {
    if (size < most) return with_size<most - 1>(size, function);
  }
  function.template operator()<static_cast<int>(most)>();
}

/// A coordinate beyond every list radius, whose square still is a finite float.
constexpr float far_coordinate = 3.0e18f;

/// A cell with at most this many candidates looks at all of them, because choosing costs more.
constexpr std::uint32_t few_candidates = 192;

struct HilbertCurve {
  std::uint8_t place[64];  ///< index along the curve of cube x + 4 y + 16 z
};
constexpr HilbertCurve make_hilbert_curve() {
  HilbertCurve curve{};
  for (unsigned cube = 0; cube < 64; ++cube) {
    unsigned axes[3] = {cube & 3, cube >> 2 & 3, cube >> 4};
    // Skilling's algorithm AxestoTranspose for two bits.
    for (unsigned i = 0; i < 3; ++i) {
      if ((axes[i] & 2) != 0) {
        axes[0] ^= 1;
      } else {
        const unsigned exchange = (axes[0] ^ axes[i]) & 1;
        axes[0] ^= exchange;
        axes[i] ^= exchange;
      }
    }
    axes[1] ^= axes[0];
    axes[2] ^= axes[1];
    const unsigned turn = (axes[2] & 2) != 0 ? 1 : 0;
    unsigned place = 0;
    for (unsigned bit = 2; bit > 0; bit >>= 1) {
      for (unsigned& axis : axes) place = place << 1 | (((axis ^ turn) & bit) != 0 ? 1u : 0u);
    }
    curve.place[cube] = static_cast<std::uint8_t>(place);
  }
  return curve;
}
constexpr HilbertCurve hilbert_curve = make_hilbert_curve();

/// Sorts the `count` particles of a cell from `begin` on along the curve. order[k] is the k-th
/// particle, counted from `begin`. Particles in the same cube of the curve keep their order.
inline void sort_along_curve(const PairWork& work, std::uint32_t begin, std::uint32_t count,
                             const CellBounds& bounds, std::uint32_t* order) {
  const auto cubes_per_length = [](float low, float high) {
    return high > low ? 3.999f / (high - low) : 0.0f;
  };
  const float* const along = work.unsheared_x != nullptr ? work.unsheared_x : work.x;
  const float x_low = along[begin];
  const float x_scale = cubes_per_length(x_low, along[begin + count - 1]);
  const float y_scale = cubes_per_length(bounds.y_low, bounds.y_high);
  const float z_scale = cubes_per_length(bounds.z_low, bounds.z_high);
  const auto place = [&](std::uint32_t i) {
    const int x = static_cast<int>((along[i] - x_low) * x_scale);
    const int y = static_cast<int>((work.y[i] - bounds.y_low) * y_scale);
    const int z = static_cast<int>((work.z[i] - bounds.z_low) * z_scale);
    return hilbert_curve.place[x + 4 * y + 16 * z];
  };
  std::uint32_t next[64] = {};
  for (std::uint32_t k = 0; k < count; ++k) ++next[place(begin + k)];
  std::uint32_t sum = 0;
  for (std::uint32_t& entry : next) {
    const std::uint32_t here = entry;
    entry = sum;
    sum += here;
  }
  for (std::uint32_t k = 0; k < count; ++k) order[next[place(begin + k)]++] = k;
}

/// The candidate neighbors of all rows of one cell.
struct Candidates {
  std::uint32_t count;   ///< a multiple of the vector width, padded with far particles
  std::uint32_t own;     ///< index of the cell's own first particle
  std::uint32_t chunks;  ///< number of chunks of one vector each
};

/// Gathers the particles of the 27 cells around `cell`, and, unless they are few, the bounding box
/// of each chunk.
template <class Entry>
Candidates gather_candidates(const PairWork& work, std::size_t cell) {
  constexpr bool compressed = sizeof(Entry) == sizeof(std::uint16_t);
  constexpr auto lanes = static_cast<std::uint32_t>(FloatPack::width);
  const ListScratch& scratch = work.scratch;
  auto* const entry = reinterpret_cast<Entry*>(scratch.entry);
  const std::ptrdiff_t row = work.nx + 2;
  const std::ptrdiff_t plane = row * (work.ny + 2);
  std::uint32_t all = 0;
  for (std::ptrdiff_t dz = -1; dz <= 1; ++dz) {
    for (std::ptrdiff_t dy = -1; dy <= 1; ++dy) {
      const CellRange* const column =
          work.cells + static_cast<std::ptrdiff_t>(cell) + dz * plane + dy * row;
      all += column[-1].count + column[0].count + column[1].count;
    }
  }
  const bool few = all <= few_candidates;
  const std::uint32_t own_begin = work.cells[cell].begin;
  Candidates result{0, 0, 0};
  const auto fill_chunk = [&] {
    // Store one vector of far particles; its beginning completes the chunk.
    FloatPack::all(static_cast<double>(far_coordinate)).store(scratch.x + result.count);
    result.count = (result.count + lanes - 1) / lanes * lanes;
  };
  std::uint32_t slot = 0;
  for (std::ptrdiff_t dz = -1; dz <= 1; ++dz) {
    for (std::ptrdiff_t dy = -1; dy <= 1; ++dy) {
      const std::ptrdiff_t middle = static_cast<std::ptrdiff_t>(cell) + dz * plane + dy * row;
      const std::uint32_t first = result.count;
      CellBounds bounds = CellBounds::none();
      for (std::ptrdiff_t dx = -1; dx <= 1; ++dx, ++slot) {
        const CellRange range = work.cells[middle + dx];
        // Rows of earlier particles contain these pairs. (Ghosts never come earlier, and have no
        // rows.)
        if (work.half && range.begin < own_begin) continue;
        if (dz == 0 && dy == 0 && dx == 0) result.own = result.count;
        const std::uint32_t code = compressed ? slot << run_offset_bits : range.begin;
        for (std::uint32_t k = 0; k < range.count; k += lanes) {
          const std::uint32_t to = result.count + k;
          FloatPack::load(work.x + range.begin + k).store(scratch.x + to);
          FloatPack::load(work.y + range.begin + k).store(scratch.y + to);
          FloatPack::load(work.z + range.begin + k).store(scratch.z + to);
          for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            entry[to + lane] = static_cast<Entry>(code + k + lane);
          }
        }
        result.count += range.count;
        bounds.include(work.bounds[middle + dx]);
      }
      if (few || result.count == first) continue;
      const std::uint32_t end = result.count;
      fill_chunk();
      // In y and z a chunk takes the bounds of its column.
      const float across[4] = {bounds.y_low, bounds.y_high, bounds.z_low, bounds.z_high};
      for (int side = 0; side < 4; ++side) {
        const FloatPack bound = FloatPack::all(static_cast<double>(across[side]));
        for (std::uint32_t k = first; k < end; k += lanes * lanes) {
          bound.store(scratch.chunk[2 + side] + result.chunks + (k - first) / lanes);
        }
      }
      for (std::uint32_t k = first; k < end; k += lanes) {
        const std::uint32_t last = k + lanes < end ? k + lanes - 1 : end - 1;
        float x_low = scratch.x[k], x_high = scratch.x[last];
        if (work.unsheared_x != nullptr) {
          for (std::uint32_t i = k; i <= last; ++i) {
            x_low = scratch.x[i] < x_low ? scratch.x[i] : x_low;
            x_high = scratch.x[i] > x_high ? scratch.x[i] : x_high;
          }
        }
        scratch.chunk[0][result.chunks] = x_low;
        scratch.chunk[1][result.chunks] = x_high;
        ++result.chunks;
      }
    }
  }
  if (few) {
    fill_chunk();
    result.chunks = result.count / lanes;
  }
  return result;
}

/// Appends the row of `size` particles of the cell, given by their indices in it.
template <int size, bool with_members, class Entry>
Entry* append_row(const PairWork& work, const Candidates& candidates, bool few,
                  const std::uint32_t* members, Entry* out) {
  constexpr auto lanes = static_cast<std::uint32_t>(FloatPack::width);
  const ListScratch& scratch = work.scratch;
  const auto* const entry = reinterpret_cast<const Entry*>(scratch.entry);
  const FloatPack radius2 = FloatPack::all(static_cast<double>(work.list_radius_squared));
  FloatPack x[size], y[size], z[size];
  float member_x[size];
  for (int q = 0; q < size; ++q) {
    const std::uint32_t at = candidates.own + members[q];
    member_x[q] = scratch.x[at];
    x[q] = FloatPack::all(static_cast<double>(scratch.x[at]));
    y[q] = FloatPack::all(static_cast<double>(scratch.y[at]));
    z[q] = FloatPack::all(static_cast<double>(scratch.z[at]));
    if constexpr (with_members) *out++ = entry[at];
  }
  // A particle must not be found as its own neighbor, so move the row's particles far away.
  for (int q = 0; q < size; ++q) scratch.x[candidates.own + members[q]] = far_coordinate;

  const auto look_at = [&](std::uint32_t k) {
    const FloatPack xj = FloatPack::load(scratch.x + k);
    const FloatPack yj = FloatPack::load(scratch.y + k);
    const FloatPack zj = FloatPack::load(scratch.z + k);
    const auto squared_distance = [&](int q) {
      const FloatPack dx = xj - x[q], dy = yj - y[q], dz = zj - z[q];
      return FloatPack(FloatPack::fma(dz, dz, FloatPack::fma(dy, dy, dx * dx)));
    };
    FloatPack nearest = squared_distance(0);
    for (int q = 1; q < size; ++q) nearest = FloatPack::min(nearest, squared_distance(q));
    out = append(out, FloatPack::bits(nearest < radius2), entry + k);
  };
  if (few) {
    for (std::uint32_t k = 0; k < candidates.count; k += lanes) look_at(k);
  } else {
    // The distance of two bounding boxes never exceeds that of particles in them, even with
    // rounding, because the arithmetic is the same.
    FloatPack low[3] = {x[0], y[0], z[0]}, high[3] = {x[0], y[0], z[0]};
    for (int q = 1; q < size; ++q) {
      const FloatPack member[3] = {x[q], y[q], z[q]};
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = FloatPack::min(low[axis], member[axis]);
        high[axis] = FloatPack::max(high[axis], member[axis]);
      }
    }
    for (std::uint32_t c = 0; c < candidates.chunks; c += lanes) {
      FloatPack gap[3];
      for (int axis = 0; axis < 3; ++axis) {
        const FloatPack below = low[axis] - FloatPack::load(scratch.chunk[2 * axis + 1] + c);
        const FloatPack above = FloatPack::load(scratch.chunk[2 * axis] + c) - high[axis];
        gap[axis] = FloatPack::max(FloatPack::max(below, above), FloatPack::zero());
      }
      const FloatPack distance =
          FloatPack::fma(gap[2], gap[2], FloatPack::fma(gap[1], gap[1], gap[0] * gap[0]));
      unsigned near = FloatPack::bits(distance < radius2);
      if (candidates.chunks - c < lanes) near &= (1u << (candidates.chunks - c)) - 1u;
      for (; near != 0; near &= near - 1) {
        look_at((c + static_cast<std::uint32_t>(__builtin_ctz(near))) * lanes);
      }
    }
  }
  // In a half list the members stay far away, so that later rows of the cell omit their pairs.
  if (work.half) return out;
  for (int q = 0; q < size; ++q) scratch.x[candidates.own + members[q]] = member_x[q];
  return out;
}

/// Builds the rows of the cells. The particles of a cell must ascend in x, or in unsheared x in a
/// triclinic box, and so must consecutive cells along x.
template <class Entry>
std::size_t build_rows(PairWork& work, Entry* entries, const std::uint32_t* cells,
                       std::size_t cell_count, std::size_t used, std::size_t capacity) {
  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = work.cells[cells[c]];
    if (cell.count == 0) continue;
    const Candidates candidates = gather_candidates<Entry>(work, cells[c]);
    const std::uint32_t groups = group_count(cell.count, work.group);
    if (used + groups * (std::size_t{candidates.count} + 64) > capacity) {
      return ~std::size_t{0};
    }
    const bool few = candidates.count <= few_candidates;
    std::uint32_t* const order = work.scratch.order;
    if (groups < cell.count && groups > 1) {
      sort_along_curve(work, cell.begin, cell.count, work.bounds[cells[c]], order);
    } else {
      for (std::uint32_t k = 0; k < cell.count; ++k) order[k] = k;
    }
    const std::uint32_t* members = order;
    std::uint32_t* const row_begin = work.row_begin + first_row(work, cells[c]);
    Entry* out = entries + used;
    for (std::uint32_t g = 0; g < groups; ++g) {
      row_begin[g] = static_cast<std::uint32_t>(out - entries);
      const std::uint32_t size = size_of_group(cell.count, groups, g);
      if (work.group == 1) {
        out = append_row<1, false>(work, candidates, few, members, out);
      } else {
        with_size<largest_group>(size, [&]<int group>() {
          out = append_row<group, true>(work, candidates, few, members, out);
        });
      }
      members += size;
    }
    used = static_cast<std::size_t>(out - entries);
    row_begin[groups] = static_cast<std::uint32_t>(used);
  }
  return used;
}

std::size_t build(PairWork& work, const std::uint32_t* cells, std::size_t cell_count,
                  std::size_t used, std::size_t capacity) {
  return work.compressed != nullptr
             ? build_rows(work, work.compressed, cells, cell_count, used, capacity)
             : build_rows(work, work.plain, cells, cell_count, used, capacity);
}

double square_displacements(const PairWork& work, std::size_t begin, std::size_t end,
                            const Vec3& center, CoarseNumber* squares) {
  double largest = 0.0;
  std::size_t i = begin;
#ifdef __AVX2__
  const __m256d center_x = _mm256_set1_pd(center.x);
  const __m256d center_y = _mm256_set1_pd(center.y);
  const __m256d center_z = _mm256_set1_pd(center.z);
  __m256d most = _mm256_setzero_pd();
  for (; i + 4 <= end; i += 4) {
    const __m256d a = _mm256_load_pd(&work.position[i].x);
    const __m256d b = _mm256_load_pd(&work.position[i + 1].x);
    const __m256d c = _mm256_load_pd(&work.position[i + 2].x);
    const __m256d d = _mm256_load_pd(&work.position[i + 3].x);
    const __m256d xz_ab = _mm256_unpacklo_pd(a, b), y_ab = _mm256_unpackhi_pd(a, b);
    const __m256d xz_cd = _mm256_unpacklo_pd(c, d), y_cd = _mm256_unpackhi_pd(c, d);
    const auto moved = [i](__m256d now, __m256d origin, const float* before) {
      return _mm256_sub_pd(_mm256_sub_pd(now, origin), _mm256_cvtps_pd(_mm_loadu_ps(before + i)));
    };
    const __m256d x = moved(_mm256_permute2f128_pd(xz_ab, xz_cd, 0x20), center_x, work.x);
    const __m256d y = moved(_mm256_permute2f128_pd(y_ab, y_cd, 0x20), center_y, work.y);
    const __m256d z = moved(_mm256_permute2f128_pd(xz_ab, xz_cd, 0x31), center_z, work.z);
    const __m256d squared =
        _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(x, x), _mm256_mul_pd(y, y)), _mm256_mul_pd(z, z));
    most = _mm256_max_pd(most, squared);
    const __m128i bits = _mm_castps_si128(_mm256_cvtpd_ps(squared));
    const __m128i above = _mm_srli_epi32(_mm_add_epi32(bits, _mm_set1_epi32(0xffff)), 16);
    _mm_storeu_si64(squares + i, _mm_packus_epi32(above, above));
  }
  alignas(32) double lanes[4];
  _mm256_store_pd(lanes, most);
  for (const double lane : lanes) largest = lane > largest ? lane : largest;
#endif
  for (; i < end; ++i) {
    const double x = work.position[i].x - center.x - static_cast<double>(work.x[i]);
    const double y = work.position[i].y - center.y - static_cast<double>(work.y[i]);
    const double z = work.position[i].z - center.z - static_cast<double>(work.z[i]);
    const double squared = x * x + y * y + z * z;
    largest = squared > largest ? squared : largest;
    squares[i] = coarse_above(static_cast<float>(squared));
  }
  return largest;
}

void decode(const PairWork& work, const std::uint32_t (&begins)[32], std::size_t first,
            std::size_t count, std::uint32_t* places) {
  decode_row<0>(work, begins, first, count, masked_together, places);
}

std::size_t select_marked(const std::uint32_t* places, std::size_t count, const std::uint8_t* marks,
                          std::uint32_t* out) {
  std::size_t found = 0;
  for (std::size_t k = 0; k < count; k += FloatPack::width) {
    for (unsigned marked = FloatPack::nonzero_bytes(marks, places + k); marked != 0;
         marked &= marked - 1) {
      out[found++] =
          static_cast<std::uint32_t>(k) + static_cast<std::uint32_t>(__builtin_ctz(marked));
    }
  }
  return found;
}

std::size_t select_far(const CoarseNumber* squares, std::size_t begin, std::size_t end,
                       CoarseNumber least, std::uint32_t* out) {
  std::size_t count = 0, i = begin;
#ifdef __SSE2__
  const __m128i limit = _mm_set1_epi16(static_cast<short>(least));
  const __m128i zero = _mm_setzero_si128();
  for (; i + 8 <= end; i += 8) {
    const auto* const eight = reinterpret_cast<const __m128i*>(squares + i);
    // SSE2 lacks an unsigned comparison, but a saturating difference is 0 where squares >= limit.
    const __m128i lacking = _mm_subs_epu16(limit, _mm_loadu_si128(eight));
    const __m128i is_far = _mm_packs_epi16(_mm_cmpeq_epi16(lacking, zero), zero);
    for (auto far = static_cast<unsigned>(_mm_movemask_epi8(is_far)); far != 0; far &= far - 1) {
      out[count++] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(__builtin_ctz(far));
    }
  }
#endif
  for (; i < end; ++i) {
    if (squares[i] >= least) out[count++] = static_cast<std::uint32_t>(i);
  }
  return count;
}

}  // namespace
}  // namespace sterna::md
