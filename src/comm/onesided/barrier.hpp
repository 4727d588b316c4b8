#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/onesided/window.hpp"
#include "comm/transport/rdma/transport.hpp"

namespace sterna::comm {

/// A barrier of puts by UCX that is polled: in step k of log2(ranks) each rank puts a word to the
/// one at distance 2^k (Hensgen, Finkel, Manber 1988). Nobody matches a message or answers one. A
/// flag that any rank raises is seen by all. It orders nothing else: flush first what must be there
/// before.
class PutBarrier {
 public:
  /// Among `ranks`, ascending, the same list on all of them. Collective over the context, also for
  /// ranks that are not in the list, which never enter. Throws Error on all ranks where one cannot
  /// be connected. `tag`: of the messages that connect it.
  PutBarrier(Context::Implementation& context, std::string_view exchange_name, int tag,
             const std::vector<int>& ranks);

  /// Says that this rank has come. Rounds are numbered from 1 without gaps.
  void enter(std::uint64_t round, bool flag = false);
  /// True once every rank has entered.
  bool test();
  /// Whether a rank of the round has raised its flag; after `test`.
  bool flag() const { return flag_; }
  /// Whether nothing of this rank is under way; only then may this end.
  bool idle();
  /// The rank whose word is awaited.
  int late_rank() const;

 private:
  using Words = Window<rdma::Transport>;

  /// A step: whom the word goes to, and from whom one comes.
  struct Step {
    int to;
    int from;
    std::size_t target = 0;  ///< index in the window's remotes
  };
  static std::vector<Step> steps_of(int rank, const std::vector<int>& ranks);
  static std::vector<int> partners_of(const std::vector<Step>& steps);
  std::size_t bytes() const;
  std::size_t word_offset(std::size_t step) const;

  int rank_;
  std::vector<Step> steps_;
  std::unique_ptr<rdma::Memory> outgoing_;  ///< the words that are put
  Words incoming_;
  std::uint64_t round_ = 0;
  bool flag_ = false;
  bool put_ = false;  ///< the word of this step
  std::size_t step_;
};

}  // namespace sterna::comm
