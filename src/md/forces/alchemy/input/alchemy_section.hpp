#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "md/core/choice.hpp"
#include "md/forces/alchemy/alchemical_state.hpp"

namespace sterna::md {

enum class AlchemyKind { decoupling, annihilation, mutation };
template <>
inline constexpr auto choice_table<AlchemyKind> = std::to_array<Choice<AlchemyKind>>(
    {{"decoupling", AlchemyKind::decoupling,
      "\"decoupling\": interactions within a molecule are kept, so the last state is a molecule in "
      "vacuum."},
     {"annihilation", AlchemyKind::annihilation,
      "\"annihilation\": those of its atoms that no bonded term replaces are switched off, too."},
     {"mutation", AlchemyKind::mutation,
      "\"mutation\": atoms become what `[[mutation]]` says, also for each other; bonded terms and "
      "special pairs change by `[[mutated_term]]` and `[[mutated_pair]]`."}});

enum class ChargePath { charges, energies };
template <>
inline constexpr auto choice_table<ChargePath> = std::to_array<Choice<ChargePath>>(
    {{"charges", ChargePath::charges, "\"charges\": charges are 1 - lambda times their values."},
     {"energies", ChargePath::energies,
      "\"energies\": the energy of charges is 1 - lambda times that with whole charges plus lambda "
      "times that without, as in GROMACS. A step takes an Ewald sum over the molecules more."}});

struct AlchemySection {  ///< [alchemy]
  std::vector<std::string> molecules;
  AlchemyKind kind = AlchemyKind::decoupling;
  std::vector<double> van_der_waals, charges, bonded, masses;
  ChargePath charge_path = ChargePath::charges;
  std::int64_t state = 0;
  double soft_core_alpha = 0.5;
  std::int64_t soft_core_power = 1;
  double soft_core_sigma = 0.0;
  std::int64_t interval = 100;

  bool is_used() const { return !molecules.empty(); }
  std::size_t state_count() const {
    return std::max({van_der_waals.size(), charges.size(), bonded.size(), masses.size()});
  }
  /// What is switched off in a state; a list that is not given is 0 in all of them.
  double van_der_waals_of(std::size_t n) const {
    return van_der_waals.empty() ? 0.0 : van_der_waals[n];
  }
  double charges_of(std::size_t n) const { return charges.empty() ? 0.0 : charges[n]; }
  double bonded_of(std::size_t n) const { return bonded.empty() ? 0.0 : bonded[n]; }
  double masses_of(std::size_t n) const { return masses.empty() ? 0.0 : masses[n]; }
  AlchemicalState lambdas_of(std::size_t n) const {
    return {.van_der_waals = van_der_waals_of(n),
            .charges = charges_of(n),
            .bonded = bonded_of(n),
            .masses = masses_of(n)};
  }
};

}  // namespace sterna::md
