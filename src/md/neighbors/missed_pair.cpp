// Idea:    a list of all pairs within cutoff + skin stays valid beyond the time when a particle has
//          moved by half the skin: until a pair that it lacks comes within the cutoff. At least one
//          particle of such a pair has moved by more than half the skin. These few particles are
//          compared with all particles around them.
// Source:  Verlet, Phys. Rev. 159, 98 (1967), for the list; Chialvo and Debenedetti, Comput. Phys.
//          Commun. 60, 215 (1990), for validity by pairs in place of particles.
// Cost:    some 400 distances for each particle that has moved by more than half the skin.
// Hazards: potentials with lists of their own that rely on half the skin; many fast particles, for
//          which a new list is cheaper.
// Else:    the largest displacement is enough if no particle has moved by half the skin.

#include "md/neighbors/missed_pair.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {
namespace {

/// The particles near a position: those of all cells that contain the particles which were within a
/// cell's width of it when the list was built.
class Surroundings {
 public:
  explicit Surroundings(const CellGrid& grid)
      : grid_(grid), count_{grid.nx(), grid.ny(), grid.nz()} {}

  /// Calls visit(begin, end) for ranges of places of these particles in the store, until it returns
  /// true. Returns whether it did.
  template <class Visit>
  bool any(const Vec3& position, Visit&& visit) const {
    const Vec3 unsheared = grid_.shear().unsheared(position);
    int first[3], last[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double low = grid_.low()[axis], high = grid_.high()[axis];
      const double place = (unsheared[axis] - low) * count_[axis] / (high - low);
      const int cell =
          1 + static_cast<int>(std::floor(std::clamp(place, -1.0, count_[axis] + 0.5)));
      first[axis] = std::max(0, cell - 1);
      last[axis] = std::min(count_[axis] + 1, cell + 1);
    }
    for (int z = first[2]; z <= last[2]; ++z) {
      for (int y = first[1]; y <= last[1]; ++y) {
        const auto row = static_cast<std::size_t>((z * (count_[1] + 2) + y) * (count_[0] + 2));
        // Of a pair across a border, one particle may be a ghost only on the other's rank, and the
        // pair is then tested there. So ghosts beyond the half shell are tested, too.
        for (const auto* cells : {&grid_.cells(), &grid_.cells_beyond()}) {
          if (cells->empty()) continue;
          std::uint32_t begin = 0, end = 0;
          for (int x = first[0]; x <= last[0]; ++x) {
            const CellRange& cell = (*cells)[row + static_cast<std::size_t>(x)];
            if (cell.begin != end) {
              if (visit(begin, end)) return true;
              begin = cell.begin;
            }
            end = cell.begin + cell.count;
          }
          if (visit(begin, end)) return true;
        }
      }
    }
    return false;
  }

 private:
  const CellGrid& grid_;
  int count_[3];
};

double squared(const Vec3& v) {
  return dot(v, v);
}

}  // namespace

bool list_misses_pair(PairList& list, const ParticleStore& particles, double cutoff,
                      std::span<const std::uint32_t> far, double ghost_path) {
  const Surroundings surroundings(list.grid());
  const double skin = list.list_radius() - cutoff;
  const auto local = static_cast<std::uint32_t>(particles.local_count());
  const auto far_ghosts =
      list.ghost_displacements(particles, std::max(0.0, 0.5 * skin - ghost_path)).far;
  const CoarseNumber* const squares = list.squared_displacements();
  const double near = cutoff * cutoff;
  const double near_ghost = (cutoff + ghost_path) * (cutoff + ghost_path);
  // The margin covers the single precision in which the list was built.
  const double listed = std::pow((1.0 - 1e-5) * list.list_radius(), 2);

  const auto is_missed = [&](std::uint32_t i, std::uint32_t j) {
    const Vec3 now = particles.position[i].vector() - particles.position[j].vector();
    if (squared(now) >= (i < local && j < local ? near : near_ghost) || i == j) return false;
    const Vec3 moved = list.displacement(particles, i) - list.displacement(particles, j);
    return squared(now - moved) >= listed;
  };
  const auto is_missed_by_any = [&](std::uint32_t i) {
    const double moved = std::sqrt(squared(list.displacement(particles, i))) + ghost_path;
    if (!(moved <= skin)) return true;
    // A particle that has moved by less than the rest of the skin cannot have come near enough.
    const CoarseNumber least =
        coarse_below(static_cast<float>((1.0 - 1e-5) * (skin - moved) * (skin - moved)));
    return surroundings.any(particles.position[i].vector(),
                            [&](std::uint32_t begin, std::uint32_t end) {
                              if (i >= local && begin >= local) return false;  // pairs of ghosts
                              std::uint32_t candidates = 0;
                              for (std::uint32_t j = begin; j < end; ++j)
                                candidates += squares[j] >= least ? 1 : 0;
                              for (std::uint32_t j = begin; j < end && candidates > 0; ++j) {
                                if (squares[j] < least) continue;
                                --candidates;
                                if (is_missed(i, j)) return true;
                              }
                              return false;
                            });
  };
  return std::any_of(far.begin(), far.end(), is_missed_by_any) ||
         std::any_of(far_ghosts.begin(), far_ghosts.end(), is_missed_by_any);
}

}  // namespace sterna::md
