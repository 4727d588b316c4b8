#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

enum class ReductionOrder {
  /// MPI chooses the order, which is the fastest. On the same ranks of the same machine MPI
  /// libraries repeat the bits of a sum, but none promises it, and another library or placement may
  /// round differently.
  any,
  /// Sums of doubles are ((x0 + x1) + x2) + ... in the order of the ranks of the context. So they
  /// have the same bits in every run on this number of ranks, whatever the MPI library, its
  /// algorithm, the network, the placement of the ranks or the order of arrival. Another number of
  /// ranks gives other bits, because the ranks' own parts differ. Every rank gathers the
  /// contributions of all ranks, so memory and bytes grow with the number of ranks.
  fixed,
};

/// Sums, maxima and minima of many values over all ranks in one collective operation (seed 5:
/// agglomerated reductions; derived type and custom operation). Register values once, then call
/// `run` as often as needed: each run reads every registered variable and replaces it by the
/// result. The variables must outlive the batch.
///
/// Results are the same on every rank, bit for bit. A maximum or minimum is NaN if a contribution
/// is; -0 counts as below +0; sums of integers wrap around. Ranks of one node combine the values
/// from shared memory, once a batch has run a few times.
class ReductionBatch {
 public:
  explicit ReductionBatch(const Context& context, std::string name = "reduction",
                          ReductionOrder order = ReductionOrder::any);
  ~ReductionBatch();
  ReductionBatch(ReductionBatch&&) noexcept;
  ReductionBatch& operator=(ReductionBatch&&) noexcept;

  ReductionBatch& sum(double& value);
  ReductionBatch& max(double& value);
  ReductionBatch& min(double& value);
  ReductionBatch& sum(std::int64_t& value);
  ReductionBatch& max(std::int64_t& value);
  ReductionBatch& min(std::int64_t& value);
  /// Registers the sum of `count` values.
  ReductionBatch& sum(double* values, std::size_t count);
  ReductionBatch& sum(std::int64_t* values, std::size_t count);

  /// Runs the reduction. Collective, blocking.
  void run();
  /// The non-blocking form: `start` has read the variables when it returns, and `finish` writes
  /// them. Work between the two calls overlaps with the reduction. The first `start` after a
  /// registration may wait for the other ranks.
  void start();
  void finish();
  /// Lets a started reduction advance if the MPI library does nothing between its calls. The call
  /// is cheap, and has no effect if no reduction was started.
  void progress();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::comm
