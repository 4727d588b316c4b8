#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/sparse/method.hpp"
#include "comm/sparse/reserved_buffer.hpp"

namespace sterna::comm {

/// The buffers of ranks anywhere, by UCX or libfabric. A reservation is an atomic addition that returns the
/// previous value. A message is a put whose trailer follows behind a fence, so that the receiver
/// sees when it is complete. A rank asks another rank for access to its buffers when it first sends
/// to it. The other rank answers in its waits, so all ranks must call `serve` in theirs. Memory
/// grows with the number of ranks sent to.
class NetworkBuffers {
 public:
  virtual ~NetworkBuffers() = default;

  /// Lets the transport advance transfers, and answers other ranks.
  virtual void serve() = 0;

  /// Begins to reserve parts of the buffers `parity` of other ranks. `reserved` returns true when
  /// that is done. Then `send` puts the rows, and returns false if one of them does not fit.
  virtual void reserve(std::span<const OutgoingRow> rows, unsigned parity) = 0;
  virtual bool reserved() = 0;
  virtual bool send(std::span<const OutgoingRow> rows, unsigned parity) = 0;
  /// True once all rows may be changed and other ranks have their answers.
  virtual bool sent() = 0;
  /// The ranks that `reserved` or `sent` still wait for.
  virtual std::vector<int> late_ranks() = 0;
  /// Begins to ask whether all data have arrived; `sent` then returns true once they have.
  virtual void flush() = 0;

  /// The buffer of this rank.
  virtual ReservedBuffer& buffer(unsigned parity) = 0;
  /// Grows the buffers, as NodeBuffers::grow does.
  virtual void grow() = 0;
};

/// Makes the buffers for rdma::Transport or ofi::Transport. Collective. Throws Error on all ranks if
/// memory does not suffice.
template <class Transport>
std::unique_ptr<NetworkBuffers> make_network_buffers(const SparseSetting& setting);

}  // namespace sterna::comm
