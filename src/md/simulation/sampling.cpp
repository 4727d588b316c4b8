#include "md/simulation/sampling.hpp"

#include <algorithm>

namespace sterna::md {

bool Sampling::needs_state(std::int64_t step) const {
  return std::ranges::any_of(observers,
                             [&](const auto& observer) { return is_due(*observer, step); }) ||
         std::ranges::any_of(reporters, [&](const auto& reporter) {
           return reporter->is_due(step) && reporter->needs_state();
         });
}

void Sampling::sample(const Frame& frame) const {
  for (const auto& observer : observers) {
    if (is_due(*observer, frame.step)) observer->sample_once(frame);
  }
}

void Sampling::report(const Frame& frame, bool has_state) const {
  for (const auto& reporter : reporters) {
    if (reporter->needs_state() == has_state && reporter->is_due(frame.step)) {
      reporter->report(frame);
    }
  }
}

}  // namespace sterna::md
