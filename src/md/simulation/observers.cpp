#include "md/simulation/observers.hpp"

#include <algorithm>
#include <cmath>

#include "md/input/molecule_model_from_input.hpp"
#include "md/observe/dielectric.hpp"
#include "md/observe/diffusion.hpp"
#include "md/observe/orientation_order.hpp"
#include "md/observe/pressure_tensor.hpp"
#include "md/observe/profile.hpp"
#include "md/observe/radial_distribution.hpp"
#include "md/observe/site_distribution.hpp"
#include "md/observe/viscosity.hpp"
#include "md/output/checkpoint_file.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {

int axis_index(const std::string& name) {
  return name[0] - 'x';
}

nlohmann::json exact_array(std::span<const double> values) {
  nlohmann::json array = nlohmann::json::array();
  for (const double value : values) array.push_back(exact_text(value));
  return array;
}

std::vector<double> exact_values(const nlohmann::json& array) {
  std::vector<double> values;
  for (const auto& value : array) values.push_back(exact_value(value));
  return values;
}

/// The axis of a molecule that its orientation is told by: that of its dipole moment, or of its
/// rotation symmetry where it is linear, or the body's z axis.
Vec3 body_axis(const Component& component) {
  const Vec3 moment = dipole_of(component);
  if (const double norm = std::sqrt(dot(moment, moment)); norm > 1e-10) {
    return moment * (1.0 / norm);
  }
  Vec3 axis;
  axis[component.inertia.x == 0.0 ? 0 : component.inertia.y == 0.0 ? 1 : 2] = 1.0;
  return axis;
}

}  // namespace

std::vector<std::unique_ptr<Observer>> make_observers(const comm::Context& context,
                                                      const Input& input,
                                                      const std::vector<std::string>& names,
                                                      std::span<const std::int64_t> type_counts) {
  std::vector<std::unique_ptr<Observer>> observers;
  MoleculeModel molecules;
  if (!input.components.empty()) molecules = molecule_model_from_input(input);
  const bool rotating =
      std::any_of(molecules.components.begin(), molecules.components.end(),
                  [](const Component& c) { return c.rotational_degrees_of_freedom() > 0; });
  if (input.rdf.interval > 0 && rotating && input.rdf.sites) {
    observers.push_back(std::make_unique<SiteDistribution>(
        input.rdf.interval, input.interaction.cutoff, input.rdf.maximum, input.rdf.bins, molecules,
        std::vector<std::int64_t>(type_counts.begin(), type_counts.end()), input.units));
  } else if (input.rdf.interval > 0) {
    const double maximum = input.rdf.maximum > 0.0 ? input.rdf.maximum : input.interaction.cutoff;
    observers.push_back(std::make_unique<RadialDistribution>(
        input.rdf.interval, maximum, input.rdf.bins, names,
        std::vector<std::int64_t>(type_counts.begin(), type_counts.end()), input.units));
  }
  if (const auto& profile = input.profile; profile.interval > 0) {
    observers.push_back(std::make_unique<Profile>(context, profile.interval,
                                                  axis_index(profile.axis), profile.bins,
                                                  profile.centered, names, input.units));
  }
  if (const auto& tensor = input.pressure_tensor; tensor.interval > 0) {
    std::optional<int> normal;
    if (tensor.surface_normal != "none") normal = axis_index(tensor.surface_normal);
    observers.push_back(
        std::make_unique<PressureTensor>(context, tensor.interval, normal, input.units));
  }
  if (input.viscosity.interval > 0) {
    observers.push_back(std::make_unique<Viscosity>(context, input.viscosity.interval,
                                                    input.run.timestep, input.units));
  }
  if (const auto& order = input.orientation_order; order.interval > 0 && rotating) {
    std::vector<Vec3> axes;
    for (const Component& component : molecules.components) axes.push_back(body_axis(component));
    observers.push_back(std::make_unique<OrientationOrder>(
        order.interval, axis_index(order.axis), order.bins, names, std::move(axes), input.units));
  }
  if (input.diffusion.interval > 0) {
    observers.push_back(std::make_unique<Diffusion>(context, input.diffusion.interval,
                                                    input.run.timestep, names, input.units));
  }
  if (input.dielectric.interval > 0) {
    std::vector<Vec3> dipoles;
    for (const Input::Component& component : input.components) {
      dipoles.push_back(dipole_of(component_from_input(component, input.units)));
    }
    std::optional<double> around;
    if (input.interaction.electrostatics == "reaction_field") {
      around = input.interaction.reaction_field_epsilon;
    }
    observers.push_back(std::make_unique<Dielectric>(context, input.dielectric.interval,
                                                     std::move(dipoles), around, input.units));
  }
  return observers;
}

std::vector<double> total_sums(const comm::Context& context, Observer& observer) {
  std::vector<double> sums(observer.sums().begin(), observer.sums().end());
  if (!sums.empty()) {
    comm::ReductionBatch batch(context, observer.name());
    batch.sum(sums.data(), sums.size()).run();
  }
  return sums;
}

nlohmann::json state_of_observers(const comm::Context& context,
                                  std::span<const std::unique_ptr<Observer>> observers) {
  nlohmann::json state = nlohmann::json::object();
  for (const auto& observer : observers) {
    state[observer->name()] = {{"sums", exact_array(total_sums(context, *observer))},
                               {"common", exact_array(observer->common())}};
  }
  return state;
}

void restore_observers(const comm::Context& context,
                       std::span<const std::unique_ptr<Observer>> observers,
                       const nlohmann::json& state) {
  for (const auto& observer : observers) {
    if (!state.contains(observer->name())) continue;
    const auto& mine = state[observer->name()];
    const std::vector<double> sums = exact_values(mine["sums"]);
    if (sums.size() != observer->sums().size()) continue;
    observer->set_common(exact_values(mine["common"]));
    // The sum over all ranks goes on where rank 0 counts.
    if (context.rank() == 0) std::copy(sums.begin(), sums.end(), observer->sums().begin());
  }
}

}  // namespace sterna::md
