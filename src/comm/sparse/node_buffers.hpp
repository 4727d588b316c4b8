#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/sparse/method.hpp"
#include "comm/sparse/reserved_buffer.hpp"

namespace sterna::comm {

/// The buffers of the ranks of a node, in shared memory, where a reservation is an atomic
/// subtraction and a message a copy; and a barrier of these ranks by a counter that all see.
/// Other ranks' memory is mapped when it is first written to.
class NodeBuffers {
 public:
  virtual ~NodeBuffers() = default;

  /// Reserves a part of the buffer `parity` of a rank of this node and fills it. False, and nothing is
  /// done but the reservation, where it does not fit.
  virtual bool send(const OutgoingRow& row, unsigned parity) = 0;
  /// This rank's own.
  virtual ReservedBuffer& buffer(unsigned parity) = 0;

  /// Says that this rank has arrived in step `step`, and whether it met an overflow. After that the
  /// others see all that it stored before.
  virtual void arrive(std::uint64_t step, bool overflow) = 0;
  virtual bool all_arrived(std::uint64_t step) const = 0;
  virtual std::vector<int> late_ranks(std::uint64_t step) const = 0;
  /// Whether a rank of the node met an overflow, after `all_arrived` or `released`.
  virtual bool overflowed(std::uint64_t step) const = 0;
  /// For steps that go on between the nodes: one rank tells the others of its node that it is over.
  virtual void release(std::uint64_t step, bool overflow) = 0;
  virtual bool released(std::uint64_t step) const = 0;

  /// After an overflow, when no rank writes any more. Gives this rank larger buffers where it needs
  /// them, opens them, and forgets where those of others were. Throws Error without memory.
  virtual void grow() = 0;
};

/// Collective. Throws Error on all ranks where a memory cannot be made or mapped.
std::unique_ptr<NodeBuffers> make_node_buffers(const SparseSetting& setting);

}  // namespace sterna::comm
