#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sterna::md {

/// The steps of what a resumed run finds in a file that has something every so many steps.
struct KeptSteps {
  std::optional<std::int64_t> last;
  std::int64_t spacing = 0;  ///< between the last two; 0: there are none

  void add(std::int64_t step) {
    spacing = step - last.value_or(step);
    last = step;
  }
  /// The first step up to `end` that should be there and is not. `interval`: that of the run, which
  /// may be another one than before; 0: not known.
  std::optional<std::int64_t> first_missing(std::int64_t interval, std::int64_t end) const;
};

/// FileError where steps up to `end` are missing, for a file that has a damaged frame at this byte:
/// that one and all behind it are about to be dropped.
void require_no_loss(const KeptSteps& kept, std::int64_t interval, std::int64_t end,
                     const std::string& path, std::uint64_t byte);

}  // namespace sterna::md
