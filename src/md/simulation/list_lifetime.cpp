// How long lists of neighbors are kept where a tolerance of the energy says so.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/core/json.hpp"
#include "md/input/check_neighbor.hpp"
#include "md/input/pair_potential_input.hpp"
#include "md/simulation/simulation_implementation.hpp"

namespace sterna::md {
namespace {

/// Of each kind of pairs, as many as there are; where that is not known yet, as if all were of each
/// kind.
std::vector<BufferedPairs> buffered_pairs(const Input& input, std::span<const double> masses,
                                          std::span<const double> counts, double particles,
                                          double volume) {
  const double thermal = highest_thermal_energy(input);
  const std::size_t types = masses.size();
  std::vector<BufferedPairs> kinds;
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = 0; b < types; ++b) {
      const auto function =
          std::make_shared<const PairFunction>(pair_function_from_input(input, a, b));
      const double share = counts.empty() ? 1.0 : counts[a] * counts[b] / (particles * particles);
      kinds.push_back({.density = 0.5 * share * particles / volume,
                       .speed_squared = thermal * (1.0 / masses[a] + 1.0 / masses[b]),
                       .cutoff = function->cutoff(),
                       .energy = [function](double r) { return function->ended_energy(r); }});
    }
  }
  return kinds;
}

/// The same of the charges of these, where they end at a cutoff. `sizes`: of each type the mean
/// charge without its sign, which overestimates what is missed of a neutral liquid.
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

void Simulation::Implementation::choose_list_buffer(const Json& state) {
  const Input::Neighbor& neighbor = input_.neighbor;
  if (neighbor.buffer != Input::Neighbor::Buffer::tolerance) return;
  std::optional<int> interval;
  if (input_.places.contains("neighbor.maximum_interval")) interval = neighbor.maximum_interval;
  buffer_settings_ = {neighbor.tolerance, input_.run.timestep, highest_thermal_energy(input_),
                      static_cast<double>(interval.value_or(0))};
  // A run that goes on keeps its lists: its box may be another one by now.
  if (const auto kept = state.find("list_buffer"); kept != state.end()) {
    std::vector<double> values;
    for (const auto& value : *kept) values.push_back(exact_value(value));
    const std::size_t settings = buffer_settings_.size();
    if (std::equal(buffer_settings_.begin(), buffer_settings_.end(), values.begin())) {
      list_buffer_ = {values[settings], static_cast<int>(values[settings + 1]),
                      values[settings + 2]};
      skin_ = list_buffer_->skin;
      return;
    }
  }
  std::vector<double> counts, charges;
  for (const auto& type : interaction_.cutoff_charges().of_types) charges.push_back(std::abs(type));
  if (!topology_.empty()) {
    counts.assign(masses_.size(), 0.0);
    charges.assign(masses_.size(), 0.0);
    for (const Topology::Run& run : topology_.runs()) {
      for (const Topology::Atom& atom : topology_.molecules()[run.molecule].atoms) {
        const auto type = static_cast<std::size_t>(atom.type);
        const auto count = static_cast<double>(run.count);
        counts[type] += count;
        charges[type] += count * std::abs(interaction_.charge_factor() * atom.charge);
      }
    }
    for (std::size_t type = 0; type < counts.size(); ++type) {
      charges[type] /= std::max(1.0, counts[type]);
    }
  }
  std::vector<double> masses = frozen_.inertial_masses(masses_);
  for (std::size_t type = 0; type < masses.size(); ++type) {
    // A virtual site is about as fast as the atoms that it is made of.
    if (masses_[type] == 0.0) masses[type] = lightest_mass();
  }
  std::vector<BufferedPairs> kinds =
      buffered_pairs(input_, masses, counts, static_cast<double>(particle_count_), box_.volume());
  if (input_.electrostatics.ends_at_cutoff()) {
    kinds = with_charges(std::move(kinds), interaction_.cutoff_charges(), charges);
  }
  list_buffer_ = sterna::md::choose_list_buffer(kinds, interaction_.range(), input_.run.timestep,
                                                neighbor.tolerance, interval, interaction_.range());
  skin_ = list_buffer_->skin;
}

Json Simulation::Implementation::state_of_list_buffer() const {
  if (!list_buffer_) return nullptr;
  Json state = Json::array();
  for (const double value : buffer_settings_) state.push_back(exact_text(value));
  for (const double value :
       {list_buffer_->skin, static_cast<double>(list_buffer_->interval), list_buffer_->drift}) {
    state.push_back(exact_text(value));
  }
  return state;
}

}  // namespace sterna::md
