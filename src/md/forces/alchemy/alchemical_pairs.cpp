#include "md/forces/alchemy/alchemical_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace sterna::md {
namespace {

constexpr SoftCore hard_core{.alpha = 0.0, .power = 1, .least_sigma = 0.0};

std::size_t square_root_of(std::size_t square) {
  return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(square))));
}

}  // namespace

AlchemicalPairs::AlchemicalPairs(std::vector<Pair> of_a, std::vector<Pair> of_b,
                                 const SoftCore& core)
    : of_a_(std::move(of_a)),
      of_b_(std::move(of_b)),
      core_(core),
      types_(square_root_of(of_a_.size())) {
  for (std::vector<Pair>* const pairs : {&of_a_, &of_b_}) {
    for (Pair& pair : *pairs) {
      if (!pair.curve) continue;
      range_ = std::max(range_, pair.cutoff);
      pair.sigma6 = std::pow(std::max(pair.size, core_.least_sigma), 6);
    }
  }
}

void AlchemicalPairs::count(std::span<const double> counts, std::span<const double> alchemical) {
  tail_ = tail_of(of_a_, counts, alchemical);
  if (!of_b_.empty()) tail_of_b_ = tail_of(of_b_, counts, alchemical);
}

AlchemicalPairs::Tail AlchemicalPairs::tail_of(const std::vector<Pair>& all,
                                               std::span<const double> counts,
                                               std::span<const double> alchemical) const {
  Tail tail;
  for (std::size_t a = 0; a < types_; ++a) {
    for (std::size_t b = 0; b < types_; ++b) {
      // The types of alchemical molecules are theirs alone.
      if (alchemical[a] == 0.0 && alchemical[b] == 0.0) continue;
      const Pair& pair = all[a * types_ + b];
      const double pairs = 2.0 * std::numbers::pi * counts[a] * counts[b];
      tail.energy += pairs * pair.tail_energy;
      tail.virial += pairs * pair.tail_virial;
      if (a == b) tail.near += 0.5 * counts[a] * pair.near_tail;
    }
  }
  return tail;
}

AlchemicalPairs::Value AlchemicalPairs::softened(const Pair& pair, const SoftCore& core,
                                                 double r_squared, double lambda) {
  if (lambda == 1.0) return {0.0, 0.0};
  const SoftCore::Distance s = core.at(r_squared, pair.sigma6, lambda);
  if (s.softened >= pair.cutoff) return {0.0, 0.0};
  const Value value = pair.curve(s.softened);
  const double on = 1.0 - lambda;
  return {on * value.energy, on * value.force_over_r * s.softened * s.by_square};
}

double AlchemicalPairs::softened_slope(const Pair& pair, const SoftCore& core, double r_squared,
                                       double lambda) {
  const SoftCore::Distance s = core.at(r_squared, pair.sigma6, lambda);
  if (s.softened >= pair.cutoff) return 0.0;
  const Value value = pair.curve(s.softened);
  return -value.energy - (1.0 - lambda) * value.force_over_r * s.softened * s.by_lambda;
}

AlchemicalPairs::Value AlchemicalPairs::between(std::int64_t a, std::int64_t b, double r_squared,
                                                double lambda) const {
  const Pair& from = pair_of(a, b);
  const Pair* const to = pair_of_b(a, b);
  // Two potentials need no soft core, since each keeps the atoms apart.
  const SoftCore& core = from.curve && to != nullptr ? hard_core : core_;
  Value sum{0.0, 0.0};
  if (from.curve) sum = softened(from, core, r_squared, lambda);
  if (to != nullptr) {
    const Value value = softened(*to, core, r_squared, 1.0 - lambda);
    sum = {sum.energy + value.energy, sum.force_over_r + value.force_over_r};
  }
  return sum;
}

double AlchemicalPairs::slope_between(std::int64_t a, std::int64_t b, double r_squared,
                                      double lambda) const {
  const Pair& from = pair_of(a, b);
  const Pair* const to = pair_of_b(a, b);
  const SoftCore& core = from.curve && to != nullptr ? hard_core : core_;
  double slope = 0.0;
  if (from.curve) slope += softened_slope(from, core, r_squared, lambda);
  if (to != nullptr) slope -= softened_slope(*to, core, r_squared, 1.0 - lambda);
  return slope;
}

}  // namespace sterna::md
