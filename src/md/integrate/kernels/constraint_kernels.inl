// SHAKE and RATTLE of small groups, written once over vectors of doubles and compiled once for each
// instruction set.
//
// Idea:    each lane has a group of the same shape. Sweeps go over the constraints one after
//          another, as for a single group, and skip satisfied constraints; so a group has the same
//          bits as if it were solved alone.
// Source:  Ryckaert, Ciccotti and Berendsen, J. Comput. Phys. 23, 327 (1977); Andersen, J. Comput.
//          Phys. 52, 24 (1983).
// Cost:    some 40 operations per constraint and sweep. The slowest group of a vector determines
//          the number of sweeps, ten or so.
// Hazards: none.
// Others:  SETTLE, for isosceles triangles.

#include "md/integrate/kernels/constraint_kernels.hpp"
#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

using V = Vector<double>;
/// The number of vectors that hold all groups.
constexpr std::size_t blocks = groups_together / lanes<double>;

V& block_of(ConstraintWork::Numbers& numbers, std::size_t block) {
  return *reinterpret_cast<V*>(numbers + block * lanes<double>);
}

/// The connection or velocity of a block of groups.
struct Triple {
  V x, y, z;
  static Triple of(ConstraintWork::Numbers (&rows)[3], std::size_t block) {
    return {block_of(rows[0], block), block_of(rows[1], block), block_of(rows[2], block)};
  }
  friend V dot(const Triple& a, const Triple& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};

/// Sweeps over the constraints. `multiplier_of(constraint, block, connection, difference of
/// velocities, open)` returns the multipliers for a block, and clears the lanes of `open` that are
/// satisfied.
template <class MultiplierOf>
[[gnu::always_inline]] inline void sweep(ConstraintWork& work, int most_sweeps,
                                         const MultiplierOf& multiplier_of) {
  Bits<double> open[blocks] = {};
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    for (Bits<double>& lanes_of_block : open) lanes_of_block = Bits<double>{};
    for (std::size_t k = 0; k < work.constraints; ++k) {
      const std::uint32_t first = work.pairs[k].first, second = work.pairs[k].second;
      for (std::size_t block = 0; block < blocks; ++block) {
        const Triple connection = Triple::of(work.connection[k], block);
        const Triple a = Triple::of(work.velocity[first], block);
        const Triple b = Triple::of(work.velocity[second], block);
        const V of_a = block_of(work.inverse_mass[first], block);
        const V of_b = block_of(work.inverse_mass[second], block);
        // Constraints between two frozen atoms are skipped.
        Bits<double> push = of_a + of_b > V{};
        const V multiplier = multiplier_of(
            k, block, connection, Triple{a.x - b.x, a.y - b.y, a.z - b.z}, of_a + of_b, push);
        open[block] |= push;
        const V at_a = of_a * multiplier, at_b = of_b * multiplier;
        const auto move = [&](int axis, const V& va, const V& vb, const V& along) {
          const auto row = static_cast<std::size_t>(axis);
          block_of(work.velocity[first][row], block) = push ? va - at_a * along : va;
          block_of(work.velocity[second][row], block) = push ? vb + at_b * along : vb;
        };
        move(0, a.x, b.x, connection.x);
        move(1, a.y, b.y, connection.y);
        move(2, a.z, b.z, connection.z);
      }
    }
    bool any_open = false;
    for (const Bits<double>& lanes_of_block : open) any_open = any_open || any(lanes_of_block);
    if (!any_open) break;
  }
  for (std::size_t lane = 0; lane < groups_together; ++lane) {
    work.open[lane] = open[lane / lanes<double>][lane % lanes<double>] != 0;
  }
}

V absolute(const V& x) {
  return x < 0.0 ? -x : x;
}

void shake(ConstraintWork& work, double timestep, double tolerance, int most_sweeps) {
  sweep(work, most_sweeps,
        [&](std::size_t k, std::size_t block, const Triple& connection, const Triple& difference,
            const V& inverse_masses, Bits<double>& open) {
          const V squared = block_of(work.squared_distance[k], block);
          const Triple next{connection.x + timestep * difference.x,
                            connection.y + timestep * difference.y,
                            connection.z + timestep * difference.z};
          const V excess = dot(next, next) - squared;
          // The negation makes NaN count as open.
          open &= ~(absolute(excess) <= 2.0 * tolerance * squared);
          // If a step turns a connection by nearly 90 degrees or more, forces along it cannot
          // correct it; the limit avoids a division by 0.
          const V along = dot(next, connection), least = 1e-3 * squared;
          return excess / (2.0 * timestep * inverse_masses * (along < least ? least : along));
        });
}

void rattle(ConstraintWork& work, double goal, int most_sweeps) {
  sweep(work, most_sweeps,
        [&](std::size_t k, std::size_t block, const Triple& connection, const Triple& difference,
            const V& inverse_masses, Bits<double>& open) {
          const V along = dot(difference, connection);
          open &= ~(absolute(along) <= goal * block_of(work.squared_distance[k], block));
          return along / (inverse_masses * dot(connection, connection));
        });
}

/// The reduction, per unit of multiplier of one constraint, of the product of the other's
/// difference and connection.
V coupling(ConstraintWork& work, std::size_t one, std::size_t other, std::size_t block) {
  const ConstrainedPair &p = work.pairs[one], &q = work.pairs[other];
  const V first = block_of(work.inverse_mass[p.first], block);
  const V second = block_of(work.inverse_mass[p.second], block);
  V sum{};
  if (p.first == q.first) sum += first;
  if (p.second == q.second) sum += second;
  if (p.first == q.second) sum -= first;
  if (p.second == q.first) sum -= second;
  return sum *
         dot(Triple::of(work.connection[one], block), Triple::of(work.connection[other], block));
}

void solve_triangles(ConstraintWork& work) {
  for (std::size_t block = 0; block < blocks; ++block) {
    V along[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const Triple a = Triple::of(work.velocity[work.pairs[k].first], block);
      const Triple b = Triple::of(work.velocity[work.pairs[k].second], block);
      along[k] =
          dot(Triple{a.x - b.x, a.y - b.y, a.z - b.z}, Triple::of(work.connection[k], block));
    }
    const V pp = coupling(work, 0, 0, block), qq = coupling(work, 1, 1, block);
    const V rr = coupling(work, 2, 2, block), pq = coupling(work, 0, 1, block);
    const V pr = coupling(work, 0, 2, block), qr = coupling(work, 1, 2, block);
    // The solution by Cramer's rule.
    const V m00 = qq * rr - qr * qr, m01 = pr * qr - pq * rr, m02 = pq * qr - pr * qq;
    const V m11 = pp * rr - pr * pr, m12 = pq * pr - pp * qr, m22 = pp * qq - pq * pq;
    const V inverse = 1.0 / (pp * m00 + pq * m01 + pr * m02);
    const V multiplier[] = {inverse * (m00 * along[0] + m01 * along[1] + m02 * along[2]),
                            inverse * (m01 * along[0] + m11 * along[1] + m12 * along[2]),
                            inverse * (m02 * along[0] + m12 * along[1] + m22 * along[2])};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [first, second] = work.pairs[k];
      const V at_first = block_of(work.inverse_mass[first], block) * multiplier[k];
      const V at_second = block_of(work.inverse_mass[second], block) * multiplier[k];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const V connection = block_of(work.connection[k][axis], block);
        block_of(work.velocity[first][axis], block) -= at_first * connection;
        block_of(work.velocity[second][axis], block) += at_second * connection;
      }
    }
  }
  for (bool& open : work.open) open = false;
}

constexpr ConstraintKernels kernels{STERNA_KERNEL_NAME, shake, rattle, solve_triangles};

}  // namespace
}  // namespace sterna::md
