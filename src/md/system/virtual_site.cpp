// Idea:    a site made of other sites is a function of the atoms behind them: it stores the rules
//          of all these sites, starting from atoms. The force on it goes back through its own
//          rules. So each site is independent, and positions and forces need no order of sites.
// Source:  Berendsen and van Gunsteren, in "Molecular Liquids: Dynamics and Interactions" (1984),
//          475; the transposes are derived here.
// Cost:    in a chain of sites, each site computes the sites before it again.
// Hazards: axes along vectors without a direction are 0.
// Others:  GROMACS computes sites kind by kind, so a kind can be made only of earlier kinds.

#include "md/system/virtual_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "md/core/cross_product.hpp"

namespace sterna::md {
namespace {

using AxisWeights = VirtualSiteRule::AxisWeights;
/// Vectors from the first point to the points that define the axes: d_1, d_2, d_3.
using Arms = std::array<Vec3, VirtualSiteRule::most_in_axes - 1>;

Vec3 weighted(const AxisWeights& weights, const Arms& d) {
  Vec3 sum;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * d[k];
  return sum;
}

double inverse_length(const Vec3& v) {
  const double squared = dot(v, v);
  return squared > 0.0 ? 1.0 / std::sqrt(squared) : 0.0;
}

/// X, Y, Z = X x Y and the axes of the rule. Kinds without a Y have 0 there, and the axis of a zero
/// vector is 0.
struct Frame {
  Frame(const VirtualSiteRule& rule, const Arms& d)
      : x(weighted(rule.x_weights, d)), y(weighted(rule.y_weights, d)) {
    const Vec3 z = cross(x, y);
    inverse_x = inverse_length(x);
    inverse_z = inverse_length(z);
    ex = inverse_x * x;
    ez = inverse_z * z;
    ey = cross(ez, ex);
  }
  Vec3 x, y, ex, ey, ez;
  double inverse_x, inverse_z;
};

/// The component of `v` perpendicular to a unit vector.
Vec3 across(const Vec3& v, const Vec3& direction) {
  return v - dot(v, direction) * direction;
}

Arms arms_of(const VirtualSite::Step& step, std::span<const Vec3> points) {
  Arms d{};
  const std::size_t count = std::min(step.from.size(), VirtualSiteRule::most_in_axes);
  for (std::size_t k = 1; k < count; ++k) d[k - 1] = points[step.from[k]] - points[step.from[0]];
  return d;
}

Vec3 place_of(const VirtualSite::Step& step, std::span<const Vec3> points) {
  const VirtualSiteRule& rule = step.rule;
  const Vec3 first = points[step.from[0]];
  Vec3 place = first;
  for (std::size_t k = 0; k < rule.weights.size(); ++k) {
    place += rule.weights[k] * (points[step.from[k + 1]] - first);
  }
  if (rule.is_linear()) return place;
  const Arms d = arms_of(step, points);
  if (rule.product != 0.0) place += rule.product * cross(d[0], d[1]);
  if (rule.local != Vec3{}) {
    const Frame frame(rule, d);
    place += rule.local.x * frame.ex + rule.local.y * frame.ey + rule.local.z * frame.ez;
  }
  return place;
}

/// Adds to `forces` on the points of a step the forces that replace `force` on its result.
void spread_step(const VirtualSite::Step& step, std::span<const Vec3> points, const Vec3& force,
                 std::span<Vec3> forces) {
  const VirtualSiteRule& rule = step.rule;
  const auto give = [&](std::size_t k, const Vec3& part) {
    forces[step.from[k]] += part;
    forces[step.from[0]] -= part;
  };
  forces[step.from[0]] += force;
  for (std::size_t k = 0; k < rule.weights.size(); ++k) {
    if (rule.weights[k] != 0.0) give(k + 1, rule.weights[k] * force);
  }
  if (rule.is_linear()) return;
  const Arms d = arms_of(step, points);
  if (rule.product != 0.0) {
    // F . (d_1 x d_2) = d_1 . (d_2 x F) = d_2 . (F x d_1)
    give(1, rule.product * cross(d[1], force));
    give(2, rule.product * cross(force, d[0]));
  }
  if (rule.local == Vec3{}) return;
  // The derivatives of F . (p_x e_x + p_y e_z x e_x + p_z e_z) by the chain rule: first with
  // respect to e_x and e_z, then X and X x Y, then X and Y.
  const Frame frame(rule, d);
  const Vec3 by_ex = rule.local.x * force + rule.local.y * cross(force, frame.ez);
  const Vec3 by_ez = rule.local.z * force + rule.local.y * cross(frame.ex, force);
  const Vec3 by_z = frame.inverse_z * across(by_ez, frame.ez);
  const Vec3 by_x = frame.inverse_x * across(by_ex, frame.ex) + cross(frame.y, by_z);
  const Vec3 by_y = cross(by_z, frame.x);
  const std::size_t count = std::min(step.from.size(), VirtualSiteRule::most_in_axes);
  for (std::size_t k = 0; k + 1 < count; ++k) {
    give(k + 1, rule.x_weights[k] * by_x + rule.y_weights[k] * by_y);
  }
}

/// Expresses each given site in the atoms that it depends on.
class Resolver {
 public:
  explicit Resolver(std::span<const GivenVirtualSite> given) : given_(given) {
    for (std::size_t n = 0; n < given.size(); ++n) number_of_.emplace(given[n].atom, n);
  }

  VirtualSite resolve(std::size_t number) {
    VirtualSite site;
    site.atom = given_[number].atom;
    site.parts = given_[number].parts;
    add_atoms(number, site.atoms);
    begun_.clear();
    points_.clear();
    add_steps(number, site);
    return site;
  }

 private:
  /// Adds all atoms that the site depends on, each once, in the order of its parts.
  void add_atoms(std::size_t number, std::vector<std::int32_t>& atoms) {
    if (std::ranges::find(begun_, number) != begun_.end()) {
      throw CircularVirtualSite(given_[number].atom);
    }
    begun_.push_back(number);
    for (const std::int32_t part : given_[number].parts) {
      const auto inner = number_of_.find(part);
      if (inner != number_of_.end()) {
        add_atoms(inner->second, atoms);
      } else if (std::ranges::find(atoms, part) == atoms.end()) {
        atoms.push_back(part);
      }
    }
    begun_.pop_back();
  }

  /// Appends the steps of the site and of its parts; returns the site's index among the points.
  std::uint32_t add_steps(std::size_t number, VirtualSite& site) {
    const auto known = points_.find(number);
    if (known != points_.end()) return known->second;
    VirtualSite::Step step{given_[number].rule, {}};
    for (const std::int32_t part : given_[number].parts) {
      const auto inner = number_of_.find(part);
      step.from.push_back(inner != number_of_.end()
                              ? add_steps(inner->second, site)
                              : static_cast<std::uint32_t>(std::ranges::find(site.atoms, part) -
                                                           site.atoms.begin()));
    }
    site.steps.push_back(std::move(step));
    const auto point = static_cast<std::uint32_t>(site.atoms.size() + site.steps.size() - 1);
    points_.emplace(number, point);
    return point;
  }

  std::span<const GivenVirtualSite> given_;
  std::map<std::int32_t, std::size_t> number_of_;  ///< index of the site with this atom
  std::vector<std::size_t> begun_;
  std::map<std::size_t, std::uint32_t> points_;
};

}  // namespace

bool VirtualSite::is_linear() const {
  return std::ranges::all_of(steps, [](const Step& step) { return step.rule.is_linear(); });
}

Vec3 VirtualSite::from_first(std::vector<Vec3>& points) const {
  points.resize(atoms.size());
  for (const Step& step : steps) points.push_back(place_of(step, points));
  return points.back();
}

void VirtualSite::spread(std::span<const Vec3> points, const Vec3& force,
                         std::vector<Vec3>& forces) const {
  forces.assign(atoms.size() + steps.size(), Vec3{});
  forces.back() = force;
  for (std::size_t s = steps.size(); s-- > 0;) {
    const Vec3 on_point = forces[atoms.size() + s];
    spread_step(steps[s], points, on_point, forces);
  }
}

CircularVirtualSite::CircularVirtualSite(std::int32_t site)
    : std::invalid_argument(
          fmt::format("the virtual site {} is made of itself, by way of others", site + 1)),
      atom(site) {}

std::vector<VirtualSite> resolved_virtual_sites(std::span<const GivenVirtualSite> given) {
  Resolver resolver(given);
  std::vector<VirtualSite> sites;
  for (std::size_t n = 0; n < given.size(); ++n) sites.push_back(resolver.resolve(n));
  return sites;
}

}  // namespace sterna::md
