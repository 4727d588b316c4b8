#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace sterna::md {

/// 0 to `count` - 1, such that none comes `before` one that is earlier; others keep their order.
std::vector<std::size_t> stable_order(std::size_t count,
                                      const std::function<bool(std::size_t, std::size_t)>& before);

/// Sorts by a key; values with equal keys keep their order. The sort itself is compiled once for
/// all types: that of the standard library takes longer to compile than most files that would
/// call it. It is no slower than that for values that are long to move, but slower for small ones.
template <class T, class Key>
void sort_by(std::vector<T>& values, const Key& key) {
  const std::vector<std::size_t> order =
      stable_order(values.size(), [&](std::size_t a, std::size_t b) {
        return std::invoke(key, values[a]) < std::invoke(key, values[b]);
      });
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::size_t k : order) sorted.push_back(std::move(values[k]));
  values = std::move(sorted);
}

}  // namespace sterna::md
