// Idea:    one replica walks over all states, and the weight of a state falls each time that it is
//          likely. The gain of these changes falls as 1 / t, once all states have been found.
// Source:  Lyubartsev et al., J. Chem. Phys. 96, 1776 (1992), for expanded ensembles; Chodera and
//          Shirts, J. Chem. Phys. 135, 194110 (2011), for states drawn given a configuration; Tan,
//          J. Comput. Graph. Stat. 26, 54 (2017), for the gain in two stages and changes by the
//          probabilities of all states.
// Cost:    K energies and K exponentials of each replica.
// Hazards: a state that overlaps with no other one is not found, and weights do not settle.
// Others:  Wang and Landau's changes of the visited state alone, halved where visits are flat, do not
//          converge, as their gain falls too fast.

#include "md/ensemble/state_weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "md/output/checkpoint_file.hpp"

namespace sterna::md {
namespace {

/// By which the gain falls in the first stage, t to the minus this.
constexpr double first_power = 0.8;
/// The least share of its equal part that each state must have had in the second half of all draws
/// when weights settle, and the least number of draws for each state.
constexpr double flat = 0.8;
constexpr std::int64_t least_draws = 16;

}  // namespace

StateWeights::StateWeights(std::size_t states, std::span<const double> fixed)
    : adapts_(fixed.empty()), weights_(states, 0.0), shares_(states, 0.0), visits_(states, 0) {
  for (std::size_t k = 0; k < fixed.size(); ++k) weights_[k] = fixed[k] - fixed[0];
}

double StateWeights::gain() const {
  const auto t = static_cast<double>(count_);
  const double least = 1.0 / static_cast<double>(weights_.size());
  if (settled_at_ == 0) return std::min(least, std::pow(t, -first_power));
  const auto settled = static_cast<double>(settled_at_);
  return std::min(least, 1.0 / (t - settled + std::pow(settled, first_power)));
}

bool StateWeights::is_flat() const {
  const auto states = static_cast<double>(weights_.size());
  const double sum = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  return static_cast<double>(count_) >= static_cast<double>(least_draws) * states &&
         std::ranges::all_of(shares_, [&](double share) { return share >= flat * sum / states; }) &&
         std::ranges::all_of(visits_, [](std::int64_t visits) { return visits > 0; });
}

std::size_t StateWeights::jump(std::span<const double> reduced, double random) {
  const std::size_t states = weights_.size();
  std::vector<double> chances(states);
  double largest = weights_[0] - reduced[0];
  for (std::size_t k = 0; k < states; ++k) largest = std::max(largest, weights_[k] - reduced[k]);
  double sum = 0.0;
  for (std::size_t k = 0; k < states; ++k) {
    chances[k] = std::exp(weights_[k] - reduced[k] - largest);
    sum += chances[k];
  }
  std::size_t drawn = 0;
  for (double passed = chances[0]; drawn + 1 < states && random * sum >= passed;) {
    passed += chances[++drawn];
  }
  ++visits_[drawn];
  ++count_;
  if (!adapts_) return drawn;
  const double change = gain() * static_cast<double>(states);
  for (std::size_t k = 0; k < states; ++k) {
    const double chance = chances[k] / sum;
    shares_[k] += chance;
    weights_[k] -= change * chance;
  }
  const double first = weights_[0];
  for (double& weight : weights_) weight -= first;
  if (std::has_single_bit(static_cast<std::uint64_t>(count_))) {
    if (settled_at_ == 0 && is_flat()) settled_at_ = count_;
    std::ranges::fill(shares_, 0.0);
  }
  return drawn;
}

Json StateWeights::state() const {
  return {{"weights", exact_array(weights_)},
          {"shares", exact_array(shares_)},
          {"visits", visits_},
          {"count", count_},
          {"settled_at", settled_at_}};
}

void StateWeights::restore(const Json& state) {
  const std::vector<double> shares = exact_values(state.at("shares"));
  const std::vector<double> weights = exact_values(state.at("weights"));
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    shares_[k] = shares.at(k);
    if (adapts_) weights_[k] = weights.at(k);
  }
  state.at("visits").get_to(visits_);
  state.at("count").get_to(count_);
  state.at("settled_at").get_to(settled_at_);
}

}  // namespace sterna::md
