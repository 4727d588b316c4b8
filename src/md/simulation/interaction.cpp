#include "md/simulation/interaction.hpp"

#include <algorithm>

#include "md/shortrange/lennard_jones_forces.hpp"

namespace sterna::md {

namespace {

std::vector<Component> components_of(const Input& input) {
  std::vector<Component> components;
  for (const auto& type : input.types) {
    Component component;
    component.name = type.name;
    component.mass = type.mass;
    component.lennard_jones = {{{}, type.epsilon, type.sigma}};
    components.push_back(component);
  }
  return components;
}

LennardJones potential_of(const Input& input) {
  const std::size_t count = input.types.size();
  const Mixing rule =
      input.interaction.mixing == "geometric" ? Mixing::geometric : Mixing::lorentz_berthelot;
  std::vector<LennardJones::PairParameters> pairs(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      pairs[a * count + b] = mix(rule, {input.types[a].epsilon, input.types[a].sigma},
                                 {input.types[b].epsilon, input.types[b].sigma});
    }
  }
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(
        std::find_if(input.types.begin(), input.types.end(),
                     [&](const auto& type) { return type.name == name; }) -
        input.types.begin());
  };
  for (const auto& pair : input.pairs) {
    const std::size_t a = index(pair.first), b = index(pair.second);
    for (const std::size_t place : {a * count + b, b * count + a}) {
      if (pair.epsilon) pairs[place].epsilon = *pair.epsilon;
      if (pair.sigma) pairs[place].sigma = *pair.sigma;
    }
  }
  return LennardJones(pairs, static_cast<int>(count), input.interaction.cutoff,
                      truncation_by_name(input.interaction.truncation),
                      input.interaction.switch_start);
}

}  // namespace

Interaction::Interaction(const Input& input)
    : precision_(input.run.precision == "mixed" ? Precision::mixed : Precision::double_precision),
      kernels_(input.interaction.kernel),
      with_tail_(input.interaction.tail_correction),
      components_(components_of(input)),
      potential_(potential_of(input)) {}

std::vector<std::string> Interaction::names() const {
  std::vector<std::string> names;
  for (const Component& component : components_) names.push_back(component.name);
  return names;
}

std::vector<double> Interaction::masses() const {
  std::vector<double> masses;
  for (const Component& component : components_) masses.push_back(component.mass);
  return masses;
}

std::vector<Vec3> Interaction::inertia() const {
  std::vector<Vec3> inertia;
  for (const Component& component : components_) inertia.push_back(component.inertia);
  return inertia;
}

std::unique_ptr<ShortRangeForces> Interaction::make_forces() const {
  return std::make_unique<LennardJonesForces>(potential_, precision_, kernels_);
}

LennardJones::TailCorrection Interaction::tail_correction(std::span<const double> counts,
                                                          double volume) const {
  if (!with_tail_) return {0.0, 0.0};
  return potential_.tail_correction(counts, volume);
}

double Interaction::largest_sigma() const {
  double sigma = 0.0;
  for (const Component& component : components_) {
    for (const auto& site : component.lennard_jones) sigma = std::max(sigma, site.sigma);
  }
  return sigma;
}

double Interaction::smallest_sigma() const {
  double sigma = largest_sigma();
  for (const Component& component : components_) {
    for (const auto& site : component.lennard_jones) sigma = std::min(sigma, site.sigma);
  }
  return sigma;
}

double Interaction::largest_epsilon() const {
  double epsilon = 0.0;
  for (const Component& component : components_) {
    for (const auto& site : component.lennard_jones) epsilon = std::max(epsilon, site.epsilon);
  }
  return epsilon;
}

}  // namespace sterna::md
