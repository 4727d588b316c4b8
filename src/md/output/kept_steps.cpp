#include "md/output/kept_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "md/core/file_error.hpp"

namespace sterna::md {

std::optional<std::int64_t> KeptSteps::first_missing(std::int64_t interval,
                                                     std::int64_t end) const {
  const std::int64_t apart = std::max(interval, spacing);
  const std::int64_t next = last.value_or(-apart) + apart;
  if (apart == 0 || next > end) return {};
  return next;
}

void require_no_loss(const KeptSteps& kept, std::int64_t interval, std::int64_t end,
                     const std::string& path, std::uint64_t byte) {
  const auto missing = kept.first_missing(interval, end);
  if (!missing) return;
  throw FileError(fmt::format(
      "{}: the frame at byte {} is damaged, and the run would go on without those from step {} to "
      "{}; put it right, or move the file away",
      path, byte, *missing, end));
}

}  // namespace sterna::md
