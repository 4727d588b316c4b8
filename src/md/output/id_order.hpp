#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The order of arbitrary distinct ids: the slot of an id is the number of smaller ids. Slots are
/// divided into ranges, and ranges into blocks, one for each rank.
struct IdOrder {
  /// The first id of each range; larger than all ids for an empty range. Empty if ids are 1 ... N.
  std::vector<std::int64_t> first_ids;
  /// The ids of this rank's block, ascending. Empty if ids are 1 ... N.
  std::vector<std::int64_t> block_ids;
  std::string failure;  ///< not empty where an id came twice; this rank's view

  bool is_plain() const { return first_ids.empty(); }
};

/// Collective. Sorts the ids of all ranks; no rank holds more than about its share. `ids` are those
/// of this rank's particles. `range_begins` has the first slot of each range, then the number of
/// particles. Every rank's block has `ranges_per_block` ranges.
IdOrder order_ids(const comm::Context& context, std::span<const std::int64_t> ids,
                  std::span<const std::int64_t> range_begins, std::int64_t ranges_per_block);

}  // namespace sterna::md
