#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::md {

/// The position at which a restraint holds an atom.
struct ReferencePosition {
  std::int64_t id;
  std::int32_t restraint;             ///< index; several restraints may hold one atom
  std::array<std::int32_t, 3> image;  ///< boxes between `place` and the atom's unwrapped path
  Vec3 place;                         ///< in the box, or as the restraint stores it
};

/// The reference positions of a run. Idea: each is kept for the whole run by a rank that follows
/// from the atom's id, and a rank asks it once for each atom that migrates there. So a rank has its
/// share of all positions and those of its own atoms, 48 bytes each. Cost: two sparse exchanges
/// whenever atoms have migrated.
class ReferencePositions {
 public:
  /// Collective.
  explicit ReferencePositions(const comm::Context& context);

  /// Collective. Sets all reference positions. Each rank gives a part, of any atoms.
  void set(std::span<const ReferencePosition> part);
  /// Sets all reference positions. Every rank gives the whole and keeps its share.
  void take_share(std::span<const ReferencePosition> all);

  /// Collective. The reference positions of these atoms, by id and index of the restraint. `ids`:
  /// ascending. Valid until the next call.
  std::span<const ReferencePosition> of(std::vector<std::int64_t> ids);

  /// Collective. All reference positions on rank 0, by id and index of the restraint; empty on
  /// other ranks.
  std::vector<ReferencePosition> gather() const;

  std::vector<comm::Verdict> verdicts() const;

 private:
  int keeper(std::int64_t id) const;

  comm::Context context_;
  mutable comm::SparseExchange<ReferencePosition> positions_;
  comm::SparseExchange<std::int64_t> questions_;
  std::vector<ReferencePosition> kept_;  ///< this rank's share, by id and restraint, like here_
  std::vector<ReferencePosition> here_;  ///< of the atoms of the last call
  std::vector<std::int64_t> known_;      ///< ids of the atoms of the last call, held or not
};

}  // namespace sterna::md
