#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sterna::comm {

/// A pattern as the cost of a method depends on it. The same on all ranks: of the busiest rank
/// where the ranks differ.
struct PatternShape {
  int ranks = 1;
  int ranks_per_node = 1;         ///< the largest number on a node
  double peers = 0.0;             ///< other ranks that a rank sends to in a round
  double bytes = 0.0;             ///< of items that a rank sends in a round, to all peers together
  double off_node_share = 0.0;    ///< of the messages
  double possible_sources = 0.0;  ///< sparse exchange where they are known: how many; otherwise 0
};

/// What one rank does in one round of a method, counted, never timed: what an operation costs on a
/// machine is fitted from measurements (cost_model.hpp). Count what the rank itself does and what
/// it waits for; of operations that overlap, those that do not.
struct CostTerms {
  double messages = 0.0;      ///< received messages that software matches with a receive or probe
  double puts = 0.0;          ///< puts, gets, atomics, notices handed to a network library
  double stores = 0.0;        ///< notices written by the processor into mapped memory
  double round_trips = 0.0;   ///< waits for an answer: flush, acknowledgment, atomic that fetches
  double global_steps = 0.0;  ///< steps, one after the other, of what all ranks take part in
  double kilobytes = 0.0;     ///< 1000 bytes that leave the rank
  double copied = 0.0;        ///< 1000 bytes copied by a processor on the way, beyond packing
};

/// Steps of a barrier, or of any collective with little data, among `ranks`.
double global_steps_among(int ranks);

constexpr std::size_t cost_term_count = 7;
using CostVector = std::array<double, cost_term_count>;

inline CostVector as_vector(const CostTerms& t) {
  return {t.messages, t.puts, t.stores, t.round_trips, t.global_steps, t.kilobytes, t.copied};
}

}  // namespace sterna::comm
