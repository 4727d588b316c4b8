#include "md/ensemble/states_from_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "md/ensemble/replica_files.hpp"
#include "md/ensemble/state_sections.hpp"
#include "md/forces/alchemy/alchemical_state.hpp"
#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/bias/collective_variable.hpp"
#include "md/forces/bias/input/bias_sections.hpp"
#include "md/forces/plumed/input/plumed_options.hpp"
#include "md/input/read_input.hpp"
#include "md/integrate/moving_targets.hpp"

namespace sterna::md {
namespace {

/// The bias as it is in a state.
BiasSection bias_in_state(const StateSection& state, BiasSection bias) {
  const auto found = std::ranges::find(state.biases, bias.name, &StateSection::OfBias::name);
  if (found == state.biases.end()) return bias;
  bias.center = found->center.value_or(bias.center);
  bias.stiffness = found->stiffness.value_or(bias.stiffness);
  bias.force = found->force.value_or(bias.force);
  return bias;
}

/// Whether any state sets parameters of the bias.
bool is_of_states(const Input& input, const BiasSection& bias) {
  return std::ranges::any_of(input.tables<StateSection>(), [&](const StateSection& state) {
    return std::ranges::find(state.biases, bias.name, &StateSection::OfBias::name) !=
           state.biases.end();
  });
}

}  // namespace

double temperature_of_state(const Input& input, std::size_t number) {
  const auto given = input.tables<StateSection>()[number].temperature;
  return given ? *given : input.thermostats[0].temperature;
}

std::optional<double> pressure_of_state(const Input& input, std::size_t number) {
  if (!input.barostat.is_used()) return std::nullopt;
  const auto given = input.tables<StateSection>()[number].pressure;
  return given ? *given : input.barostat.pressure;
}

std::size_t count_of_states(const Input& input) {
  const auto& states = input.tables<StateSection>();
  if (!states.empty()) return states.size();
  const AlchemySection& alchemy = input.section<AlchemySection>();
  return alchemy.is_used() ? alchemy.state_count() : 0;
}

std::size_t alchemical_state_of(const Input& input, std::size_t number) {
  const std::int64_t given = input.tables<StateSection>()[number].alchemical_state;
  return static_cast<std::size_t>(given >= 0 ? given : input.section<AlchemySection>().state);
}

bool states_are_alchemical(const Input& input) {
  const AlchemySection& alchemy = input.section<AlchemySection>();
  if (!alchemy.is_used()) return false;
  const auto of = [&](std::size_t number) {
    const std::size_t state = alchemical_state_of(input, number);
    return alchemy.lambdas_of(state);
  };
  for (std::size_t n = 1; n < input.tables<StateSection>().size(); ++n) {
    if (of(n) != of(0)) return true;
  }
  return false;
}

StateParameters parameters_of_state(const Input& input, std::size_t number) {
  StateParameters parameters;
  const bool is_listed = !input.tables<StateSection>().empty();
  if (const auto& alchemy = input.section<AlchemySection>(); alchemy.is_used()) {
    const std::size_t state = is_listed ? alchemical_state_of(input, number) : number;
    const AlchemicalState of = alchemy.lambdas_of(state);
    for (const AlchemicalPart& part : alchemical_parts) {
      parameters[std::string(part.parameter)] = of.*part.value;
    }
  }
  if (!is_listed) return parameters;
  for (const BiasSection& bias : input.tables<BiasSection>()) {
    if (!is_of_states(input, bias)) continue;
    const auto& variables = input.tables<VariableSection>();
    const auto variable =
        std::ranges::find(variables, bias.all_variables().front(), &VariableSection::name);
    const VariableRow& row = variable_table().get(variable->kind);
    const double unit = unit_of(row, input.units);
    const double per = row.unit == VariableUnit::angle ? 1.0 : unit;
    const BiasSection own = bias_in_state(input.tables<StateSection>()[number], bias);
    const auto set = [&](std::string_view key, double value) {
      parameters[fmt::format("{}.{}", bias.name, key)] = value;
    };
    set("center", unit * own.center);
    set("stiffness", own.stiffness / (per * per));
    set("force", own.force / per);
  }
  return parameters;
}

RunState run_state(const Input& input, std::size_t number) {
  return {.number = static_cast<int>(number),
          .temperature = temperature_of_state(input, number),
          .pressure = pressure_of_state(input, number),
          .parameters = parameters_of_state(input, number)};
}

std::size_t count_of_replicas(const Input& input) {
  const auto& replicas = input.section<ReplicasSection>();
  return replicas.are_expanded() ? static_cast<std::size_t>(replicas.walkers)
                                 : input.tables<StateSection>().size();
}

std::size_t first_state_of(const Input& input, std::size_t replica) {
  return replica * input.tables<StateSection>().size() / count_of_replicas(input);
}

Input input_of_replica(const Input& input, std::size_t replica) {
  Input own = input;
  const std::size_t number = first_state_of(input, replica);
  own.section<MovingTargets>() = {.by_states = true, .first_state = static_cast<int>(number)};
  own.run.name = std::filesystem::path(replica_files::of_replica(output_stem(input), replica))
                     .filename()
                     .string();
  // Random numbers follow from the seed, so each replica needs another one: a number that an input
  // file may have.
  constexpr std::uint64_t apart = 0xD1B54A32D192ED03U;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  own.run.seed = (own.run.seed + replica * apart) & largest;
  own.output.checkpoint_interval = 0;
  own.output.checkpoint_time = 0.0;
  const double temperature = temperature_of_state(input, number);
  own.thermostats[0].temperature = temperature;
  if (own.start.temperature) own.start.temperature = temperature;
  if (const auto pressure = pressure_of_state(input, number)) own.barostat.pressure = *pressure;
  // The energies of all states are written by states, not by replicas.
  if (auto& alchemy = own.section<AlchemySection>(); alchemy.is_used()) {
    alchemy.state = static_cast<std::int64_t>(alchemical_state_of(input, number));
    alchemy.interval = 0;
  }
  own.section<PlumedOptions>().replica = static_cast<int>(replica);
  const StateSection& state = input.tables<StateSection>()[number];
  for (BiasSection& bias : own.tables<BiasSection>()) {
    bias = bias_in_state(state, bias);
  }
  return own;
}

}  // namespace sterna::md
