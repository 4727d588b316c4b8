#include "md/forces/pair/input/pair_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/forces/pair/input/truncation_advice.hpp"
#include "md/input/check_neighbor.hpp"

namespace sterna::md {
namespace {

/// The largest sizes and depths are those of pairs of types and of sites of molecules alike.
class PairAdviser {
 public:
  PairAdviser(const Input& input, const SystemFacts& facts, const Report& report)
      : input_(input), facts_(facts), report_(report) {
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

  void advise() {
    if (input_.interaction.potential == InteractionPotential::lennard_jones) {
      cutoff();
      advise_on_truncation(input_, report_);
      temperature();
    }
    density();
  }

 private:
  void add(Severity severity, std::string_view place, std::string message) {
    report_(severity, place, std::move(message));
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

  std::string hottest_thermostat() const {
    const auto hottest =
        std::ranges::max_element(input_.thermostats, {}, &Input::Thermostat::temperature);
    return fmt::format("thermostat[{}]", hottest - input_.thermostats.begin());
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

  void temperature() {
    const double highest = highest_temperature(input_);
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
    if (!facts_.particles || !facts_.box || !input_.molecules.empty() ||
        !input_.components.empty()) {
      return;
    }
    const double density = static_cast<double>(*facts_.particles) / facts_.box->volume();
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

  const Input& input_;
  const SystemFacts& facts_;
  const Report& report_;
  double largest_sigma_ = 0.0;  ///< over the pairs that interact
  double largest_epsilon_ = 0.0;
};

}  // namespace

void advise_on_pairs(const Input& input, const SystemFacts& facts, const Report& report) {
  PairAdviser(input, facts, report).advise();
}

}  // namespace sterna::md
