#include "comm/family/round_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sterna::comm {

double RoundRecord::median_us() const {
  const std::size_t count = std::min(timed_rounds_, times_.size());
  if (count == 0) return 0.0;
  std::vector<double> times(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(count));
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

Verdict RoundRecord::verdict(const std::string& exchange_name, std::uint64_t rounds,
                             const std::optional<Tuner>& tuner, std::string_view method,
                             std::string_view reason) const {
  Verdict verdict{.exchange = exchange_name,
                  .rounds = rounds,
                  .median_us = median_us(),
                  .bytes_sent = bytes_,
                  .messages_sent = messages_};
  for (const auto& [rank, sent] : sent_) verdict.sent.push_back(sent);
  if (tuner) {
    tuner->explain(verdict);
  } else {
    verdict.method = method;
    verdict.text = fmt::format("{} {:.1f} us ({})", method, verdict.median_us, reason);
  }
  return verdict;
}

void add_sent(std::vector<SentToRank>& sum, std::span<const SentToRank> more) {
  for (const SentToRank& one : more) {
    const auto place = std::ranges::lower_bound(sum, one.rank, {}, &SentToRank::rank);
    if (place == sum.end() || place->rank != one.rank) {
      sum.insert(place, one);
    } else {
      place->bytes += one.bytes;
      place->messages += one.messages;
    }
  }
}

}  // namespace sterna::comm
