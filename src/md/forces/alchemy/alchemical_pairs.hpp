#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "md/model/soft_core.hpp"

namespace sterna::md {

/// The potentials of pairs of types of which one is alchemical, between states A and B, with soft cores
/// and with what lies beyond their cutoffs.
class AlchemicalPairs {
 public:
  /// u and -u'/r.
  struct Value {
    double energy, force_over_r;
  };
  using Curve = std::function<Value(double r)>;
  /// The potential of two types, as the rows of the neighbor list would have it.
  struct Pair {
    Curve curve{};        ///< empty: none
    double cutoff = 0.0;  ///< length
    double size = 0.0;    ///< length; the outermost zero of the potential
    /// The integrals of r^2 u and of r^2 (r f) that the truncation removes. `near_tail` is the part
    /// of the first below the switching distance, where a particle is no neighbor of itself.
    double tail_energy = 0.0, tail_virial = 0.0, near_tail = 0.0;
    double sigma6 = 0.0;  ///< sixth power of the size in the soft core, which this class computes
  };
  /// `of_a`: of all pairs of types, row by row. `of_b`: likewise in state B; empty: there are none.
  AlchemicalPairs(std::vector<Pair> of_a, std::vector<Pair> of_b, const SoftCore& core);

  std::size_t types() const { return types_; }
  double range() const { return range_; }
  bool act(std::int64_t a, std::int64_t b) const {
    return pair_of(a, b).curve || pair_of_b(a, b) != nullptr;
  }
  /// What both have in state A.
  const Pair& pair_of(std::int64_t a, std::int64_t b) const {
    return of_a_[static_cast<std::size_t>(a) * types_ + static_cast<std::size_t>(b)];
  }
  /// The potential of two types at a lambda, and its derivative by lambda.
  Value between(std::int64_t a, std::int64_t b, double r_squared, double lambda) const;
  double slope_between(std::int64_t a, std::int64_t b, double r_squared, double lambda) const;

  /// Computes the tails of particles of these numbers by type, of which so many are alchemical.
  void count(std::span<const double> counts, std::span<const double> alchemical);
  /// Energy and virial of the tails at a lambda, and the derivative of the energy; 0 without `count`.
  double tail_energy(double lambda, double volume) const {
    return (1.0 - lambda) * tail_.at(volume) + lambda * tail_of_b_.at(volume);
  }
  double tail_virial(double lambda, double volume) const {
    return ((1.0 - lambda) * tail_.virial + lambda * tail_of_b_.virial) / volume;
  }
  double tail_slope(double volume) const { return tail_of_b_.at(volume) - tail_.at(volume); }

 private:
  /// Tails of one state, times the volume. The energy is less by `near`.
  struct Tail {
    double energy = 0.0, virial = 0.0, near = 0.0;
    double at(double volume) const { return energy / volume - near; }
  };
  const Pair* pair_of_b(std::int64_t a, std::int64_t b) const {
    if (of_b_.empty()) return nullptr;
    const Pair& pair = of_b_[static_cast<std::size_t>(a) * types_ + static_cast<std::size_t>(b)];
    return pair.curve ? &pair : nullptr;
  }
  /// 1 - lambda times a potential, as energy and force over distance, and the derivative by lambda.
  static Value softened(const Pair& pair, const SoftCore& core, double r_squared, double lambda);
  static double softened_slope(const Pair& pair, const SoftCore& core, double r_squared,
                               double lambda);
  Tail tail_of(const std::vector<Pair>& pairs, std::span<const double> counts,
               std::span<const double> alchemical) const;

  std::vector<Pair> of_a_, of_b_;
  SoftCore core_;
  std::size_t types_;
  double range_ = 0.0;
  Tail tail_, tail_of_b_;
};

}  // namespace sterna::md
