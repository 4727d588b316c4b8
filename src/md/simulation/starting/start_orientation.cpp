#include "md/simulation/starting/start_orientation.hpp"

#include <cmath>
#include <numbers>

namespace sterna::md {

Quaternion StartOrientation::draw(std::int64_t id) const {
  auto sequence = stream_.sequence(static_cast<std::uint64_t>(id), 0);
  const double share = sequence.uniform();
  const double first = 2.0 * std::numbers::pi * sequence.uniform();
  const double second = 2.0 * std::numbers::pi * sequence.uniform();
  const double a = std::sqrt(1.0 - share), b = std::sqrt(share);
  return {b * std::cos(second), a * std::sin(first), a * std::cos(first), b * std::sin(second)};
}

}  // namespace sterna::md
