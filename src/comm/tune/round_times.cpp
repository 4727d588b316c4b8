#include "comm/tune/round_times.hpp"

#include <algorithm>

namespace sterna::comm {

double RoundTimes::median() const {
  if (us_.empty()) return 0.0;
  std::vector<double> sorted = us_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

std::size_t RoundTimes::outliers() const {
  const double limit = 8.0 * median();
  return static_cast<std::size_t>(
      std::ranges::count_if(us_, [&](double us) { return us > limit; }));
}

}  // namespace sterna::comm
