// Idea:    replicas exchange states by Metropolis' rule on reduced energies, or by many random pairs,
//          which samples the permutations themselves.
// Source:  Sugita and Okamoto, Chem. Phys. Lett. 314, 141 (1999), for temperatures; Okabe et al.,
//          Chem. Phys. Lett. 335, 435 (2001), for pressures; Chodera and Shirts, J. Chem. Phys. 135,
//          194110 (2011), for Gibbs sampling; Syed et al., J. R. Stat. Soc. B 84, 321 (2022), for
//          even and odd pairs by turns.
// Cost:    K energies of each replica; no energies beyond the present one for temperatures.
// Hazards: Gibbs sampling needs energies of all states, however far away.

#include "md/ensemble/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "md/core/random.hpp"

namespace sterna::md {
namespace {

/// Delta of the sum of the reduced energies. Differences are of one replica each, so that equal
/// states give 0 and no rounding error.
double delta_of(const ReducedEnergies& u, const ExchangeAttempt& attempt) {
  const auto [i, j] = attempt.states;
  const auto [a, b] = attempt.replicas;
  return (u[b][i] - u[b][j]) + (u[a][j] - u[a][i]);
}

/// Random pairs for each state in an attempt by Gibbs sampling. As many as all pairs times all
/// states mix the permutation well.
std::int64_t gibbs_pairs(std::size_t states) {
  const auto count = static_cast<std::int64_t>(states);
  return count * count * count;
}

}  // namespace

std::vector<ExchangeAttempt> Exchanger::exchange(const ReducedEnergies& energies, std::int64_t step,
                                                 std::int64_t count,
                                                 std::vector<std::size_t>& state_of) const {
  using Exchange = ReplicasSection::Exchange;
  std::vector<ExchangeAttempt> attempts;
  if (kind_ == Exchange::none || kind_ == Exchange::expanded) return attempts;
  const std::size_t states = state_of.size();
  std::vector<std::size_t> replica_in(states);
  for (std::size_t replica = 0; replica < states; ++replica) {
    replica_in[state_of[replica]] = replica;
  }
  const RandomStream stream(seed_, RandomPurpose::exchange);
  const auto attempt = [&](std::size_t i, std::size_t j, RandomSequence& random) {
    ExchangeAttempt made{.states = {i, j}, .replicas = {replica_in[i], replica_in[j]}};
    made.delta = delta_of(energies, made);
    made.random = random.uniform();
    made.accepted = made.delta <= 0.0 || made.random < std::exp(-made.delta);
    if (made.accepted) {
      std::swap(state_of[made.replicas[0]], state_of[made.replicas[1]]);
      std::swap(replica_in[i], replica_in[j]);
    }
    attempts.push_back(made);
  };
  if (kind_ == Exchange::neighbors) {
    for (auto i = static_cast<std::size_t>(count % 2); i + 1 < states; i += 2) {
      RandomSequence random = stream.sequence(i, static_cast<std::uint64_t>(step));
      attempt(i, i + 1, random);
    }
    return attempts;
  }
  RandomSequence random = stream.sequence(states, static_cast<std::uint64_t>(step));
  for (std::int64_t pair = 0; pair < gibbs_pairs(states); ++pair) {
    const std::size_t i = random.below(states), j = random.below(states - 1);
    attempt(i, j < i ? j : j + 1, random);
  }
  return attempts;
}

ExchangeStatistics::ExchangeStatistics(std::size_t states, std::span<const std::size_t> first)
    : states_(states),
      pairs_(states - 1),
      transitions_(states * states, 0),
      round_trips_(first.size(), 0) {
  for (const std::size_t state : first) heading_.push_back(state == 0 ? 1 : 0);
}

void ExchangeStatistics::add(std::span<const ExchangeAttempt> attempts,
                             std::span<const std::size_t> before,
                             std::span<const std::size_t> after) {
  ++count_;
  for (const ExchangeAttempt& attempt : attempts) {
    const auto [low, high] = std::minmax(attempt.states[0], attempt.states[1]);
    if (high != low + 1) continue;
    ++pairs_[low].attempts;
    pairs_[low].accepted += attempt.accepted ? 1 : 0;
  }
  for (std::size_t replica = 0; replica < before.size(); ++replica) {
    ++transitions_[before[replica] * states_ + after[replica]];
    if (after[replica] == 0) {
      round_trips_[replica] += heading_[replica] == 2 ? 1 : 0;
      heading_[replica] = 1;
    } else if (after[replica] + 1 == states_ && heading_[replica] == 1) {
      heading_[replica] = 2;
    }
  }
}

std::vector<std::vector<double>> ExchangeStatistics::transition_matrix() const {
  std::vector<std::vector<double>> matrix(states_, std::vector<double>(states_, 0.0));
  const auto both = [&](std::size_t i, std::size_t j) {
    return static_cast<double>(transitions_[i * states_ + j] + transitions_[j * states_ + i]);
  };
  for (std::size_t i = 0; i < states_; ++i) {
    // Where all states are in use at any time, each row and each column sums up to the count.
    double all = 0.0;
    for (std::size_t j = 0; j < states_; ++j) all += both(i, j);
    for (std::size_t j = 0; j < states_; ++j) matrix[i][j] = both(i, j) / std::max(all, 1.0);
  }
  return matrix;
}

double ExchangeStatistics::second_eigenvalue() const {
  // Jacobi's rotations: the matrix is small, and it is symmetric after a change of its basis by the
  // roots of how often each state was visited.
  auto a = transition_matrix();
  for (std::size_t i = 0; i < states_; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      a[i][j] = a[j][i] = std::sqrt(a[i][j] * a[j][i]);
    }
  }
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0.0;
    for (std::size_t p = 0; p < states_; ++p) {
      for (std::size_t q = p + 1; q < states_; ++q) {
        off += a[p][q] * a[p][q];
        if (a[p][q] == 0.0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
        for (std::size_t k = 0; k < states_; ++k) {
          const double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < states_; ++k) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
        }
      }
    }
    if (off < 1e-24) break;
  }
  std::vector<double> values;
  for (std::size_t k = 0; k < states_; ++k) values.push_back(a[k][k]);
  std::ranges::sort(values, std::greater());
  return values.size() > 1 ? values[1] : 1.0;
}

Json ExchangeStatistics::state() const {
  Json attempts = Json::array(), accepted = Json::array();
  for (const Pair& pair : pairs_) {
    attempts.push_back(pair.attempts);
    accepted.push_back(pair.accepted);
  }
  return {{"count", count_},
          {"attempts", attempts},
          {"accepted", accepted},
          {"transitions", transitions_},
          {"round_trips", round_trips_},
          {"heading", heading_}};
}

void ExchangeStatistics::restore(const Json& state) {
  state.at("count").get_to(count_);
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    state.at("attempts").at(k).get_to(pairs_[k].attempts);
    state.at("accepted").at(k).get_to(pairs_[k].accepted);
  }
  state.at("transitions").get_to(transitions_);
  state.at("round_trips").get_to(round_trips_);
  state.at("heading").get_to(heading_);
}

}  // namespace sterna::md
