#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "md/input/atom_groups.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/space_cells.hpp"

namespace sterna::md {
namespace {

struct FlowProfileOptions : CellOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
};

/// In each cell of space the flux of particles, rho v, the velocity of the mass, and the temperature
/// of what moves about that velocity (Evans and Morriss, Statistical Mechanics of Nonequilibrium
/// Liquids, section 3.3).
class FlowProfile final : public Observer {
 public:
  FlowProfile(const FlowProfileOptions& options, const ObserverRequest& request)
      : Observer("flow_profile", options.interval),
        context_(request.context),
        units_(request.input.units),
        names_(options.groups.empty() ? request.names : options.groups),
        groups_(groups_from_input(request.input, request.topology, options.groups)),
        cells_(options),
        sums_(stride() * cells_.count(), 0.0) {}

  void sample(const Frame& frame) override {
    cells_.place(context_, frame);
    const ParticleStore& particles = frame.particles;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const Position& position = particles.position[i];
      const auto place = cells_.place_of(position.vector());
      if (place.cell == cells_.count()) continue;
      double* const sums = sums_.data() + place.cell * stride();
      const auto type = static_cast<std::size_t>(position.type);
      const Vec3 velocity = cells_.components(particles.velocity[i], place);
      const auto add = [&](std::size_t column) {
        for (int a = 0; a < 3; ++a) sums[3 * column + static_cast<std::size_t>(a)] += velocity[a];
      };
      if (groups_.empty()) add(type);
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (groups_[g].contains(particles.id[i], position, frame.box)) add(g);
      }
      // Virtual sites have no mass, and so no temperature.
      const double mass = frame.masses[type];
      double* const of_mass = sums + 3 * names_.size();
      for (int a = 0; a < 3; ++a) of_mass[a] += mass * velocity[a];
      of_mass[3] += mass;
      of_mass[4] += mass * dot(particles.velocity[i], particles.velocity[i]);
      of_mass[5] += mass > 0.0 ? 1.0 : 0.0;
    }
  }

  std::span<double> sums() override { return sums_; }
  std::vector<double> common() const override { return cells_.state(); }
  void set_common(std::span<const double> values) override { cells_.set_state(values); }

  ObserverReport report(std::span<const double> all_sums) const override {
    const auto unit = [&](Dimension dimension) {
      const std::string label(units_.label(dimension));
      return label.empty() ? "" : "/" + label;
    };
    const auto directions = cells_.vector_directions();
    std::string text =
        fmt::format("# flow, {:.0f} frames\n# {}", cells_.samples(), cells_.header(units_));
    const std::string of_flux = units_.is_reduced()
                                    ? ""
                                    : fmt::format("/{}/{}^3", units_.label(Dimension::velocity),
                                                  units_.label(Dimension::length));
    for (const std::string& name : names_) {
      for (const auto direction : directions) {
        text += fmt::format(" flux_{}_{}{}", name, direction, of_flux);
      }
    }
    for (const auto direction : directions) {
      text += fmt::format(" velocity_{}{}", direction, unit(Dimension::velocity));
    }
    text += fmt::format(" temperature{}\n", unit(Dimension::temperature));
    for (std::size_t cell = 0; cell < cells_.count(); ++cell) {
      const auto sums = all_sums.subspan(cell * stride(), stride());
      text += cells_.row(cell, units_);
      const double volume = cells_.volume(cell);
      for (std::size_t column = 0; column < names_.size(); ++column) {
        for (std::size_t a = 0; a < directions.size(); ++a) {
          const double flux = volume > 0.0 ? sums[3 * column + a] / volume : 0.0;
          text += fmt::format(
              " {:.8g}", units_.from_internal(units_.from_internal(flux, Dimension::number_density),
                                              Dimension::velocity));
        }
      }
      const auto of_mass = sums.subspan(3 * names_.size());
      const double mass = of_mass[3];
      double moving = 0.0;
      for (std::size_t a = 0; a < directions.size(); ++a) {
        const double velocity = mass > 0.0 ? of_mass[a] / mass : 0.0;
        moving += mass * velocity * velocity;
        text += fmt::format(" {:.8g}", units_.from_internal(velocity, Dimension::velocity));
      }
      const double temperature =
          of_mass[5] > 0.0 ? (of_mass[4] - moving) / (3.0 * of_mass[5] * units_.boltzmann()) : 0.0;
      text += fmt::format(" {:.8g}\n", units_.from_internal(temperature, Dimension::temperature));
    }
    return {.text = text};
  }

 protected:
  bool adds_up() const override { return true; }

 private:
  std::size_t stride() const { return 3 * names_.size() + 6; }

  comm::Context context_;
  UnitSystem units_;
  std::vector<std::string> names_;  ///< of the groups, or of the types where there are none
  std::vector<AtomGroup> groups_;
  SpaceCells cells_;
  /// Of each cell: velocities of each type or group, m v, m, m v^2, how many have a mass.
  std::vector<double> sums_;
};

std::unique_ptr<Observer> make_flow_profile(const ObserverRequest& request) {
  return std::make_unique<FlowProfile>(request.input.section<FlowProfileOptions>(), request);
}

void check_flow_profile(const Input& input, const IsGood& is_good, const Report& report) {
  check_group_names(input, is_good, report, "flow_profile.groups",
                    input.section<FlowProfileOptions>().groups, false);
}

void check_flow_profile_in_box(const Input& input, const Box& box, const Report& report) {
  check_cells_in_box(input.section<FlowProfileOptions>(), input, box, "flow_profile", report);
}

}  // namespace

ObserverRow observer::flow_profile() {
  std::vector<KeySchema> keys = cell_keys<FlowProfileOptions>("flow_profile");
  keys.insert(keys.begin(), interval_key<FlowProfileOptions>());
  keys.push_back(groups_key<FlowProfileOptions>(
      "Names of `[[group]]`s whose fluxes are counted in place of those of the types.", "types"));
  return {.schema = {.name = "flow_profile",
                     .description = "Flux of each type, velocity and temperature in slices, in two "
                                    "dimensions, or in shells about a point or a line.",
                     .aliases = {"flux", "velocity_profile", "flux_profile", "streaming"}},
          .keys = std::move(keys),
          .interval = interval_of<FlowProfileOptions>,
          .check = check_flow_profile,
          .check_in_box = check_flow_profile_in_box,
          .make = make_flow_profile,
          .has_changing_numbers = true};
}

}  // namespace sterna::md
