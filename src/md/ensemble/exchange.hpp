#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/json.hpp"
#include "md/ensemble/state_sections.hpp"

namespace sterna::md {

/// The reduced energies of each replica's configuration in each state: `[replica][state]`.
using ReducedEnergies = std::vector<std::vector<double>>;

/// An attempt to exchange the states of two replicas.
struct ExchangeAttempt {
  std::array<std::size_t, 2> states, replicas;  ///< before the attempt
  double delta = 0.0;                           ///< of the reduced energies; accepted if below 0
  double random = 0.0;                          ///< otherwise if this is below exp(-delta)
  bool accepted = false;
};

/// Exchanges states of replicas by Metropolis' rule. Random numbers follow from seed, step and
/// states alone, so a decision does not depend on who computes what.
class Exchanger {
 public:
  Exchanger(ReplicasSection::Exchange kind, std::uint64_t seed) : kind_(kind), seed_(seed) {}

  /// Changes `state_of`, the state of each replica. `count`: of earlier calls in this run.
  std::vector<ExchangeAttempt> exchange(const ReducedEnergies& energies, std::int64_t step,
                                        std::int64_t count,
                                        std::vector<std::size_t>& state_of) const;

 private:
  ReplicasSection::Exchange kind_;
  std::uint64_t seed_;
};

/// What is reported of exchanges at the end.
class ExchangeStatistics {
 public:
  /// `first`: the state in which each replica begins.
  ExchangeStatistics(std::size_t states, std::span<const std::size_t> first);

  void add(std::span<const ExchangeAttempt> attempts, std::span<const std::size_t> before,
           std::span<const std::size_t> after);

  std::int64_t count() const { return count_; }
  /// Of states k and k + 1.
  struct Pair {
    std::int64_t attempts = 0, accepted = 0;
    double ratio() const {
      return attempts > 0 ? static_cast<double>(accepted) / static_cast<double>(attempts) : 0.0;
    }
  };
  const std::vector<Pair>& pairs() const { return pairs_; }
  /// How many times each replica went from the first state to the last one and back.
  const std::vector<std::int64_t>& round_trips() const { return round_trips_; }
  /// The probability to be in state j after an exchange if in state i before it, made symmetric where
  /// all states are in use at any time.
  std::vector<std::vector<double>> transition_matrix() const;
  /// The second largest eigenvalue of that matrix: 1 if some states are never mixed.
  double second_eigenvalue() const;

  Json state() const;
  void restore(const Json& state);

 private:
  std::size_t states_;
  std::int64_t count_ = 0;
  std::vector<Pair> pairs_;
  std::vector<std::int64_t> transitions_;  ///< from state to state
  std::vector<std::int64_t> round_trips_;
  std::vector<int> heading_;  ///< of each replica: 1 since the first state, 2 since the last one
};

}  // namespace sterna::md
