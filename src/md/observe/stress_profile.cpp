#include <fmt/format.h>

#include <utility>
#include <vector>

#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/space_cells.hpp"

namespace sterna::md {
namespace {

struct StressProfileOptions : CellOptions {
  std::int64_t interval = 0;
};

/// The pressure in each cell of space, in its directions, by the contour of Irving and Kirkwood (J.
/// Chem. Phys. 18, 817 (1950)): each pair's virial lies evenly along the line between the two
/// particles. So the sum over cells that fill the box is the pressure of all. Pairs have forces along
/// this line, without which the contour is no longer the one of its authors.
class StressProfile final : public Observer {
 public:
  StressProfile(const StressProfileOptions& options, const ObserverRequest& request)
      : Observer("stress_profile", options.interval),
        context_(request.context),
        units_(request.input.units),
        types_(request.input.types.size()),
        cells_(options),
        sums_(2 * width() * cells_.count(), 0.0) {
    for (std::size_t a = 0; a < types_; ++a) {
      for (std::size_t b = 0; b < types_; ++b) {
        functions_.push_back(added_functions_from_input(request.input, a, b));
        functions_.back().push_back(pair_function_from_input(request.input, a, b));
        for (const PairFunction& function : functions_.back()) {
          range_ = std::max(range_, function.cutoff());
        }
      }
    }
  }

  void sample(const Frame& frame) override {
    cells_.place(context_, frame);
    const ParticleStore& particles = frame.particles;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const Position& position = particles.position[i];
      const auto place = cells_.place_of(position.vector());
      if (place.cell == cells_.count()) continue;
      const double mass = frame.masses[static_cast<std::size_t>(position.type)];
      add(place.cell, 0, frame.kinetic_factor * mass, cells_.squares(particles.velocity[i], place));
    }
    // Each pair is visited from both of its particles.
    frame.list.for_each_neighbor(
        particles, range_, [&](std::uint32_t i, std::uint32_t j, double r_squared) {
          const Position &here = particles.position[i], &there = particles.position[j];
          const auto pair =
              static_cast<std::size_t>(here.type) * types_ + static_cast<std::size_t>(there.type);
          double virial = 0.0;
          const double distance = std::sqrt(r_squared);
          for (const PairFunction& function : functions_[pair]) {
            if (distance < function.cutoff()) virial += function.ended_force(distance) * distance;
          }
          const Vec3 along = there.vector() - here.vector();
          for (const SpaceCells::Part& part : cells_.cut(here.vector(), along)) {
            add(part.cell, 1, 0.5 * virial, part.squares);
          }
        });
  }

  std::span<double> sums() override { return sums_; }
  std::vector<double> common() const override { return cells_.state(); }
  void set_common(std::span<const double> values) override { cells_.set_state(values); }

  ObserverReport report(std::span<const double> all_sums) const override {
    const std::string label(units_.label(Dimension::pressure));
    const std::string unit = label.empty() ? "" : "/" + label;
    std::string text = fmt::format(
        "# pressure by the contour of Irving and Kirkwood, {:.0f} "
        "frames\n# {}",
        cells_.samples(), cells_.header(units_));
    for (const char* const kind : {"pressure", "kinetic", "virial"}) {
      for (const auto direction : cells_.tensor_directions()) {
        text += fmt::format(" {}_{}{}", kind, direction, unit);
      }
    }
    text += "\n";
    for (std::size_t cell = 0; cell < cells_.count(); ++cell) {
      const auto sums = all_sums.subspan(cell * 2 * width(), 2 * width());
      const double volume = cells_.volume(cell);
      const auto write = [&](double sum) {
        const double pressure = volume > 0.0 ? sum / volume : 0.0;
        text += fmt::format(" {:.8g}", units_.from_internal(pressure, Dimension::pressure));
      };
      text += cells_.row(cell, units_);
      for (std::size_t a = 0; a < width(); ++a) write(sums[a] + sums[width() + a]);
      for (const double sum : sums) write(sum);
      text += "\n";
    }
    return {.text = text};
  }

 protected:
  bool adds_up() const override { return true; }

 private:
  std::size_t width() const { return cells_.tensor_directions().size(); }
  /// `part`: 0 for motion, 1 for pairs.
  void add(std::size_t cell, std::size_t part, double amount, const Vec3& squares) {
    double* const sums = sums_.data() + (2 * cell + part) * width();
    for (std::size_t a = 0; a < width(); ++a) sums[a] += amount * squares[static_cast<int>(a)];
  }

  comm::Context context_;
  UnitSystem units_;
  std::size_t types_;
  std::vector<std::vector<PairFunction>> functions_;  ///< of each pair of types, all that act
  double range_ = 0.0;
  SpaceCells cells_;
  std::vector<double> sums_;  ///< of each cell: the directions of motion, then those of pairs
};

std::unique_ptr<Observer> make_stress_profile(const ObserverRequest& request) {
  return std::make_unique<StressProfile>(request.input.section<StressProfileOptions>(), request);
}

void check_stress_profile(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("stress_profile.interval") || input.section<StressProfileOptions>().interval == 0) {
    return;
  }
  const char* const what = !input.molecules.empty()         ? "flexible molecules"
                           : !input.components.empty()      ? "rigid molecules"
                           : input.electrostatics.is_used() ? "charges"
                           : input.interaction.potential != InteractionPotential::lennard_jones
                               ? "a many-body potential"
                               : nullptr;
  if (what == nullptr) return;
  report(Severity::error, "stress_profile.interval",
         fmt::format("[stress_profile] knows forces of pairs of single sites only, and there are "
                     "{} here; [pressure_tensor] has the pressure of the whole box",
                     what));
}

void check_stress_profile_in_box(const Input& input, const Box& box, const Report& report) {
  check_cells_in_box(input.section<StressProfileOptions>(), input, box, "stress_profile", report);
}

void advise_stress_profile(const Input& input, const Report& report) {
  if (input.interaction.tail_correction == TailCorrection::none) return;
  report(Severity::advice, "interaction.tail_correction",
         "[stress_profile] is that of the potential as it is cut off, without the correction");
}

}  // namespace

ObserverRow observer::stress_profile() {
  std::vector<KeySchema> keys = cell_keys<StressProfileOptions>("stress_profile");
  keys.insert(keys.begin(), interval_key<StressProfileOptions>());
  return {.schema = {.name = "stress_profile",
                     .description = "The pressure in all directions in slices, in two dimensions, "
                                    "or in shells about a point or a line.",
                     .aliases = {"stress", "pressure_profile", "local_pressure", "local_stress"}},
          .keys = std::move(keys),
          .interval = interval_of<StressProfileOptions>,
          .check = check_stress_profile,
          .check_in_box = check_stress_profile_in_box,
          .advise = advise_stress_profile,
          .make = make_stress_profile,
          .has_changing_numbers = true};
}

}  // namespace sterna::md
