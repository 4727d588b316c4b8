#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/core/choice.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

struct StateSection {                           ///< [[state]]
  std::optional<double> temperature, pressure;  ///< nothing: that of the run
  struct OfBias {                               ///< [[state.bias]]: as in [[bias]]
    std::string name;
    std::optional<double> center, stiffness, force;
  };
  std::vector<OfBias> biases;
  std::int64_t alchemical_state = -1;  ///< in the lists of [alchemy]; below 0: that of the run
};

struct ReplicasSection {  ///< [replicas]
  enum class Exchange { neighbors, gibbs, expanded, none };

  std::int64_t interval = 0;  ///< steps between two attempts to exchange; 0: no replicas
  Exchange exchange = Exchange::neighbors;
  std::int64_t energy_interval = 0;  ///< steps; 0: `interval`
  std::int64_t walkers = 1;          ///< replicas of an expanded ensemble
  std::vector<double> weights;       ///< of the states in it, in k T; empty: they adapt

  bool are_used() const { return interval > 0; }
  bool are_expanded() const { return exchange == Exchange::expanded; }
  std::int64_t steps_between_energies() const {
    return energy_interval > 0 ? energy_interval : interval;
  }
};

template <>
inline constexpr auto choice_table<ReplicasSection::Exchange> =
    std::to_array<Choice<ReplicasSection::Exchange>>(
        {{"neighbors", ReplicasSection::Exchange::neighbors,
          "\"neighbors\": states beside each other in the file, the even and the odd pairs by "
          "turns."},
         {"gibbs", ReplicasSection::Exchange::gibbs,
          "\"gibbs\": any two states, as many times as mix them well."},
         {"expanded", ReplicasSection::Exchange::expanded,
          "\"expanded\": an expanded ensemble, in which `walkers` replicas go over all states "
          "without a partner."},
         {"none", ReplicasSection::Exchange::none, "\"none\": each replica keeps its state."}});

void check_states(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);

namespace section {
InputSection state();
InputSection state_bias();
InputSection replicas();
}  // namespace section

}  // namespace sterna::md
