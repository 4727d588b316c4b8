#include "comm/sparse/largest_count.hpp"

#include <limits>

namespace sterna::comm {

namespace {
std::size_t largest = std::numeric_limits<int>::max();
}  // namespace

std::size_t largest_count() {
  return largest;
}
void set_largest_count(std::size_t count) {
  largest = count;
}

}  // namespace sterna::comm
