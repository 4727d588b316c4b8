#include "md/model/truncation.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace sterna::md {

Truncation truncation_by_name(std::string_view name) {
  constexpr std::pair<std::string_view, Truncation> names[] = {
      {"truncated", Truncation::truncated},
      {"shifted", Truncation::shifted},
      {"force_shifted", Truncation::force_shifted},
      {"switched", Truncation::switched},
      {"quintic_switched", Truncation::quintic_switched},
      {"force_switched", Truncation::force_switched},
      {"cubic_force_switched", Truncation::cubic_force_switched}};
  for (const auto& [known, truncation] : names) {
    if (known == name) return truncation;
  }
  throw std::invalid_argument("unknown truncation: " + std::string(name));
}

}  // namespace sterna::md
