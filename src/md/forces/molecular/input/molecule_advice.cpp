#include "md/forces/molecular/input/molecule_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/input/component_frames.hpp"
#include "md/model/contact_distance.hpp"
#include "md/model/largest_sigma.hpp"

namespace sterna::md {
namespace {

double length_of(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

/// The largest distance of a site from the center of mass.
double radius_of(const Component& component) {
  double radius = 0.0;
  const auto add = [&radius](const auto& sites) {
    for (const auto& site : sites) radius = std::max(radius, length_of(site.position));
  };
  add(component.lennard_jones);
  add(component.charges);
  add(component.dipoles);
  add(component.quadrupoles);
  return radius;
}

bool is_polar(const Component& component) {
  return !component.charges.empty() || !component.dipoles.empty();
}

class MoleculeAdviser {
 public:
  MoleculeAdviser(const Input& input, const SystemFacts& facts, const Report& report)
      : input_(input), facts_(facts), report_(report) {
    for (const Input::Component& component : input.components) {
      components_.push_back(component_from_input(component, input.units));
    }
  }

  void advise() {
    density();
    for (std::size_t n = 0; n < components_.size(); ++n) {
      inertia(n);
      frame(n);
      cutoff_of_sites(n);
    }
    electrostatics();
  }

 private:
  void add(Severity severity, std::string_view place, std::string message) {
    report_(severity, place, std::move(message));
  }
  std::string text(double value, Dimension dimension) const {
    return input_.units.text(value, dimension);
  }

  /// Advice on molecules that start with random orientations.
  void density() {
    if (components_.empty() || !facts_.particles || !facts_.box || !input_.molecules.empty())
      return;
    if (input_.start.kind == StartKind::file || input_.minimizes()) return;
    const double density = static_cast<double>(*facts_.particles) / facts_.box->volume();
    double contact = 0.0;
    for (const Component& component : components_) {
      contact = std::max(contact, contact_distance(component));
    }
    // The distance of neighbors in a face-centered lattice.
    const double spacing = std::cbrt(std::numbers::sqrt2 / density);
    if (0.9 * contact <= spacing) return;
    add(Severity::advice, "start.density",
        fmt::format("molecules are {} apart at this density and reach {}: with random "
                    "orientations some overlap at the start; minimize first (integrator = "
                    "\"minimize\" in [run])",
                    text(spacing, Dimension::length), text(contact, Dimension::length)));
  }

  void inertia(std::size_t n) {
    const Component& component = components_[n];
    const std::string place = fmt::format("component[{}].inertia", n);
    const Vec3& i = component.inertia;
    const double sum = i.x + i.y + i.z, largest = std::max({i.x, i.y, i.z});
    if (largest > (1.0 + 1e-6) * (sum - largest)) {
      add(Severity::warning, place,
          fmt::format("no body has moments of inertia of {}, {} and {}: none can be larger than "
                      "the other two together",
                      text(i.x, Dimension::moment_of_inertia),
                      text(i.y, Dimension::moment_of_inertia),
                      text(i.z, Dimension::moment_of_inertia)));
    }
    const bool directed = !component.dipoles.empty() || !component.quadrupoles.empty();
    if (largest == 0.0 && (directed || radius_of(component) > 0.0)) {
      add(Severity::warning, place,
          fmt::format("molecules {} cannot turn, since all their mass is in one point; \"inertia\" "
                      "would let them",
                      quote(component.name)));
    }
  }

  void frame(std::size_t n) {
    if (input_.start.kind != StartKind::file) return;
    const BodyFrame frame = body_frame_of(input_.components[n]);
    if (frame.center == Vec3{} && frame.orientation == Quaternion{}) return;
    const Quaternion& q = frame.orientation;
    add(Severity::advice, fmt::format("component[{}]", n),
        fmt::format("the sites of {} are not given in its principal axes about its center of mass: "
                    "positions in start files are those of the center, and orientations (w, x, y, "
                    "z) turn axes that lie at ({:.6g}, {:.6g}, {:.6g}, {:.6g}) to those of the "
                    "sites",
                    quote(input_.components[n].name), q.w, q.x, q.y, q.z));
  }

  void cutoff_of_sites(std::size_t n) {
    const Component& component = components_[n];
    const double radius = radius_of(component), cutoff = input_.interaction.cutoff;
    if (!(radius > 0.0) || input_.interaction.molecular_cutoff != MolecularCutoff::center_of_mass)
      return;
    const double contact = 1.122462048309373 * largest_sigma(component);
    const double nearest = cutoff - 2.0 * radius;
    if (nearest >= contact) return;
    add(Severity::warning, "interaction.cutoff",
        fmt::format("sites of {} are up to {} from its center of mass: with a cutoff of {} between "
                    "the centers two of them may touch and not interact. At least {} is needed",
                    quote(component.name), text(radius, Dimension::length),
                    text(cutoff, Dimension::length),
                    text(contact + 2.0 * radius, Dimension::length)));
  }

  void electrostatics() {
    const auto& interaction = input_.interaction;
    const bool polar = std::ranges::any_of(components_, is_polar);
    if (interaction.electrostatics == CutoffElectrostatics::reaction_field) {
      const bool dipoles = std::ranges::any_of(
          components_, [](const Component& c) { return length_of(dipole_of(c)) > 0.0; });
      if (!dipoles) {
        add(Severity::warning, "interaction.electrostatics",
            "the reaction field has no effect: no molecule has a dipole");
      }
      return;
    }
    if (!polar || input_.electrostatics.is_used()) return;
    const bool charges =
        std::ranges::any_of(components_, [](const Component& c) { return !c.charges.empty(); });
    if (charges && interaction.molecular_cutoff == MolecularCutoff::site) {
      add(Severity::warning, "interaction.molecular_cutoff",
          "charges are cut off one by one, so that a part of a neutral molecule may interact and "
          "the rest not: forces jump and energy drifts. \"center_of_mass\" keeps molecules whole");
    }
    if (charges) {
      add(Severity::warning, "interaction.electrostatics",
          "charges of molecules are cut off, although they act at any distance: energies, "
          "pressures "
          "and the order of molecules depend on the cutoff. [electrostatics] with kind = \"fmm\" "
          "computes the whole; electrostatics = \"reaction_field\" takes the rest for a "
          "dielectric");
    }
    const bool dipoles =
        std::ranges::any_of(components_, [](const Component& c) { return !c.dipoles.empty(); });
    if (dipoles && !charges) {
      add(Severity::advice, "interaction.electrostatics",
          "dipoles are cut off, although they reach beyond any cutoff; electrostatics = "
          "\"reaction_field\" takes the rest for a dielectric");
    }
  }

  const Input& input_;
  const SystemFacts& facts_;
  const Report& report_;
  std::vector<Component> components_;
};

}  // namespace

void advise_on_components(const Input& input, const SystemFacts& facts, const Report& report) {
  MoleculeAdviser(input, facts, report).advise();
}

}  // namespace sterna::md
