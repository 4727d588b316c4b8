#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::md {

/// Where a restraint holds an atom.
struct ReferencePosition {
  std::int64_t id;
  std::int32_t restraint;             ///< its number; several may hold one atom
  std::array<std::int32_t, 3> image;  ///< boxes between `place` and the path of the atom
  Vec3 place;                         ///< in the box, or what the restraint makes it of
};

/// The reference positions of a run. Idea: each is kept by the rank that the id stands for, for
/// the whole run, and a rank asks there once for each atom that comes to it. So a rank has its
/// share of all of them and those of its own atoms, 48 bytes each. Cost: two sparse exchanges
/// whenever atoms have migrated.
class ReferencePositions {
 public:
  /// Collective.
  explicit ReferencePositions(const comm::Context& context);

  /// Collective. The ranks' parts, each of any atoms, become all that there are.
  void set(std::span<const ReferencePosition> part);
  /// All of them, which every rank gives alike.
  void take_share(std::span<const ReferencePosition> all);

  /// Collective. Those of these atoms, by id and number of the restraint. `ids`: ascending. Valid
  /// until the next call.
  std::span<const ReferencePosition> of(std::vector<std::int64_t> ids);

  /// Collective. All of them on rank 0, by id and number of the restraint; empty on the others.
  std::vector<ReferencePosition> gather() const;

  std::vector<comm::Verdict> verdicts() const;

 private:
  int keeper(std::int64_t id) const;

  comm::Context context_;
  mutable comm::SparseExchange<ReferencePosition> positions_;
  comm::SparseExchange<std::int64_t> questions_;
  std::vector<ReferencePosition> kept_;  ///< this rank's share, and the next: by id and restraint
  std::vector<ReferencePosition> here_;  ///< of the atoms of the last call
  std::vector<std::int64_t> known_;      ///< these atoms, held or not
};

}  // namespace sterna::md
