// Idea:    Newton's direction, with an inverse Hessian from the changes of forces along the last
//          steps. All products of the vectors that make up the direction are reduced at once, so a
//          step takes two reductions, however many steps are remembered. There is no line search: a
//          limit of the displacement, reduced after a step that went too far, keeps the method
//          stable, and every force computation is a step.
// Source:  Liu and Nocedal, Math. Program. 45, 503 (1989); products in place of vectors: Chen, Wang
//          and Zhou, Adv. Neural Inf. Process. Syst. 27, 1332 (2014).
// Cost:    one force computation per step; memory for 16 vectors per particle.
// Hazards: the remembered steps hold only for one order of the particles and are dropped with new
//          lists. While particles still move far, few steps are remembered.
// Others:  "minimize", if far from the minimum or if particles overlap.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "md/integrate/integrators/minimizer.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// The number of remembered steps.
constexpr std::size_t most_pairs = 8;

/// The first displacement, also after a direction that was not downhill, relative to the largest.
constexpr double first_share = 0.1;
constexpr double limit_growth = 1.2;
constexpr double limit_shrinkage = 0.5;

using Motions = std::vector<Vec3>;

double product(const Motions& a, const Motions& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += dot(a[k], b[k]);
  return sum;
}

class Lbfgs final : public Minimizer {
 public:
  explicit Lbfgs(const IntegratorRequest& request)
      : Minimizer(request), limit_(maximum_displacement()) {}

  void advance(ParticleStore& particles, MotionStages& stages) override {
    stages.begin_drift();
    const Motions force = forces(particles);
    double squared = product(force, force), largest = largest_force(particles);
    comm::ReductionBatch(context(), "minimization").sum(squared).max(largest).run();
    begin_paths(0.0);
    add_path(maximum_displacement());
    if (is_converged(squared, largest, stages.step())) {
      stop(particles);
    } else {
      if (has_last_) remember(particles, force);
      step(particles, force);
    }
    stages.end_drift(1.0);
  }
  void particles_were_sorted() override {
    pairs_.clear();
    has_last_ = false;
  }

  // The store's velocities are the displacements of the last step, so the time step is 1.
  double timestep() const override { return 1.0; }
  double largest_timestep() const override { return 1.0; }

  std::vector<double> state() const override { return {limit_}; }
  void set_state(const std::vector<double>& state) override { limit_ = state.at(0); }

 private:
  /// A step, and the force before it minus the force after it.
  struct Pair {
    Motions path, change;
  };

  Motions forces(const ParticleStore& particles) const {
    Motions all;
    all.reserve(particles.local_count());
    for_each_motion(particles, [&](std::size_t, bool, const Vec3& f) { all.push_back(f); });
    return all;
  }

  /// Remembers the last step, as constraints have corrected it.
  void remember(const ParticleStore& particles, const Motions& force) {
    Pair pair;
    for_each_motion(particles, [&](std::size_t i, bool turn, const Vec3&) {
      pair.path.push_back(turn ? particles.angular_momentum[i] : particles.velocity[i]);
    });
    for (std::size_t k = 0; k < force.size(); ++k) {
      pair.change.push_back(last_force_[k] - force[k]);
    }
    double curvature = product(pair.path, pair.change), path = product(pair.path, pair.path);
    double change = product(pair.change, pair.change), slope = product(pair.path, force);
    comm::ReductionBatch(context(), "minimization")
        .sum(curvature)
        .sum(path)
        .sum(change)
        .sum(slope)
        .run();
    // The force along the step was `curvature + slope` at its beginning, and is `slope` at its end.
    const bool went_too_far = slope < -0.5 * std::abs(curvature + slope);
    limit_ = went_too_far ? limit_shrinkage * limit_
                          : std::min(limit_growth * limit_, maximum_displacement());
    // If the energy is not convex along the step, the step says nothing about a minimum.
    if (!(curvature > 1e-10 * std::sqrt(path * change))) return;
    if (pairs_.size() == most_pairs) pairs_.erase(pairs_.begin());
    pairs_.push_back(std::move(pair));
  }

  /// The vectors that make up the direction: paths, changes, and the force.
  std::vector<const Motions*> basis(const Motions& force) const {
    std::vector<const Motions*> vectors;
    for (const Pair& pair : pairs_) vectors.push_back(&pair.path);
    for (const Pair& pair : pairs_) vectors.push_back(&pair.change);
    vectors.push_back(&force);
    return vectors;
  }

  void step(ParticleStore& particles, const Motions& force) {
    std::vector<const Motions*> vectors = basis(force);
    std::vector<double> weights = direction(vectors);
    if (weights.empty()) {
      pairs_.clear();
      vectors = {&force};
      weights = {1.0};
    }
    Motions path(force.size());
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      for (std::size_t k = 0; k < path.size(); ++k) path[k] += weights[v] * (*vectors[v])[k];
    }
    double longest = 0.0;
    for (const Vec3& of_one : path) longest = std::max(longest, dot(of_one, of_one));
    comm::ReductionBatch(context(), "minimization").max(longest).run();
    longest = std::sqrt(longest);
    double scale = pairs_.empty() ? first_share * limit_ / longest : 1.0;
    scale = std::min(scale, limit_ / longest);

    std::size_t k = 0;
    for_each_motion(particles, [&](std::size_t i, bool turn, const Vec3&) {
      const Vec3 of_one = scale * path[k++];
      (turn ? particles.angular_momentum[i] : particles.velocity[i]) = of_one;
      displace(particles, i, turn, of_one);
    });
    last_force_ = force;
    has_last_ = true;
  }

  /// The weights of the vectors in the direction; empty if it does not lead downhill.
  std::vector<double> direction(const std::vector<const Motions*>& vectors) const {
    const std::size_t count = vectors.size(), pairs = pairs_.size();
    std::vector<double> products(count * count);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a; b < count; ++b) {
        products[a * count + b] = product(*vectors[a], *vectors[b]);
      }
    }
    comm::ReductionBatch(context(), "minimization").sum(products.data(), products.size()).run();
    const auto of = [&](std::size_t a, std::size_t b) {
      return products[std::min(a, b) * count + std::max(a, b)];
    };
    std::vector<double> weights(count, 0.0);
    weights.back() = 1.0;
    const auto along = [&](std::size_t vector) {
      double sum = 0.0;
      for (std::size_t b = 0; b < count; ++b) sum += weights[b] * of(vector, b);
      return sum;
    };
    // The two loops of Liu and Nocedal over the remembered steps: backward, then forward.
    std::vector<double> alpha(pairs);
    for (std::size_t p = pairs; p-- > 0;) {
      alpha[p] = along(p) / of(p, pairs + p);
      weights[pairs + p] -= alpha[p];
    }
    if (pairs > 0) {
      const std::size_t last = pairs - 1;
      const double scale = of(last, pairs + last) / of(pairs + last, pairs + last);
      for (double& weight : weights) weight *= scale;
    }
    for (std::size_t p = 0; p < pairs; ++p) {
      weights[p] += alpha[p] - along(pairs + p) / of(p, pairs + p);
    }
    return along(count - 1) > 0.0 ? weights : std::vector<double>();
  }

  std::vector<Pair> pairs_;  ///< oldest first
  Motions last_force_;       ///< before the last step
  bool has_last_ = false;    ///< false after sorting; the same on all ranks
  double limit_;             ///< of the longest displacement in a step
};

}  // namespace

IntegratorRow integrator::lbfgs() {
  return {.name = "lbfgs",
          .sentence =
              "\"lbfgs\" goes downhill by L-BFGS, which reaches a minimum in few steps where "
              "particles are already near it.",
          .equations =
              "s = the last steps, y = the changes of -F along them\n"
              "x → x + H(s, y) F, no particle farther than a limit",
          .remarks =
              "The limit is `maximum_displacement` in [minimize], and half of the last one "
              "after a step that went too far. What it knows of the last eight steps "
              "is forgotten when the neighbor list is rebuilt. The run ends when no component of a "
              "force exceeds `force_tolerance`. Atoms of constraints move along them, and "
              "rigid molecules turn.",
          .source =
              "Liu and Nocedal, Math. Program. 45, 503 (1989), in the form of Chen, Wang and "
              "Zhou, Adv. Neural Inf. Process. Syst. 27, 1332 (2014)",
          .aliases = {"l-bfgs", "L-BFGS", "bfgs", "LBFGS"},
          .minimizes = true,
          .make = make_integrator<Lbfgs>};
}

}  // namespace sterna::md
