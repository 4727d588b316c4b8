#include "comm/tune/race.hpp"

#include <algorithm>
#include <utility>

namespace sterna::comm {

Race::Race(std::span<const std::size_t> candidates, RaceRules rules) : rules_(std::move(rules)) {
  for (const std::size_t candidate : candidates) entrants_.push_back({candidate});
}

void Race::note(double us) {
  if (timed()) entrants_[turn()].times.add(us);
  ++entrants_[turn()].rounds;
  if (++round_ < untimed(lap_) + stage().rounds) return;
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

std::size_t Race::leader() const {
  return std::ranges::min_element(entrants_, {}, &Entrant::us)->candidate;
}

double Race::leader_us() const {
  return std::ranges::min_element(entrants_, {}, &Entrant::us)->us;
}

double Race::lost_us() const {
  double lost = 0.0;
  for (const auto* those : {&entrants_, &dropped_}) {
    for (const Entrant& e : *those) lost += e.rounds * std::max(0.0, e.us - leader_us());
  }
  return lost;
}

double Race::next_loss_us() const {
  double loss = 0.0;
  for (const Entrant& e : entrants_) loss += rounds_of_each() * (e.us - leader_us());
  return loss;
}

int Race::stage_rounds() const {
  return rounds_of_each() * static_cast<int>(entrants_.size());
}

int Race::rounds_of_each() const {
  int rounds = 0;
  for (int lap = 0; lap < stage().laps; ++lap) rounds += untimed(lap) + stage().rounds;
  return rounds;
}

std::size_t Race::winner(std::size_t incumbent) const {
  const auto best = std::ranges::min_element(entrants_, {}, &Entrant::us);
  const auto old = std::ranges::find(entrants_, incumbent, &Entrant::candidate);
  if (old != entrants_.end() && old->us <= rules_.keep_incumbent * best->us) return incumbent;
  return best->candidate;
}

void Race::remove(std::size_t candidate) {
  std::erase_if(entrants_, [&](const Entrant& e) { return e.candidate == candidate; });
  // The lap begins again; earlier measurements are kept.
  block_ = 0;
  round_ = 0;
}

}  // namespace sterna::comm
