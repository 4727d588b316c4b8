#include "md/core/keyed_permutation.hpp"

#include <cmath>

namespace sterna::md {

KeyedPermutation::KeyedPermutation(std::uint64_t size, const RandomStream& stream)
    : size_(size), stream_(stream) {
  left_radix_ = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(size)));
  if (left_radix_ < 1) left_radix_ = 1;
  right_radix_ = (size + left_radix_ - 1) / left_radix_;
}

std::uint64_t KeyedPermutation::operator()(std::uint64_t item) const {
  constexpr std::uint64_t double_rounds = 4;
  do {
    std::uint64_t left = item % left_radix_;
    std::uint64_t right = item / left_radix_;
    for (std::uint64_t round = 0; round < double_rounds; ++round) {
      left = (left + stream_.sequence(right, 2 * round).below(left_radix_)) % left_radix_;
      right = (right + stream_.sequence(left, 2 * round + 1).below(right_radix_)) % right_radix_;
    }
    item = left + left_radix_ * right;
  } while (item >= size_);
  return item;
}

}  // namespace sterna::md
