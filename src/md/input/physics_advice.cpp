#include "md/input/physics_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/domain/decomposition_method.hpp"
#include "md/domain/regular_grid.hpp"
#include "md/input/check_box.hpp"
#include "md/input/cutoffs.hpp"
#include "md/input/molecule_advice.hpp"
#include "md/input/molecule_model_from_input.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/pair_potential_input.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/read_input.hpp"
#include "md/input/timestep_advice.hpp"
#include "md/input/trajectory_row.hpp"
#include "md/input/truncation_advice.hpp"
#include "md/input/type_pair_from_input.hpp"

namespace sterna::md {
namespace {

double sites_per_cell(CrystalLattice lattice) {
  if (lattice == CrystalLattice::simple_cubic) return 1.0;
  if (lattice == CrystalLattice::body_centered_cubic) return 2.0;
  return lattice == CrystalLattice::face_centered_cubic ? 4.0
                                                        : 8.0;  // diamond and zincblende have eight
}

class Adviser {
 public:
  Adviser(const Input& input, const SystemFacts& facts) : input_(input), facts_(facts) {
    for (std::size_t a = 0; a < input.types.size(); ++a) {
      for (std::size_t b = a; b < input.types.size(); ++b) {
        const TypePair pair = type_pair_from_input(input, a, b);
        if (pair.epsilon > 0.0) largest_sigma_ = std::max(largest_sigma_, pair.sigma);
        largest_epsilon_ = std::max(largest_epsilon_, pair.epsilon);
      }
    }
    for (const Input::Component& component : input.components) {
      for (const Input::Site& site : component.sites) {
        if (site.epsilon > 0.0) largest_sigma_ = std::max(largest_sigma_, site.sigma);
        largest_epsilon_ = std::max(largest_epsilon_, site.epsilon);
      }
    }
  }

  std::vector<Diagnostic> advise() {
    const bool lennard_jones = input_.interaction.potential == InteractionPotential::lennard_jones;
    if (!input_.minimizes()) {
      append(timestep_advice(input_, highest_temperature()));
      at_rest();
    }
    if (lennard_jones) {
      cutoff();
      append(truncation_advice(input_));
      temperature();
    }
    physics();
    density();
    skin();
    box();
    ranks();
    files();
    observers();
    append(molecule_advice(input_));
    return std::move(advice_);
  }

 private:
  void append(std::vector<Diagnostic> more) {
    for (Diagnostic& advice : more) advice_.push_back(std::move(advice));
  }
  void add(Severity severity, std::string_view place, std::string message) {
    // A key that the file lacks is shown at its section, if the file has that.
    const std::size_t point = place.find('.');
    if (!input_.places.contains(place) && point != std::string_view::npos) {
      place = place.substr(0, point);
    }
    advice_.push_back(diagnose(input_, severity, place, std::move(message)));
  }
  void warn(std::string_view place, std::string message) {
    add(Severity::warning, place, std::move(message));
  }
  void advise(std::string_view place, std::string message) {
    add(Severity::advice, place, std::move(message));
  }

  std::string text(double value, Dimension dimension) const {
    return input_.units.text(value, dimension);
  }
  std::string length(double value) const { return text(value, Dimension::length); }
  std::string time(double value) const { return text(value, Dimension::time); }

  double highest_temperature() const {
    double highest = input_.start.temperature.value_or(0.0);
    for (const Input::Thermostat& thermostat : input_.thermostats) {
      if (thermostat.is_used()) highest = std::max(highest, thermostat.highest_temperature());
    }
    return highest;
  }

  std::string hottest_thermostat() const {
    const auto hottest =
        std::ranges::max_element(input_.thermostats, {}, &Input::Thermostat::temperature);
    return fmt::format("thermostat[{}]", hottest - input_.thermostats.begin());
  }

  void at_rest() {
    if (input_.start.kind == StartKind::file || input_.start.temperature.value_or(0.0) > 0.0)
      return;
    if (input_.run.steps == 0) return;
    const std::string message =
        "all particles start at rest: \"temperature\" in [start] would draw velocities";
    input_.start.kind == StartKind::lattice
        ? warn("start.temperature", message + "; a perfect lattice at rest does not move")
        : advise("start.temperature", message);
  }

  /// Advice on potentials of [[pair]]: their value at the cutoff.
  void cutoff_of_potentials() {
    for (std::size_t n = 0; n < input_.pairs.size(); ++n) {
      const Input::Pair& pair = input_.pairs[n];
      if (pair.is_lennard_jones()) continue;
      const PairFunction function = function_of_pair(input_, pair);
      if (function.potential().own_end != nullptr) continue;
      const PairScale scale = function.scale();
      if (!(scale.energy > 0.0)) continue;
      const std::string at = fmt::format("pair[{}].potential", n);
      const double rc = function.cutoff(), left = std::abs(function.energy(rc)) / scale.energy;
      if (rc < scale.size) {
        warn(at, fmt::format("the potential {} of {} and {} ends at {}, before it is zero at {}",
                             quote(pair.potential), quote(pair.first), quote(pair.second),
                             length(rc), length(scale.size)));
      } else if (left > 0.05) {
        advise(at,
               fmt::format("at its cutoff of {} the potential {} of {} and {} still has {:.0f} "
                           "% of its {}; a longer cutoff changes the result less",
                           length(rc), quote(pair.potential), quote(pair.first), quote(pair.second),
                           100.0 * left, function.energy(rc) < 0.0 ? "depth" : "energy"));
      }
    }
  }

  void cutoff() {
    const double rc = input_.interaction.cutoff;
    if (has_pair_potentials(input_)) return cutoff_of_potentials();
    if (!(largest_sigma_ > 0.0)) {
      if (input_.components.empty()) {
        warn("type[0].epsilon", "no two particles interact: every epsilon is 0 (an ideal gas)");
      } else {
        warn("component[0]",
             "no two molecules repel each other: there is no site of kind \"lennard_jones\" whose "
             "epsilon is not 0");
      }
      return;
    }
    const double ratio = rc / largest_sigma_;
    constexpr double minimum =
        1.122462048309373;  // 2^(1/6): cutoff at the minimum, purely repulsive
    const double depth = 4.0 * (std::pow(ratio, -6) - std::pow(ratio, -12));
    if (ratio < 0.999 * minimum) {
      warn("interaction.cutoff",
           fmt::format("a cutoff of {} is {:.3g} of the largest sigma ({}), on the repulsive side "
                       "of the minimum at 1.122 sigma",
                       length(rc), ratio, length(largest_sigma_)));
    } else if (ratio > 1.001 * minimum && ratio < 2.0) {
      advise(
          "interaction.cutoff",
          fmt::format("a cutoff of {} is only {:.3g} of the largest sigma ({}): there the "
                      "potential still has {:.0f} % of its depth, so the fluid differs much from "
                      "the full Lennard-Jones one; 2.5 sigma is usual",
                      length(rc), ratio, length(largest_sigma_), 100.0 * depth));
    } else if (ratio > 8.0) {
      advise("interaction.cutoff",
             fmt::format("a cutoff of {} is {:.3g} of the largest sigma ({}): each particle has "
                         "{:.2g} times the neighbors of the usual 2.5 sigma",
                         length(rc), ratio, length(largest_sigma_), std::pow(ratio / 2.5, 3)));
    }
  }

  void physics() {
    const Report report = [this](Severity severity, std::string_view place, std::string message) {
      add(severity, place, std::move(message));
    };
    for (const PhysicsRow& kind : physics_rows()) {
      if (kind.advise != nullptr) kind.advise(input_, facts_, report);
    }
  }

  void skin() {
    const double skin = input_.neighbor.skin, rc = longest_cutoff(input_);
    if (skin > 0.5 * rc) {
      advise(
          "neighbor.skin",
          fmt::format("a skin of {} beside a cutoff of {} makes the list {:.2g} times as long as "
                      "the pairs that interact; 0.1 to 0.2 of the cutoff is usual",
                      length(skin), length(rc), std::pow(1.0 + skin / rc, 3)));
    } else if (skin > 0.0 && skin < 0.02 * rc) {
      advise("neighbor.skin",
             fmt::format("with a skin of {} the list must be rebuilt almost every step; 0.1 to 0.2 "
                         "of the cutoff is usual",
                         length(skin)));
    }
  }

  void temperature() {
    const double highest = highest_temperature();
    if (!(largest_epsilon_ > 0.0)) return;
    const double ratio = input_.units.boltzmann() * highest / largest_epsilon_;
    if (ratio < 50.0) return;
    const bool of_start = input_.start.temperature.value_or(0.0) >= highest;
    warn(of_start ? "start.temperature" : hottest_thermostat() + ".temperature",
         fmt::format("at a temperature of {} the thermal energy is {:.3g} times the deepest well{}",
                     text(highest, Dimension::temperature), ratio,
                     input_.units.is_reduced()
                         ? "; is it meant in kelvin? In reduced units 1 is epsilon/k"
                         : ""));
  }

  void density() {
    // In molecules bonded atoms overlap, so density in units of sigma means nothing.
    if (!facts_.particles || !facts_.box || !input_.molecules.empty()) return;
    const double density = static_cast<double>(*facts_.particles) / facts_.box->volume();
    if (!input_.components.empty()) {
      molecule_density(density);
      return;
    }
    const double reduced = density * volume_of_a_particle();
    const std::string_view place =
        input_.start.kind == StartKind::file ? "start.file" : "start.density";
    const std::string value =
        fmt::format("{} particles in {} x {} x {} are {:.3g} per sigma^3", *facts_.particles,
                    length(facts_.box->length.x), length(facts_.box->length.y),
                    length(facts_.box->length.z), reduced);
    const bool charged =
        std::ranges::any_of(input_.types, [](const Input::Type& t) { return t.charge != 0.0; });
    if (!(largest_sigma_ > 0.0) ||
        input_.interaction.potential != InteractionPotential::lennard_jones || charged) {
      // Without a size there is nothing to compare with, and attraction makes unlike ions overlap.
    } else if (reduced > 1.4) {
      warn(place,
           value +
               ", denser than the closest packing of spheres of that diameter (1.41): forces "
               "and pressure will be enormous. Is the unit of length right?");
    } else if (input_.start.kind == StartKind::random && reduced > 0.9) {
      advise(place, value +
                        ": random places at this density start with strong overlaps; begin with a "
                        "lattice, or minimize first");
    } else if (reduced < 1e-5) {
      advise(place, value + ", a very thin gas. Is the unit right?");
    }
    const double d = input_.start.minimum_distance;
    if (input_.start.kind == StartKind::random && density * d * d * d > std::numbers::sqrt2) {
      add(Severity::error, "start.minimum_distance",
          fmt::format("no arrangement keeps {} particles {} apart in this box; at most {} is "
                      "possible, in a perfect crystal",
                      *facts_.particles, length(d),
                      length(std::cbrt(std::numbers::sqrt2 / density))));
    }
  }

  /// The cube of sigma, averaged over all particles. For a start file, whose shares are unknown,
  /// the cube of the smallest sigma.
  double volume_of_a_particle() const {
    double sum = 0.0, shares = 0.0, least = std::pow(largest_sigma_, 3);
    for (std::size_t n = 0; n < input_.types.size(); ++n) {
      const Input::Type& type = input_.types[n];
      const double volume = std::pow(type_pair_from_input(input_, n, n).sigma, 3);
      sum += type.fraction * volume;
      shares += type.fraction;
      least = std::min(least, volume);
    }
    return input_.start.kind == StartKind::file || shares <= 0.0 ? least : sum / shares;
  }

  /// Advice on molecules that start with random orientations.
  void molecule_density(double density) {
    if (input_.start.kind == StartKind::file || input_.minimizes()) return;
    double contact = 0.0;
    for (const Input::Component& component : input_.components) {
      contact = std::max(contact, contact_distance(component_from_input(component, input_.units)));
    }
    const double spacing = std::cbrt(std::numbers::sqrt2 / density);  // neighbor distance in a
                                                                      // face-centered lattice
    if (0.9 * contact <= spacing) return;
    advise("start.density",
           fmt::format("molecules are {} apart at this density and reach {}: with random "
                       "orientations some overlap at the start; minimize first (integrator = "
                       "\"minimize\" in [run])",
                       length(spacing), length(contact)));
  }

  void box() {
    if (!facts_.box) return;
    check_box(input_, *facts_.box,
              [&](Severity severity, std::string_view place, std::string message) {
                add(severity, place, message);
              });
    tilt();
    const double shortest = facts_.box->least_height();
    const double rc = longest_cutoff(input_);
    if (rc > 0.5 * shortest) {
      warn(rc > input_.interaction.cutoff ? "electrostatics.cutoff" : "interaction.cutoff",
           fmt::format("a cutoff of {} is more than half the {} of the box ({}): particles "
                       "interact with several images of each other{}",
                       length(rc), facts_.box->tilt.none() ? "shortest edge" : "least height",
                       length(shortest),
                       rc > shortest ? ", and with their own" : ", which shows in the results"));
    }
  }

  /// Advice on an edge that leans by more than half the length of another one.
  void tilt() {
    const Box& box = *facts_.box;
    // Subtracting multiples of one edge from another leaves the periodic lattice unchanged.
    Tilt least = box.tilt;
    least.xy -= std::round(least.xy / box.length.x) * box.length.x;
    const double b = std::round(least.yz / box.length.y);
    least.yz -= b * box.length.y;
    least.xz -= b * least.xy;
    least.xz -= std::round(least.xz / box.length.x) * box.length.x;
    const double before = box.least_height();
    const double after = Box{box.length, least}.least_height();
    if (after < 1.01 * before) return;
    advise(input_.start.tilt ? "start.tilt" : "start.file",
           fmt::format("the box leans more than it need: the same lattice with the tilt "
                       "[{}, {}, {}] is {:.3g} times as wide between its faces, which makes "
                       "halos thinner",
                       input_.units.from_internal(least.xy, Dimension::length),
                       input_.units.from_internal(least.xz, Dimension::length),
                       input_.units.from_internal(least.yz, Dimension::length), after / before));
  }

  void ranks() {
    if (!facts_.box || !facts_.ranks) return;
    const auto& asked = input_.domain.grid;
    std::optional<RegularGrid> grid;
    try {
      grid.emplace(*facts_.box, *facts_.ranks, asked);
    } catch (const std::invalid_argument&) {
      add(Severity::error, "domain.grid",
          fmt::format("a grid of {} x {} x {} cannot be made of {} ranks{}", asked[0], asked[1],
                      asked[2], *facts_.ranks,
                      std::ranges::find(asked, 0) != asked.end() ? " (0: chosen)" : ""));
      return;
    }
    const double halo = longest_cutoff(input_) + likely_skin(input_);
    const Vec3 lean = facts_.box->shear().extent(1.0), heights = facts_.box->heights();
    int regions_across = 0, axis = 0;
    for (int i = 0; i < 3; ++i) {
      if (grid->grid()[static_cast<std::size_t>(i)] == 1) continue;  // its own images only
      const int regions =
          static_cast<int>(std::ceil(halo * lean[i] / grid->smallest_width(i) - 1e-9));
      if (regions > regions_across) regions_across = regions, axis = i;
    }
    double most = 1.0;
    for (int i = 0; i < 3; ++i) {
      most *= std::max(1.0, std::floor(heights[i] / halo));
    }
    const auto& decomposition = input_.domain.decomposition;
    if (decomposition != "auto" && decomposition_method(decomposition).weighs) {
      if (*facts_.ranks > most) {
        advise("domain.decomposition",
               fmt::format("{} regions as wide as the halo of {} (cutoff + skin) do not fit into "
                           "the box; some will be narrower and exchange with more others. Up to "
                           "{:.0f} ranks need not do that",
                           *facts_.ranks, length(halo), most));
      }
    } else if (regions_across > 1) {
      const auto& counts = grid->grid();
      advise(
          "domain.grid",
          fmt::format("on {} ranks ({} x {} x {}) a region is {} wide along {}, narrower than the "
                      "halo of {} (cutoff + skin), which then reaches {} regions on each side: "
                      "more messages. Up to {:.0f} ranks need not do that",
                      *facts_.ranks, counts[0], counts[1], counts[2],
                      length(grid->smallest_width(axis) / lean[axis]), "xyz"[axis], length(halo),
                      regions_across, most));
    }
    if (!facts_.particles) return;
    const double local = static_cast<double>(*facts_.particles) / *facts_.ranks;
    if (local < 200.0 && *facts_.ranks > 1) {
      advise("start",
             fmt::format("{:.3g} particles per rank are few: messages will take more time "
                         "than forces. About {:.0f} ranks serve this system best",
                         local, std::max(1.0, std::floor(local * *facts_.ranks / 1000.0))));
    }
    const auto expected = forecast(input_, facts_);
    if (!expected || !facts_.memory_per_rank) return;
    const std::string impossible =
        why_impossible(*expected, *facts_.memory_per_rank, facts_.memory_limit);
    if (!impossible.empty()) {
      add(Severity::error, "start", impossible);
    } else if (expected->memory_per_rank > 0.9 * *facts_.memory_per_rank) {
      warn("start",
           fmt::format("a rank needs about {}, but {} are there; use more ranks on more "
                       "nodes",
                       byte_text(expected->memory_per_rank), byte_text(*facts_.memory_per_rank)));
    }
  }

  void observers() {
    const Report report = [this](Severity severity, std::string_view place, std::string message) {
      add(severity, place, std::move(message));
    };
    const std::int64_t equilibration = input_.output.equilibration, steps = input_.run.steps;
    if (steps > 0 && equilibration >= steps && !input_.minimizes()) {
      warn("output.equilibration",
           fmt::format("an equilibration of {} steps leaves nothing of a run of {}: there will be "
                       "no averages, and observers will have no samples",
                       equilibration, steps));
    }
    for (const ObserverRow& section : observer_rows()) {
      if (section.advise != nullptr && section.interval(input_) > 0) {
        section.advise(input_, report);
      }
    }
  }

  void files() {
    const auto& output = input_.output;
    if (output.trajectory_interval > input_.run.steps) {
      advise(
          "output.trajectory_interval",
          fmt::format("a frame every {} steps in a run of {}: the trajectory will have one frame",
                      output.trajectory_interval, input_.run.steps));
    }
    if (output.checkpoint_interval > 0 && output.checkpoint_interval < 10 &&
        input_.run.steps >= 100) {
      advise("output.checkpoint_interval",
             fmt::format("a checkpoint every {} steps will take most of the time",
                         output.checkpoint_interval));
    }
    SystemFacts facts = facts_;
    facts.ranks = facts.ranks.value_or(1);
    const auto expected = forecast(input_, facts);
    if (!expected) return;
    if (expected->trajectory_bytes > 20e9) advise_of_trajectories(expected->trajectory_bytes);
    if (expected->checkpoint_bytes > 20e9) {
      advise("output.checkpoint_interval",
             fmt::format("a checkpoint will take about {}, and two are kept",
                         byte_text(expected->checkpoint_bytes)));
    }
  }

  void advise_of_trajectories(double bytes) {
    std::vector<std::pair<std::string, std::int64_t>> intervals{
        {"output.trajectory_interval", input_.output.trajectory_interval},
        {"output.xtc_interval", input_.output.xtc_interval}};
    for (const TrajectoryRow& section : trajectory_rows()) {
      intervals.emplace_back(fmt::format("{}.interval", section.schema.name),
                             section.interval(input_));
    }
    std::erase_if(intervals, [](const auto& each) { return each.second == 0; });
    if (intervals.size() > 1) {
      advise(intervals.front().first,
             fmt::format("the trajectories will take about {}", byte_text(bytes)));
      return;
    }
    const std::int64_t frames = input_.run.steps / intervals.front().second + 1;
    advise(intervals.front().first,
           fmt::format("the trajectory will take about {}: {} frames of {}", byte_text(bytes),
                       frames, byte_text(bytes / static_cast<double>(frames))));
  }

  const Input& input_;
  const SystemFacts& facts_;
  double largest_sigma_ = 0.0;  // over the pairs that interact
  double largest_epsilon_ = 0.0;
  std::vector<Diagnostic> advice_;
};

}  // namespace

SystemFacts facts_of(const Input& input) {
  SystemFacts facts;
  const auto& start = input.start;
  if (start.kind == StartKind::file) {
    if (start.box) facts.box = Box{*start.box, start.tilt_of_box()};
    return facts;
  }
  if (!(start.density > 0.0)) return facts;
  const double per_cell = sites_per_cell(start.lattice);
  if (start.kind == StartKind::lattice && start.particles == 0) {
    const double edge = std::cbrt(per_cell / start.density);
    const Vec3 box{start.cells[0] * edge, start.cells[1] * edge, start.cells[2] * edge};
    facts.particles =
        static_cast<std::int64_t>(per_cell) * start.cells[0] * start.cells[1] * start.cells[2];
    facts.box = Box{box};
  } else {
    const double edge = std::cbrt(static_cast<double>(start.particles) / start.density);
    facts.particles = start.particles;
    facts.box = Box{{edge, edge, edge}};
  }
  return facts;
}

std::vector<Diagnostic> physics_advice(const Input& input, const SystemFacts& facts) {
  return Adviser(input, facts).advise();
}

}  // namespace sterna::md
