#include "md/core/sort_by.hpp"

#include <algorithm>
#include <numeric>

namespace sterna::md {

std::vector<std::size_t> stable_order(std::size_t count,
                                      const std::function<bool(std::size_t, std::size_t)>& before) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return before(a, b); });
  return order;
}

}  // namespace sterna::md
