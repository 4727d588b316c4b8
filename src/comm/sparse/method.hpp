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

/// What a method is made from. The same on all ranks but for the possible sources.
struct SparseSetting {
  Context context;
  std::string exchange_name;     ///< name in errors
  std::string_view method_name;  ///< name in errors
  std::size_t item_size;         ///< bytes
  /// Ascending, unique, without this rank.
  std::optional<std::vector<int>> possible_sources;
};

/// `count` > 0 items to another rank.
struct OutgoingRow {
  int destination;
  const std::byte* items;
  std::size_t count;
};

/// One round as a method sees it. The rows lie in one array, ascending in memory, each destination
/// once. What this rank sends to itself is not among them; the exchange copies it.
struct OutgoingRound {
  std::uint64_t number;  ///< from 1
  std::span<const OutgoingRow> rows;
  std::size_t self_count;  ///< items to this rank itself
};

/// A method to move the rows of a round between ranks whose receivers do not know their sources.
/// Made and used collectively, never on a single rank.
class SparseMethod {
 public:
  virtual ~SparseMethod() = default;
  /// Announces what came, arranges and fills `incoming` (in which the row of this rank itself may
  /// be announced already). The outgoing items are free when it returns. Returns the number of
  /// messages sent.
  virtual std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) = 0;
  /// Collective, and only of methods whose row says so: ends what only all ranks together can end.
  virtual void end() {}
  /// In place of `end` after a failure: keeps memory that others may write into until the exit.
  virtual void keep_until_exit() {}
};

}  // namespace sterna::comm
