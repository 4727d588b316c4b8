#include "comm/sparse/incoming_rows.hpp"

#include <algorithm>

namespace sterna::comm {

void IncomingRows::clear() {
  announced_.clear();
  sources_.clear();
  offsets_.assign(1, 0);
}

void IncomingRows::announce(int source, std::size_t count) {
  announced_.push_back({source, count});
}

void IncomingRows::arrange() {
  std::sort(announced_.begin(), announced_.end(),
            [](const Row& a, const Row& b) { return a.source < b.source; });
  for (const Row& row : announced_) {
    sources_.push_back(row.source);
    offsets_.push_back(offsets_.back() + row.count);
  }
  items_.discard_and_reserve(offsets_.back() * item_size_);
}

std::size_t IncomingRows::index(int source) const {
  const auto found = std::lower_bound(sources_.begin(), sources_.end(), source);
  return static_cast<std::size_t>(found - sources_.begin());
}

std::byte* IncomingRows::row(int source) const {
  return items_.data() + offsets_[index(source)] * item_size_;
}

std::size_t IncomingRows::bytes(int source) const {
  const std::size_t at = index(source);
  return (offsets_[at + 1] - offsets_[at]) * item_size_;
}

}  // namespace sterna::comm
