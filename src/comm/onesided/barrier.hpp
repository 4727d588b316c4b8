#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/onesided/window.hpp"

namespace sterna::comm {

/// A barrier of puts by the transport of a network (rdma, ofi) that can be polled: in step k of log2(ranks) each rank puts a word to the
/// rank at distance 2^k (Hensgen, Finkel, Manber 1988). No message is matched or answered. A flag
/// that any rank raises is seen by all. The barrier orders no other puts, so flush those that must
/// arrive before.
template <class Transport>
class PutBarrier {
 public:
  /// Makes a barrier among `ranks`, ascending, the same list on all of them. Collective over the
  /// context, also for ranks that are not in the list, which never enter. Throws Error on all ranks
  /// if one cannot be connected. `tag` is that of the messages that connect them.
  PutBarrier(Context::Implementation& context, std::string_view exchange_name, int tag,
             const std::vector<int>& ranks);

  /// Declares that this rank has arrived. Rounds are numbered from 1 without gaps.
  void enter(std::uint64_t round, bool flag = false);
  /// Returns true once every rank has entered.
  bool test();
  /// True if a rank of the round has raised its flag; valid after `test`.
  bool flag() const { return flag_; }
  /// True if no put of this rank is under way; only then may the barrier be destroyed.
  bool idle();
  /// The rank whose word is awaited.
  int late_rank() const;

 private:
  using Words = Window<Transport>;
  using Remote = typename Words::Remote;

  /// A step: the rank to which this one puts a word, and the rank from which it gets one.
  struct Step {
    int to;
    int from;
    std::size_t target = 0;  ///< index among the window's remotes
  };
  static std::vector<Step> steps_of(int rank, const std::vector<int>& ranks);
  static std::vector<int> partners_of(const std::vector<Step>& steps);
  std::size_t bytes() const;
  std::size_t word_offset(std::size_t step) const;

  int rank_;
  std::vector<Step> steps_;
  std::unique_ptr<typename Transport::Source> outgoing_;  ///< the words to put
  Words incoming_;
  std::uint64_t round_ = 0;
  bool flag_ = false;
  bool put_ = false;  ///< true if the word of this step was put
  std::size_t step_;
};

}  // namespace sterna::comm
