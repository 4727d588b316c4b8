#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "md/domain/decomposition.hpp"
#include "md/system/added_fields.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md {

struct MigrationOptions {
  std::string exchange_method = "auto";  ///< a name in comm::sparse_methods()
  /// Whether particles may go to any rank, as in the first call after a file was read. Otherwise
  /// they may only go to ranks within `farthest`, because some methods must know their sources. A
  /// particle that went farther is an error with every exchange method.
  bool anywhere = false;
  /// Whether the stores rotate, and whether only some of their particles do; std::logic_error for a
  /// store of another kind.
  bool rotating = false;
  bool only_some_rotate = false;
  std::string name = "migration";  ///< for errors and verdicts
  /// Added fields of the particles, which go with them; null: there are none. They must outlive the
  /// migration.
  AddedFields* fields = nullptr;
};

struct DistributionOptions {
  std::string exchange_method = "auto";  ///< a name in comm::sparse_methods()
  bool rotating = false;                 ///< whether the stores rotate
  bool only_some_rotate = false;         ///< whether only some of their particles do
};

/// Sends particles to the ranks that own their positions.
class Migration {
 public:
  /// Collective. `farthest` is the longest distance that a particle can be outside its region when
  /// `migrate` is called (the halo width is a good choice); it is ignored with `anywhere`. The
  /// decomposition must outlive this object. Throws comm::Error if the exchange is not available.
  Migration(const comm::Context& context, const Decomposition& decomposition, double farthest,
            const MigrationOptions& options = {});
  ~Migration();
  Migration(Migration&&) noexcept;
  Migration& operator=(Migration&&) noexcept;

  /// Collective. Wraps positions into the box, counting crossings in `image`, and sends particles
  /// to their owners. Particles that stay keep their order; arrivals follow, sorted by source, then
  /// by their order there. Drops the ghosts; forces are not sent. Throws UnstableRun, with the id
  /// and `step`, on all ranks if a position on any rank is impossible: if it is not finite, outside
  /// the box by more than 10^9 lengths, or farther away than `farthest`. Ranks with such a position
  /// then keep their particles.
  void migrate(ParticleStore& particles, std::int64_t step);

  /// Uses other regions from now on; only with `anywhere`. The decomposition must outlive this
  /// object.
  void set_decomposition(const Decomposition& decomposition);

  /// The number of particles that the last call sent away, and the number that arrived.
  std::size_t departed() const;
  std::size_t arrived() const;
  comm::Verdict verdict() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Sends particles that any rank may hold, such as those of a reader or checkpoint, to the ranks
/// that own their positions. It wraps them and appends them to the owners' stores, sorted by
/// source, then by their order there. If a start comes in chunks, use one object for all of them.
class Distribution {
 public:
  /// Collective. The decomposition must outlive this object.
  Distribution(const comm::Context& context, const Decomposition& decomposition,
               const DistributionOptions& options = {});
  ~Distribution();
  Distribution(Distribution&&) noexcept;
  Distribution& operator=(Distribution&&) noexcept;

  /// Collective; `records` may be empty on some ranks. Drops the ghosts of `particles`. Throws
  /// UnstableRun on all ranks, naming the id, if a position on any rank is not finite or outside
  /// the box by more than 10^9 lengths; nothing is sent then.
  void append(std::span<const ParticleRecord> records, ParticleStore& particles);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
