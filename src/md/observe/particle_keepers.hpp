#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::md {

/// Brings what belongs to a particle to the rank that its id stands for, wherever the particle is,
/// so that the past of a particle stays where it is kept.
template <class Item>
class ParticleKeepers {
 public:
  /// `name`: of the exchange. An `Item` has an `id`.
  ParticleKeepers(const comm::Context& context, const std::string& name)
      : ranks_(context.size()),
        to_keepers_(context, {.method = "auto", .name = name, .possible_sources = std::nullopt}) {}

  /// Collective. Sends item_at(0), ... item_at(count - 1). `items` is this rank's share then.
  template <class ItemAt>
  void collect(std::size_t count, const ItemAt& item_at) {
    std::vector<std::size_t> offsets(static_cast<std::size_t>(ranks_) + 1, 0);
    for (std::size_t i = 0; i < count; ++i) ++offsets[keeper(item_at(i).id) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<Item> outgoing(count);
    std::vector<std::size_t> next(offsets.begin(), offsets.end() - 1);
    for (std::size_t i = 0; i < count; ++i) {
      const Item item = item_at(i);
      outgoing[next[keeper(item.id)]++] = item;
    }
    std::vector<int> ranks(static_cast<std::size_t>(ranks_));
    std::iota(ranks.begin(), ranks.end(), 0);
    const auto rows = to_keepers_({ranks, offsets, outgoing});
    items_.assign(rows.items.begin(), rows.items.end());
    std::sort(items_.begin(), items_.end(),
              [](const Item& a, const Item& b) { return a.id < b.id; });
  }

  /// The items by ascending id.
  const std::vector<Item>& items() const { return items_; }

 private:
  /// Multiplicative hashing deals ids out evenly, also where all are multiples of something.
  std::size_t keeper(std::int64_t id) const {
    const std::uint64_t mixed = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>((mixed >> 32) % static_cast<std::uint64_t>(ranks_));
  }

  int ranks_;
  comm::SparseExchange<Item> to_keepers_;
  std::vector<Item> items_;
};

}  // namespace sterna::md
