#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/json.hpp"

namespace sterna::md {

/// The weights g of an expanded ensemble, in which a configuration x is in the state k with the
/// probability exp(g_k - u_k(x)) / sum. Where g_k - g_0 is the free energy of the state, all states
/// are visited equally often. Weights adapt until then, or stay as given.
class StateWeights {
 public:
  /// `fixed`: the weights of all states; empty: they adapt.
  StateWeights(std::size_t states, std::span<const double> fixed);

  /// Draws a state for a configuration from its reduced energies, by a random number from 0 to 1,
  /// and adapts the weights.
  std::size_t jump(std::span<const double> reduced, double random);

  const std::vector<double>& values() const { return weights_; }  ///< that of state 0 is 0
  bool adapts() const { return adapts_; }
  /// Whether all states have been found, so that weights only become more precise.
  bool are_settled() const { return !adapts_ || settled_at_ > 0; }
  const std::vector<std::int64_t>& visits() const { return visits_; }

  Json state() const;
  void restore(const Json& state);

 private:
  double gain() const;
  bool is_flat() const;

  bool adapts_;
  std::vector<double> weights_;
  /// Sums of the probabilities of each state since as many draws as the last power of 2.
  std::vector<double> shares_;
  std::vector<std::int64_t> visits_;  ///< by state
  std::int64_t count_ = 0, settled_at_ = 0;
};

}  // namespace sterna::md
