#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// True if a round of the method may wait inside a call of MPI. The deadline cannot throw there: it
/// ends the job with the same message.
enum class BlocksInMpi {
  never,
  /// MPI moves data only with the target's help: between nodes, and with MPICH also within a node.
  for_help,
  /// The wait of each round is for all ranks of the context, so these must start their exchanges in
  /// one order.
  always,
};

/// The traits of a method, which tests, selection and simulations ask for in place of its name.
struct MethodTraits {
  BlocksInMpi blocks_in_mpi = BlocksInMpi::never;
  /// True if the error of a wait says which ranks are late, and not only that some are.
  bool names_late_rank = true;
  /// True if the method serves peers on other nodes.
  bool between_nodes = true;
  /// True if rounds need no synchronization only if items flow both ways. A link that carries items
  /// one way then returns a notice.
  bool one_way_takes_notice = false;
  /// True if a method of sparse exchange needs `SparseOptions::possible_sources`.
  bool needs_possible_sources = false;
  /// True if only all ranks together can end the method.
  bool ends_together = false;
};

/// A row of a family's table, as users see it (`sterna methods`, the docs, the tests).
struct MethodInfo {
  std::string_view name;         ///< the stable name: "nbx"
  std::string_view description;  ///< one line of text
  std::string_view needs;        ///< transports and conditions: "rdma", "all peers on one node"
  std::span<const std::string_view> aliases = {};  ///< names in the literature and elsewhere
  MethodTraits traits = {};
};

/// All methods of the family, in the order of the table.
std::span<const MethodInfo> neighbor_methods();
std::span<const MethodInfo> sparse_methods();

/// Returns the method of `methods` with this name. If there is none, returns those whose name or
/// alias agrees when capitals, spaces, "-" and "_" do not count.
std::vector<MethodInfo> methods_called(std::span<const MethodInfo> methods, std::string_view name);

/// Returns "unknown sparse method "PCX"; did you mean "reduce_scatter"? Valid are: auto, alltoall,
/// ...". `family`: "sparse". An alias, even a misspelled one, leads to the method's name.
std::string unknown_method_message(std::string_view family, std::string_view typed,
                                   std::span<const MethodInfo> methods);

/// Says in words what a rank does in a round of `method` with this many peers: "12 puts and
/// notices, 4.8 kB sent". All ranks are on one node; `bytes` is the sum over all peers.
std::string work_of_neighbor_method(std::string_view method, int ranks, double peers, double bytes);
std::string work_of_sparse_method(std::string_view method, int ranks, double peers, double bytes);

/// The file in which the tuner keeps measurements of exchanges made from now on; empty if none.
std::string machine_file(const Context& context);

/// Returns the reason why `method` does not work in this context; empty if it works.
std::string why_neighbor_method_unavailable(const Context& context, std::string_view method);
std::string why_sparse_method_unavailable(const Context& context, std::string_view method);

/// The measurements and estimates of one method of the family, for one exchange.
struct MethodEvidence {
  std::string method = {};
  /// "chosen", "slower", "not measured", "unavailable", or "failed" (when the exchange wanted to
  /// use it).
  std::string state = {};
  double median_us = 0.0;    ///< largest of the ranks' medians; 0 if not measured
  double model_us = 0.0;     ///< estimate of the cost model; 0 if not asked
  std::size_t rounds = 0;    ///< rounds that were timed in this run
  std::size_t outliers = 0;  ///< of these rounds, on this rank: longer than eight times its median
  std::string why = {};      ///< why slower, unavailable or not measured, in words
};

/// What this rank sent to one rank in all rounds of an exchange. If a method sends by way of other
/// ranks, these are the items that this rank passed on for that rank.
struct SentToRank {
  int rank = 0;
  std::size_t bytes = 0;  ///< bytes of items
  /// The number of rounds with a message to that rank. A neighbor exchange sends one in each round,
  /// even without items; a sparse exchange sends one only if there are items.
  std::size_t messages = 0;
};

/// Adds `more` to `sum`, rank by rank. Both ascend by rank, and so does the result.
void add_sent(std::vector<SentToRank>& sum, std::span<const SentToRank> more);

/// The method in use and the reason for it, as shown at the end of a run.
struct Verdict {
  std::string exchange = {};  ///< name of the exchange: "halo positions"
  std::string method = {};    ///< stable name of the method
  std::string text = {};      ///< the reason in words
  std::size_t rounds = 0;
  double median_us = 0.0;         ///< this rank's median time of a round
  std::size_t bytes_sent = 0;     ///< sum over all rounds of this rank
  std::size_t messages_sent = 0;  ///< sum over all rounds of this rank
  std::size_t times_decided = 0;  ///< number of choices by measurement; 0 if the method was named
  /// Sums by destination, in ascending order; ranks that received nothing are left out.
  std::vector<SentToRank> sent = {};
  /// All methods of the family, if the method is "auto".
  std::vector<MethodEvidence> candidates = {};
};

}  // namespace sterna::comm
