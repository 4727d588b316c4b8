#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "comm/tune/tuner.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

/// The record that an exchange keeps of its rounds, for the verdict at its end.
class RoundRecord {
 public:
  /// Records the time of a round that was timed.
  void note_time(double us) { times_[timed_rounds_++ % times_.size()] = us; }
  void note_traffic(std::size_t messages, std::size_t bytes) {
    messages_ += messages;
    bytes_ += bytes;
  }

  /// Records a round in which `bytes` of items went to `rank`, if the exchange does not count by
  /// peer.
  void note_sent(int rank, std::size_t bytes) {
    SentToRank& sent = sent_[rank];
    sent.rank = rank;
    sent.bytes += bytes;
    ++sent.messages;
  }

  /// Returns the verdict on `method`, which is in use for the `reason`, if there is no tuner.
  Verdict verdict(const std::string& exchange_name, std::uint64_t rounds,
                  const std::optional<Tuner>& tuner, std::string_view method,
                  std::string_view reason) const;

 private:
  double median_us() const;

  std::size_t bytes_ = 0;
  std::size_t messages_ = 0;
  std::size_t timed_rounds_ = 0;
  std::map<int, SentToRank> sent_;
  std::array<double, 1024> times_{};  ///< times of the latest timed rounds, in us
};

}  // namespace sterna::comm
