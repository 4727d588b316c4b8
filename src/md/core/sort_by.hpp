#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace sterna::md {

/// The order of 0 ... `count` - 1 sorted by `before`; items that compare equal keep their order.
std::vector<std::size_t> stable_order(std::size_t count,
                                      const std::function<bool(std::size_t, std::size_t)>& before);

/// Sorts by a key; values with equal keys keep their order. The sort is compiled once for all
/// types, because std::stable_sort takes longer to compile than most files that call it. It is as
/// fast as std::stable_sort for values that are expensive to move, but slower for small ones.
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
