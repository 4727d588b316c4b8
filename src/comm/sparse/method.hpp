#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/sparse/incoming_rows.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// The arguments from which a method is made. They are the same on all ranks, except for the
/// possible sources.
struct SparseSetting {
  Context context;
  std::string exchange_name;     ///< name in errors
  std::string_view method_name;  ///< name in errors
  std::size_t item_size;         ///< bytes
  /// in ascending order, unique, without this rank
  std::optional<std::vector<int>> possible_sources;
};

/// A row of `count` > 0 items to another rank.
struct OutgoingRow {
  int destination;
  const std::byte* items;
  std::size_t count;
};

/// One round as a method sees it. The rows are in one array, ascending in memory, each destination
/// once. Items of this rank to itself are not among them, because the exchange copies them.
struct OutgoingRound {
  std::uint64_t number;  ///< number of the round, from 1
  std::span<const OutgoingRow> rows;
  std::size_t self_count;  ///< number of items to this rank itself
};

/// A method to move the rows of a round between ranks whose receivers do not know their sources. It
/// is made and used collectively, never on a single rank.
class SparseMethod {
 public:
  virtual ~SparseMethod() = default;
  /// Runs a round: announces the arriving rows, arranges and fills `incoming`, in which the row of
  /// this rank itself may be announced already. The outgoing items may be changed when it returns.
  /// Returns the number of messages sent.
  virtual std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) = 0;
  /// Ends the method. Collective. Called only for methods whose row says so (`ends_together`).
  virtual void end() {}
  /// Replaces `end` after a failure: keeps memory that others may write into until the process
  /// exits.
  virtual void keep_until_exit() {}
};

}  // namespace sterna::comm
