#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// Whether a round of a method may wait inside a call of MPI. There the deadline cannot throw: it
/// ends the job with the same message.
enum class BlocksInMpi {
  never,
  /// Where MPI moves data only with the target's help: between nodes, with MPICH also in a node.
  for_help,
  /// In each round, for all ranks of the context: these must start their exchanges in one order.
  always,
};

/// What tests, selection and simulations must know of a method, so that none of them asks for names.
struct MethodTraits {
  BlocksInMpi blocks_in_mpi = BlocksInMpi::never;
  /// Whether the error of a wait says which ranks are late, or only that some are.
  bool names_late_rank = true;
  /// Whether it serves peers on other nodes.
  bool between_nodes = true;
  /// Whether its rounds need no synchronization only where items flow both ways: a link that carries
  /// them one way brings a notice back.
  bool one_way_takes_notice = false;
  /// Sparse exchange: whether it needs `SparseOptions::possible_sources`.
  bool needs_possible_sources = false;
  /// Whether the ranks can only end it together.
  bool ends_together = false;
};

/// One row of a family's table, as users see it (`sterna methods`, the docs, the tests).
struct MethodInfo {
  std::string_view name;         ///< stable: "nbx"
  std::string_view description;  ///< one line
  std::string_view needs;        ///< transports and conditions: "rdma", "all peers on one node"
  std::span<const std::string_view> aliases = {};  ///< what the literature and others call it
  MethodTraits traits = {};
};

/// Every registered method of the family, in the order of the table.
std::span<const MethodInfo> neighbor_methods();
std::span<const MethodInfo> sparse_methods();

/// The one of `methods` that has this name, or else those that have this name or alias when capitals,
/// spaces, "-" and "_" do not count.
std::vector<MethodInfo> methods_called(std::span<const MethodInfo> methods, std::string_view name);

/// unknown sparse method "PCX"; did you mean "reduce_scatter"? Valid are: auto, alltoall, ...
/// `family`: "sparse". Aliases, also misspelled ones, lead to the name.
std::string unknown_method_message(std::string_view family, std::string_view typed,
                                   std::span<const MethodInfo> methods);

/// What a rank does in a round of `method` with that many peers, in words: "12 puts and notices,
/// 4.8 kB sent". All ranks on one node; `bytes`: to all peers together.
std::string work_of_neighbor_method(std::string_view method, int ranks, double peers, double bytes);
std::string work_of_sparse_method(std::string_view method, int ranks, double peers, double bytes);

/// Where the tuner keeps what it measures, for exchanges made from now on; empty: nowhere.
std::string machine_file(const Context& context);

/// Empty where `method` works in this context, otherwise the reason why not.
std::string why_neighbor_method_unavailable(const Context& context, std::string_view method);
std::string why_sparse_method_unavailable(const Context& context, std::string_view method);

/// What is known of one method of the family, for one exchange.
struct MethodEvidence {
  std::string method = {};
  /// "chosen", "slower", "not measured", "unavailable", or "failed" (when it was to be used).
  std::string state = {};
  double median_us = 0.0;    ///< largest of the ranks' medians; 0: not measured
  double model_us = 0.0;     ///< what the cost model expects; 0: not asked
  std::size_t rounds = 0;    ///< that were timed, in this run
  std::size_t outliers = 0;  ///< of these, on this rank: more than eight times its median
  std::string why = {};      ///< why slower, unavailable or not measured, in words
};

/// What this rank sent to one rank in all rounds of an exchange. Of a method that sends by way of
/// other ranks it is what this rank handed over for that one.
struct SentToRank {
  int rank = 0;
  std::size_t bytes = 0;  ///< of items
  /// Rounds with a message to that rank. A neighbor exchange sends one in each round, also without
  /// items; a sparse exchange only where there are items.
  std::size_t messages = 0;
};

/// Adds to each rank of `sum` what `more` has of it; both ascend by rank, and so does the result.
void add_sent(std::vector<SentToRank>& sum, std::span<const SentToRank> more);

/// The method in use and why: shown at the end of a run.
struct Verdict {
  std::string exchange = {};  ///< which exchange: "halo positions"
  std::string method = {};    ///< stable name
  std::string text = {};      ///< the reason in words
  std::size_t rounds = 0;
  double median_us = 0.0;         ///< this rank's median time of a round
  std::size_t bytes_sent = 0;     ///< this rank, all rounds
  std::size_t messages_sent = 0;  ///< this rank, all rounds
  std::size_t times_decided = 0;  ///< by measurement: 0 where the method was named
  /// By destination, ascending; ranks that nothing went to are not in it.
  std::vector<SentToRank> sent = {};
  /// With "auto": every method of the family.
  std::vector<MethodEvidence> candidates = {};
};

}  // namespace sterna::comm
