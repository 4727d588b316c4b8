#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/sparse/method.hpp"
#include "comm/sparse/reserved_buffer.hpp"

namespace sterna::comm {

/// The buffers of the ranks of a node, in shared memory. A reservation is an atomic subtraction and
/// a message a copy. A barrier of these ranks uses a counter that all of them see. The memory of
/// another rank is mapped when this rank first writes to it.
class NodeBuffers {
 public:
  virtual ~NodeBuffers() = default;

  /// Reserves a part of the buffer `parity` of a rank of this node and fills it. Returns false,
  /// with nothing but the reservation done, if the part does not fit.
  virtual bool send(const OutgoingRow& row, unsigned parity) = 0;
  /// The buffer of this rank.
  virtual ReservedBuffer& buffer(unsigned parity) = 0;

  /// Declares that this rank has arrived in step `step`, and whether it met an overflow. The others
  /// then see all its earlier stores.
  virtual void arrive(std::uint64_t step, bool overflow) = 0;
  virtual bool all_arrived(std::uint64_t step) const = 0;
  virtual std::vector<int> late_ranks(std::uint64_t step) const = 0;
  /// True if a rank of the node met an overflow; valid after `all_arrived` or `released`.
  virtual bool overflowed(std::uint64_t step) const = 0;
  /// For steps that span nodes: one rank tells the other ranks of its node that the step has ended.
  virtual void release(std::uint64_t step, bool overflow) = 0;
  virtual bool released(std::uint64_t step) const = 0;

  /// Grows this rank's buffers after an overflow, if they were too small, opens them, and forgets
  /// the addresses of other ranks' buffers. Called when no rank writes any more. Throws Error if
  /// memory does not suffice.
  virtual void grow() = 0;
};

/// Makes the buffers. Collective. Throws Error on all ranks if a memory cannot be made or mapped.
std::unique_ptr<NodeBuffers> make_node_buffers(const SparseSetting& setting);

}  // namespace sterna::comm
