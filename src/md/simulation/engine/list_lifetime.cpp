#include "md/simulation/engine/list_lifetime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/core/json.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/input/check_neighbor.hpp"

namespace sterna::md {
namespace {

/// Each pair of types with its density of pairs. If the counts of types are not known yet, each
/// kind is counted as if all particles were of it.
std::vector<BufferedPairs> buffered_pairs(const Input& input, std::span<const double> masses,
                                          std::span<const double> counts, double particles,
                                          double volume) {
  const double thermal = highest_thermal_energy(input);
  const std::size_t types = masses.size();
  std::vector<BufferedPairs> kinds;
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = 0; b < types; ++b) {
      std::vector<PairFunction> functions = added_functions_from_input(input, a, b);
      functions.push_back(pair_function_from_input(input, a, b));
      const double share = counts.empty() ? 1.0 : counts[a] * counts[b] / (particles * particles);
      for (const PairFunction& one : functions) {
        const auto function = std::make_shared<const PairFunction>(one);
        kinds.push_back({.density = 0.5 * share * particles / volume,
                         .speed_squared = thermal * (1.0 / masses[a] + 1.0 / masses[b]),
                         .cutoff = function->cutoff(),
                         .energy = [function](double r) { return function->ended_energy(r); }});
      }
    }
  }
  return kinds;
}

/// Appends the charges of the same pairs of types, which end at a cutoff. `sizes`: the mean
/// absolute charge of each type. It overestimates the missed energy of a neutral liquid.
std::vector<BufferedPairs> with_charges(std::vector<BufferedPairs> kinds,
                                        const CutoffCharges& charges,
                                        std::span<const double> sizes) {
  const std::size_t pairs = kinds.size();
  for (std::size_t k = 0; k < pairs; ++k) {
    const double product = sizes[k / sizes.size()] * sizes[k % sizes.size()];
    if (product == 0.0) continue;
    BufferedPairs kind = kinds[k];
    kind.cutoff = charges.cutoff;
    kind.energy = [product, charges](double r) { return product * charges.energy(r); };
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace

ListLifetime::ListLifetime(const Input& input, const SimulatedSystem& system)
    : input_(input),
      system_(system),
      skin_(input.neighbor.skin > 0.0 ? input.neighbor.skin : system.interaction.usual_skin()) {}

void ListLifetime::choose(const Json& kept) {
  const Input::Neighbor& neighbor = input_.neighbor;
  if (neighbor.buffer != Input::Neighbor::Buffer::tolerance) return;
  std::optional<int> interval;
  if (input_.places.contains("neighbor.maximum_interval")) interval = neighbor.maximum_interval;
  settings_ = {neighbor.tolerance, input_.run.timestep, highest_thermal_energy(input_),
               static_cast<double>(interval.value_or(0))};
  // A continued run keeps the skin and interval that it began with, although its box may have
  // changed.
  if (!kept.is_null()) {
    std::vector<double> values;
    for (const auto& value : kept) values.push_back(exact_value(value));
    const std::size_t settings = settings_.size();
    if (std::equal(settings_.begin(), settings_.end(), values.begin())) {
      buffer_ = {values[settings], static_cast<int>(values[settings + 1]), values[settings + 2]};
      skin_ = buffer_->skin;
      return;
    }
  }
  std::vector<double> counts, charges;
  for (const auto& type : system_.interaction.cutoff_charges().of_types)
    charges.push_back(std::abs(type));
  if (!system_.topology.empty()) {
    counts.assign(system_.masses.size(), 0.0);
    charges.assign(system_.masses.size(), 0.0);
    for (const Topology::Run& run : system_.topology.runs()) {
      for (const Topology::Atom& atom : system_.topology.molecules()[run.molecule].atoms) {
        const auto type = static_cast<std::size_t>(atom.type);
        const auto count = static_cast<double>(run.count);
        counts[type] += count;
        charges[type] += count * std::abs(system_.interaction.charge_factor() * atom.charge);
      }
    }
    for (std::size_t type = 0; type < counts.size(); ++type) {
      charges[type] /= std::max(1.0, counts[type]);
    }
  }
  std::vector<double> masses = system_.frozen.inertial_masses(system_.masses);
  for (std::size_t type = 0; type < masses.size(); ++type) {
    // A virtual site is about as fast as the atoms that define it.
    if (system_.masses[type] == 0.0) masses[type] = system_.lightest_mass();
  }
  std::vector<BufferedPairs> kinds = buffered_pairs(
      input_, masses, counts, static_cast<double>(system_.particle_count), system_.box.volume());
  if (input_.electrostatics.ends_at_cutoff()) {
    kinds = with_charges(std::move(kinds), system_.interaction.cutoff_charges(), charges);
  }
  buffer_ =
      sterna::md::choose_list_buffer(kinds, system_.interaction.range(), input_.run.timestep,
                                     neighbor.tolerance, interval, system_.interaction.range());
  skin_ = buffer_->skin;
}

Json ListLifetime::state() const {
  if (!buffer_) return nullptr;
  Json state = Json::array();
  for (const double value : settings_) state.push_back(exact_text(value));
  for (const double value :
       {buffer_->skin, static_cast<double>(buffer_->interval), buffer_->drift}) {
    state.push_back(exact_text(value));
  }
  return state;
}

}  // namespace sterna::md
