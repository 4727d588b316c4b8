#include "comm/tune/drift.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sterna::comm {
namespace {

constexpr double time_factor = 1.5;
constexpr double pattern_factor = 2.0;

/// True if the two differ by more than `factor`; values below `least` count as `least`.
bool differs(double now, double before, double factor, double least) {
  const double a = std::max(now, least);
  const double b = std::max(before, least);
  return a > factor * b || b > factor * a;
}

}  // namespace

std::string Drift::look(const Look& now) {
  if (!first_) {
    first_ = now;
    return {};
  }
  std::string reason;
  if (differs(now.messages, first_->messages, pattern_factor, 1.0)) {
    reason =
        fmt::format("{:.3g} messages a round instead of {:.3g}", now.messages, first_->messages);
  } else if (differs(now.bytes, first_->bytes, pattern_factor, 256.0)) {
    reason = fmt::format("{:.4g} bytes a round instead of {:.4g}", now.bytes, first_->bytes);
  } else if (differs(now.us, first_->us, time_factor, 1.0)) {
    reason = fmt::format("{:.1f} us a round instead of {:.1f}", now.us, first_->us);
  }
  const bool again = suspect_ && !reason.empty();
  suspect_ = !reason.empty();
  return again ? reason : std::string();
}

}  // namespace sterna::comm
