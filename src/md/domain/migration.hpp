#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "md/domain/decomposition.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md {

struct MigrationOptions {
  std::string exchange_method = "auto";  ///< of comm::sparse_methods()
  /// Particles may go to any rank: for the first call after a file was read. Otherwise only to
  /// ranks within that distance, which some methods need to know; a particle that went farther is
  /// an error with every exchange method.
  bool anywhere = false;
  /// As the stores that come; std::logic_error for one of the other kind.
  bool rotating = false;
  std::string name = "migration";  ///< in errors and verdicts
};

struct DistributionOptions {
  std::string exchange_method = "auto";  ///< of comm::sparse_methods()
  bool rotating = false;                 ///< as the stores that come
};

/// Brings particles to the ranks that own their positions.
class Migration {
 public:
  /// Collective. `farthest`: the farthest that a particle can have left its region when `migrate`
  /// is called (the halo width is a good choice), not looked at with `anywhere`. The decomposition
  /// must outlive this. Throws comm::Error where the exchange is not available.
  Migration(const comm::Context& context, const Decomposition& decomposition, double farthest,
            const MigrationOptions& options = {});
  ~Migration();
  Migration(Migration&&) noexcept;
  Migration& operator=(Migration&&) noexcept;

  /// Collective. Wraps positions into the box, counting in `image`, and sends particles to their
  /// owners. Those that stay keep their order; arrivals follow, sorted by source, then by their
  /// order there. Drops the ghosts; forces do not travel. Throws UnstableRun on all ranks, naming
  /// id and `step`, where a position on any of them is not finite, left the box by more than 10^9
  /// lengths, or is farther away; particles of ranks with such a position have not moved.
  void migrate(ParticleStore& particles, std::int64_t step);

  /// Other owners from now on; only with `anywhere`. The decomposition must outlive this.
  void set_decomposition(const Decomposition& decomposition);

  /// How many the last call sent away, and how many came.
  std::size_t departed() const;
  std::size_t arrived() const;
  comm::Verdict verdict() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Hands out particles that any rank may hold, as a reader or a checkpoint left them: wraps them
/// and appends them to the stores of their owners, sorted by source, then by order there. Keep
/// one object for a start in chunks.
class Distribution {
 public:
  /// Collective. The decomposition must outlive this.
  Distribution(const comm::Context& context, const Decomposition& decomposition,
               const DistributionOptions& options = {});
  ~Distribution();
  Distribution(Distribution&&) noexcept;
  Distribution& operator=(Distribution&&) noexcept;

  /// Collective; `records` may be empty on some ranks. Drops the ghosts of `particles`. Throws
  /// UnstableRun on all ranks, before anything was sent, naming the id, where a position on any of
  /// them is not finite or outside the box by more than 10^9 lengths.
  void append(std::span<const ParticleRecord> records, ParticleStore& particles);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// `Distribution` for a single call.
void distribute(const comm::Context& context, const Decomposition& decomposition,
                std::span<const ParticleRecord> records, ParticleStore& particles);

}  // namespace sterna::md
