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

/// Empty where `method` works in this context, otherwise the reason why not.
std::string why_neighbor_method_unavailable(const Context& context, std::string_view method);
std::string why_sparse_method_unavailable(const Context& context, std::string_view method);

/// The method in use and why: shown at the end of a run.
struct Verdict {
  std::string exchange;  ///< which exchange: "halo positions"
  std::string method;    ///< stable name
  std::string text;      ///< the reason in words
  std::size_t rounds = 0;
  double median_us = 0.0;         ///< this rank's median time of a round
  std::size_t bytes_sent = 0;     ///< this rank, all rounds
  std::size_t messages_sent = 0;  ///< this rank, all rounds
};

}  // namespace sterna::comm
