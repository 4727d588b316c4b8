#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/sparse/method.hpp"

namespace sterna::comm {

/// A barrier by UCX that is polled, and tells whether any rank met an overflow: in step k of
/// log2(ranks) each rank puts a word to the one at distance 2^k (Hensgen, Finkel, Manber 1988).
/// Nobody matches a message or answers one.
class FarBarrier {
 public:
  virtual ~FarBarrier() = default;
  /// Rounds are numbered from 1.
  virtual void enter(std::uint64_t round, bool overflow) = 0;
  /// True once every rank has entered.
  virtual bool test() = 0;
  /// Whether a rank of the round said so; after `test`.
  virtual bool overflowed() const = 0;
  /// Whether nothing of this rank is under way; only then may this end.
  virtual bool idle() = 0;
  /// The rank whose word is awaited.
  virtual int late_rank() const = 0;
};

/// Among `ranks`, ascending, the same list on all of them. Collective over the context; ranks that
/// are not in the list get nothing. Throws Error on all where a rank cannot be reached.
std::unique_ptr<FarBarrier> make_far_barrier(const SparseSetting& setting,
                                             const std::vector<int>& ranks);

}  // namespace sterna::comm
