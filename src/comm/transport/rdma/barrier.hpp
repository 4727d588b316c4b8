#pragma once

#ifdef STERNA_HAVE_UCX

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/peer.hpp"

namespace sterna::comm::rdma {

/// A barrier of notices: log2(ranks) steps, in step k a word is put to the rank 2^k further on
/// (Hensgen, Finkel, Manber 1988). Polled. It orders nothing else: flush first what must be there
/// before. Ranks meet it once more before it ends, so that nothing is under way then.
class Barrier {
 public:
  /// Collective; throws Error on all ranks. `tag`: of the messages that connect it.
  Barrier(Context::Implementation& context, std::string_view exchange, int tag);

  /// Says that this rank has come.
  void enter();
  /// True once every rank has entered; then the next may begin.
  bool test();
  /// The rank whose notice is awaited.
  int late_rank() const;
  /// True once what this rank has sent is there, so that it may end.
  bool idle();

 private:
  struct Step {
    Peer next;
    int from;
  };
  std::uint64_t notice(std::size_t step) const;

  Context::Implementation& context_;
  Memory memory_;    ///< a notice for each step, on lines of their own
  Memory outgoing_;  ///< the words that are put, by step
  std::vector<Step> steps_;
  std::uint64_t count_ = 0;  ///< of barriers entered
  std::size_t step_ = 0;
  bool told_ = false;  ///< the notice of this step is on its way
};

}  // namespace sterna::comm::rdma

#endif
