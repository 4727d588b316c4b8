#include <cstddef>

#include "md/ensemble/state_sections.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md::section {
namespace {

/// The target of a key of a [[state.bias]], by its index over all states.
template <auto member>
Target target_in_bias(Input& input, std::size_t n) {
  auto state = input.tables<StateSection>().begin();
  for (; n >= state->biases.size(); ++state) n -= state->biases.size();
  return target_of(state->biases[n].*member);
}

constexpr Tables biases_of_states{
    .count = [](const Input& input,
                std::size_t state) { return input.tables<StateSection>()[state].biases.size(); },
    .resize = [](Input& input, std::size_t state,
                 std::size_t count) { input.tables<StateSection>()[state].biases.resize(count); }};

}  // namespace

InputSection state() {
  InputSection section{
      .schema = {.name = "state",
                 .is_array = true,
                 .tables = tables_of<StateSection>(),
                 .description =
                     "What distinguishes one of the states of a run that has `[replicas]`. A "
                     "replica begins in each of them: [how](howto/replica-exchange.md).",
                 .aliases = {"states", "ensemble", "window"}},
      .keys = {{.name = "temperature",
                .target = target_in_table_of<&StateSection::temperature>,
                .description = "That of the thermostat, and of the start if that draws velocities.",
                .default_text = "that of `[thermostat]`",
                .dimension = Dimension::temperature,
                .range = positive,
                .aliases = {"temp", "T", "ref_t"}},
               {.name = "pressure",
                .target = target_in_table_of<&StateSection::pressure>,
                .description = "That of the barostat.",
                .default_text = "that of `[barostat]`",
                .dimension = Dimension::pressure,
                .aliases = {"P", "ref_p"}},
               {.name = "alchemical_state",
                .target = target_in_table_of<&StateSection::alchemical_state>,
                .description = "Number in the lists of `[alchemy]`, counted from 0.",
                .default_text = "`state` in `[alchemy]`",
                .range = {.minimum = 0.0, .maximum = 1e6},
                .aliases = {"lambda_state", "init_lambda_state", "lambda", "alchemy"}}}};
  section.behind = "barostat";
  return section;
}

InputSection state_bias() {
  return {.schema = {.name = "state.bias",
                     .is_array = true,
                     .tables = biases_of_states,
                     .description = "Parameters that a `[[bias]]` has in this state.",
                     .aliases = {"biases", "umbrella"}},
          .keys = {{.name = "name",
                    .target = target_in_bias<&StateSection::OfBias::name>,
                    .description = "Name of the `[[bias]]`.",
                    .need = Need::required,
                    .longest_text = 64,
                    .aliases = {"id", "bias"}},
                   {.name = "center",
                    .target = target_in_bias<&StateSection::OfBias::center>,
                    .description = "As in `[[bias]]`.",
                    .default_text = "that of the bias",
                    .aliases = {"at", "x0", "position"}},
                   {.name = "stiffness",
                    .target = target_in_bias<&StateSection::OfBias::stiffness>,
                    .description = "As in `[[bias]]`; it may be 0.",
                    .default_text = "that of the bias",
                    .dimension = Dimension::energy,
                    .range = not_negative,
                    .aliases = {"k", "kappa", "force_constant", "spring_constant"}},
                   {.name = "force",
                    .target = target_in_bias<&StateSection::OfBias::force>,
                    .description = "As in `[[bias]]`.",
                    .default_text = "that of the bias",
                    .dimension = Dimension::energy,
                    .aliases = {"f", "slope"}}}};
}

InputSection replicas() {
  InputSection section{
      .schema = {.name = "replicas",
                 .description =
                     "Runs a replica of the system in each `[[state]]`, all in one job, and lets "
                     "them exchange their states: [how](howto/replica-exchange.md). Without "
                     "`[[state]]`s the states are those of `[alchemy]`.",
                 .aliases = {"replica", "replica_exchange", "remd", "temper"}},
      .keys = {
          {.name = "interval",
           .target = option<&ReplicasSection::interval>,
           .description = "Steps between two attempts to exchange states.",
           .need = Need::required,
           .range = {.minimum = 1.0, .maximum = most_steps},
           .aliases = {"replex", "every", "swap_interval", "exchange_interval"}},
          {.name = "exchange",
           .target = option<&ReplicasSection::exchange>,
           .description = "Which states are exchanged.",
           .aliases = {"kind", "swap", "mixing"}},
          {.name = "energy_interval",
           .target = option<&ReplicasSection::energy_interval>,
           .description =
               "Steps between two rows of `NAME.state-K.dhdl.xvg`, which have the reduced "
               "energies of a state's samples in all states. Divides `interval`, or is a "
               "multiple of it.",
           .default_text = "0: `interval`",
           .range = {.minimum = 0.0, .maximum = most_steps},
           .aliases = {"nstdhdl", "dhdl_interval"}},
          {.name = "walkers",
           .target = option<&ReplicasSection::walkers>,
           .description = "Replicas of an expanded ensemble, which adapt its weights together.",
           .range = {.minimum = 1.0, .maximum = 1e6},
           .aliases = {"walker", "count"}},
          {.name = "weights",
           .target = option<&ReplicasSection::weights>,
           .description = "Of the states in an expanded ensemble, in units of k T; they stay as "
                          "they are. A state with a larger weight is visited more often.",
           .default_text = "they adapt until all states are visited equally often",
           .aliases = {"init_lambda_weights", "init-lambda-weights"}}}};
  section.behind = "state.bias";
  return section;
}

}  // namespace sterna::md::section
