#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// One row of a family's table, as users see it (`sterna methods`, the docs, the tests).
struct MethodInfo {
  std::string_view name;         ///< as in the literature: "nbx"
  std::string_view description;  ///< one line
  std::string_view needs;        ///< transports and conditions: "rdma", "all peers on one node"
};

/// Every registered method of the family, in the order of the table.
std::span<const MethodInfo> neighbor_methods();
std::span<const MethodInfo> sparse_methods();

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
  /// With "auto": every method of the family.
  std::vector<MethodEvidence> candidates = {};
};

}  // namespace sterna::comm
