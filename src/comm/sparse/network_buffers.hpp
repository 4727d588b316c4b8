#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/sparse/method.hpp"
#include "comm/sparse/reserved_buffer.hpp"

namespace sterna::comm {

/// The buffers of ranks anywhere, by UCX: a reservation is an atomic addition that answers, a message
/// a put whose trailer follows behind a fence, so that the receiver sees when it is whole.
/// A rank asks another for access to its buffers when it first sends to it: the other answers in
/// its waits, so all ranks must call `serve` in theirs. Memory grows with the ranks sent to.
class NetworkBuffers {
 public:
  virtual ~NetworkBuffers() = default;

  /// Lets UCX move what is under way, and answers other ranks.
  virtual void serve() = 0;

  /// Begins to reserve parts of the buffers `parity` of other ranks. `reserved` tells when it is done;
  /// then `send` puts the rows, and returns false where one does not fit.
  virtual void reserve(std::span<const OutgoingRow> rows, unsigned parity) = 0;
  virtual bool reserved() = 0;
  virtual bool send(std::span<const OutgoingRow> rows, unsigned parity) = 0;
  /// True once all rows may be changed, and others have what they asked for.
  virtual bool sent() = 0;
  /// Ranks that `reserved` or `sent` still wait for.
  virtual std::vector<int> late_ranks() = 0;
  /// Begins to ask whether all has arrived; `sent` tells.
  virtual void flush() = 0;

  /// This rank's own.
  virtual ReservedBuffer& buffer(unsigned parity) = 0;
  /// As NodeBuffers::grow.
  virtual void grow() = 0;
};

/// Collective. Throws Error on all ranks where there is no memory.
std::unique_ptr<NetworkBuffers> make_network_buffers(const SparseSetting& setting);

}  // namespace sterna::comm
