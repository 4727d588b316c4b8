#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sterna::comm {

/// The properties of a pattern that determine the cost of a method. They are the same on all ranks:
/// if ranks differ, they are those of the busiest one.
struct PatternShape {
  int ranks = 1;
  int ranks_per_node = 1;  ///< the largest number of ranks on a node
  double peers = 0.0;      ///< number of other ranks that a rank sends to in a round
  double bytes = 0.0;      ///< bytes of items that a rank sends in a round, summed over its peers
  double off_node_share = 0.0;  ///< share of the messages that leave the node
  /// in a sparse exchange: their number if they are known, otherwise 0
  double possible_sources = 0.0;
};

/// The operations of one rank in one round of a method, counted and not timed. The time of an
/// operation on a machine is fitted from measurements (cost_model.hpp). The terms count the rank's
/// own operations and those that it waits for; of overlapping operations, only those that do not
/// overlap.
struct CostTerms {
  double messages = 0.0;      ///< received messages that software matches with a receive or probe
  double puts = 0.0;          ///< puts, gets, atomics and notices that a network library carries
  double stores = 0.0;        ///< notices that the processor writes into mapped memory
  double round_trips = 0.0;   ///< waits for an answer: flush, acknowledgment, atomic that fetches
  double global_steps = 0.0;  ///< successive steps of operations in which all ranks take part
  double kilobytes = 0.0;     ///< 1000 bytes that leave the rank
  double copied = 0.0;        ///< 1000 bytes that a processor copies, in addition to packing
};

/// The number of steps of a barrier, or of any collective with little data, among `ranks`.
double global_steps_among(int ranks);

constexpr std::size_t cost_term_count = 7;
using CostVector = std::array<double, cost_term_count>;

inline CostVector as_vector(const CostTerms& t) {
  return {t.messages, t.puts, t.stores, t.round_trips, t.global_steps, t.kilobytes, t.copied};
}

}  // namespace sterna::comm
