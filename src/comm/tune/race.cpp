#include "comm/tune/race.hpp"

#include <algorithm>
#include <utility>

namespace sterna::comm {

Race::Race(std::span<const std::size_t> candidates, RaceRules rules) : rules_(std::move(rules)) {
  for (const std::size_t candidate : candidates) entrants_.push_back({candidate});
}

void Race::note(double us) {
  if (timed()) entrants_[turn()].times.add(us);
  if (++round_ < untimed() + stage().rounds) return;
  round_ = 0;
  if (++block_ < entrants_.size()) return;
  block_ = 0;
  ++lap_;
}

std::vector<double> Race::medians() const {
  std::vector<double> medians;
  for (const Entrant& entrant : entrants_) medians.push_back(entrant.times.median());
  return medians;
}

void Race::decide(std::span<const double> largest) {
  for (std::size_t i = 0; i < entrants_.size(); ++i) entrants_[i].us = largest[i];
  const double limit = stage().drop_above * std::ranges::min(largest);
  const auto slow = std::stable_partition(entrants_.begin(), entrants_.end(),
                                          [&](const Entrant& e) { return e.us <= limit; });
  std::move(slow, entrants_.end(), std::back_inserter(dropped_));
  entrants_.erase(slow, entrants_.end());
  ++stage_;
  lap_ = 0;
}

std::size_t Race::winner(std::size_t incumbent) const {
  const auto best = std::ranges::min_element(entrants_, {}, &Entrant::us);
  const auto old = std::ranges::find(entrants_, incumbent, &Entrant::candidate);
  if (old != entrants_.end() && old->us <= rules_.keep_incumbent * best->us) return incumbent;
  return best->candidate;
}

void Race::remove(std::size_t candidate) {
  std::erase_if(entrants_, [&](const Entrant& e) { return e.candidate == candidate; });
  // The lap begins anew; what was measured stays.
  block_ = 0;
  round_ = 0;
}

}  // namespace sterna::comm
