#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The order of ids that are any different numbers: the slot of an id is the number of smaller
/// ones. The slots are cut into ranges, and the ranges into blocks, one for each rank.
struct IdOrder {
  /// Of each range the first id; beyond all ids where it has none. Empty where ids are 1 ... N.
  std::vector<std::int64_t> first_ids;
  /// The ids of this rank's block, ascending. Empty where ids are 1 ... N.
  std::vector<std::int64_t> block_ids;
  std::string failure;  ///< not empty where an id came twice; this rank's view

  bool is_plain() const { return first_ids.empty(); }
};

/// Collective: sorts the ids of all ranks, of which none sees more than about its share. `ids`: of
/// this rank's particles. `range_begins`: the first slot of each range, then the number of
/// particles; every rank's block has `ranges_per_block` ranges.
IdOrder order_ids(const comm::Context& context, std::span<const std::int64_t> ids,
                  std::span<const std::int64_t> range_begins, std::int64_t ranges_per_block);

}  // namespace sterna::md
