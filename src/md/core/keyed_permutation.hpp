#pragma once

#include <cstdint>

#include "md/core/random.hpp"

namespace sterna::md {

/// A random permutation of 0 ... size - 1 that needs no table. `operator()` computes the image of
/// one item alone, so every rank can ask for its own items. A Feistel network of four double rounds
/// (Luby and Rackoff, SIAM J. Comput. 17, 373, 1988) over two mixed radices whose product is
/// slightly above the size; a result beyond the size is sent through the network again.
class KeyedPermutation {
 public:
  /// `size` from 1 to 2^48.
  KeyedPermutation(std::uint64_t size, const RandomStream& stream);

  std::uint64_t size() const { return size_; }
  std::uint64_t operator()(std::uint64_t item) const;

 private:
  std::uint64_t size_;
  std::uint64_t left_radix_;
  std::uint64_t right_radix_;
  RandomStream stream_;
};

}  // namespace sterna::md
