#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace sterna::md {

/// A set of ids, to find one that occurs twice. It takes a bit for each id if ids are about as
/// dense as 1 ... N, in any order, and at worst some fifty bytes for each.
class IdSet {
 public:
  /// Inserts an id; false if the set has it already. `id` must not be negative.
  bool insert(std::int64_t id) {
    const auto place = static_cast<std::uint64_t>(id);
    // The bits may take at most 8 bytes for each id inserted so far.
    if (place >= 64 * (inserted_ + 1024)) return insert_sparse(id);
    if (place / 64 >= bits_.size()) grow(place / 64 + 1);
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if ((bits_[place / 64] & bit) != 0) return false;
    if (!sparse_.empty() && sparse_.contains(id)) return false;
    bits_[place / 64] |= bit;
    ++inserted_;
    return true;
  }

 private:
  bool insert_sparse(std::int64_t id) {
    if (!sparse_.insert(id).second) return false;
    ++inserted_;
    return true;
  }
  void grow(std::size_t words) { bits_.resize(words + words / 2); }

  std::vector<std::uint64_t> bits_;
  std::unordered_set<std::int64_t> sparse_;
  std::uint64_t inserted_ = 0;
};

}  // namespace sterna::md
