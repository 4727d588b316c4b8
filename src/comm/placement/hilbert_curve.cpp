// The position on the curve is found as J. Skilling describes it (Programming the Hilbert curve,
// AIP Conf. Proc. 707, 381 (2004)): from the highest bit down, each cell's sub-cube is turned or
// mirrored so that the curve enters and leaves where its neighbors expect it; the bits, dimension
// after dimension, then are a Gray code of the position.
#include "comm/placement/hilbert_curve.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

namespace sterna::comm {
namespace {

std::uint64_t position_on_curve(std::vector<std::uint32_t> point, int bits) {
  const std::size_t dimensions = point.size();
  for (int bit = bits - 1; bit > 0; --bit) {
    const std::uint32_t half = std::uint32_t{1} << bit;
    const std::uint32_t below = half - 1;
    for (std::uint32_t& coordinate : point) {
      if ((coordinate & half) != 0) {
        point[0] ^= below;
      } else {
        const std::uint32_t difference = (point[0] ^ coordinate) & below;
        point[0] ^= difference;
        coordinate ^= difference;
      }
    }
  }
  for (std::size_t i = 1; i < dimensions; ++i) point[i] ^= point[i - 1];
  std::uint32_t flips = 0;
  for (int bit = bits - 1; bit > 0; --bit) {
    if ((point.back() >> bit & 1) != 0) flips ^= (std::uint32_t{1} << bit) - 1;
  }
  std::uint64_t position = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    for (const std::uint32_t coordinate : point) {
      position = position << 1 | ((coordinate ^ flips) >> bit & 1);
    }
  }
  return position;
}

}  // namespace

std::vector<int> along_hilbert_curve(std::span<const int> sizes) {
  const int largest = sizes.empty() ? 1 : *std::ranges::max_element(sizes);
  const int bits = std::bit_width(static_cast<unsigned>(largest - 1));
  const bool fits = static_cast<std::size_t>(bits) * sizes.size() <= 64;
  std::vector<std::pair<std::uint64_t, int>> order;
  std::vector<std::uint32_t> point(sizes.size());
  const int count = std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
  for (int number = 0; number < count; ++number) {
    int rest = number;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      point[i] = static_cast<std::uint32_t>(rest % sizes[i]);
      rest /= sizes[i];
    }
    order.emplace_back(fits ? position_on_curve(point, bits) : 0, number);
  }
  std::ranges::sort(order);
  std::vector<int> numbers;
  for (const auto& [position, number] : order) numbers.push_back(number);
  return numbers;
}

}  // namespace sterna::comm
