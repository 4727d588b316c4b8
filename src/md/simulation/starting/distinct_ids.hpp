#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "md/start/readers/id_set.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/bulk_exchange.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Finds ids that occur twice, on any two ranks. Rank r of n remembers all ids with id % n == r.
class DistinctIds {
 public:
  explicit DistinctIds(const comm::Context& context)
      : ranks_(context.size()),
        exchange_(context, {.method = "auto", .name = "distinct ids", .possible_sources = {}}) {}

  /// Collective. No id may be negative. Returns false on the rank that has seen one of these ids
  /// before.
  bool insert(std::span<const ParticleRecord> records) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(ranks_), 0);
    for (const ParticleRecord& record : records) ++counts[owner(record.id)];
    std::vector<std::int64_t*> next(counts.size(), nullptr);
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      if (counts[rank] == 0) continue;
      next[rank] = exchange_.row(static_cast<int>(rank), counts[rank]).data();
    }
    for (const ParticleRecord& record : records) *next[owner(record.id)]++ = record.id;
    bool are_new = true;
    for (const auto& row : exchange_.exchange()) {
      for (const std::int64_t id : row.items) are_new = seen_.insert(id / ranks_) && are_new;
    }
    exchange_.release();
    return are_new;
  }

 private:
  std::size_t owner(std::int64_t id) const { return static_cast<std::size_t>(id % ranks_); }

  std::int64_t ranks_;
  comm::BulkExchange<std::int64_t> exchange_;
  IdSet seen_;
};

}  // namespace sterna::md
