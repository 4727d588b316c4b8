#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/ensemble/replica_files.hpp"
#include "md/ensemble/state_sections.hpp"
#include "md/forces/bias/bias.hpp"
#include "md/forces/bias/collective_variable.hpp"
#include "md/forces/bias/input/bias_sections.hpp"
#include "md/input/barostat_row.hpp"
#include "md/input/check_ensemble.hpp"
#include "md/input/read_input.hpp"
#include "md/input/thermostat_row.hpp"
#include "md/integrate/moving_targets.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

class StateChecker {
 public:
  StateChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void check() {
    const bool asked = input_.places.contains("replicas");
    if (!states().empty() && !asked) {
      error("state[0]",
            "[[state]] is for a run of several replicas; expected [replicas] with \"interval\"");
    }
    for (std::size_t n = 0; n < states().size(); ++n) state(n);
    if (!asked) return;
    if (states().size() < 2) {
      error("replicas",
            fmt::format("[replicas] runs a replica in each [[state]]; expected at least "
                        "two of these, here {}",
                        states().empty() ? "is none" : "is one"));
    }
    ensemble();
    intervals();
    outputs();
  }

 private:
  const std::vector<StateSection>& states() const { return input_.tables<StateSection>(); }
  const std::vector<BiasSection>& biases() const { return input_.tables<BiasSection>(); }
  const ReplicasSection& replicas() const { return input_.section<ReplicasSection>(); }
  bool gives(std::string_view place) const { return input_.places.contains(place); }
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  void state(std::size_t n) {
    const std::string place = fmt::format("state[{}]", n);
    if (gives(place + ".pressure") && !input_.barostat.is_used()) {
      error(place + ".pressure", "a state with a pressure needs a [barostat]");
    }
    const auto& of_biases = states()[n].biases;
    for (std::size_t k = 0; k < of_biases.size(); ++k) {
      bias(of_biases, k, fmt::format("{}.bias[{}]", place, k));
    }
  }

  void bias(const std::vector<StateSection::OfBias>& all, std::size_t k, const std::string& place) {
    if (!good_(place + ".name")) return;
    const StateSection::OfBias& section = all[k];
    const auto found = std::ranges::find(biases(), section.name, &BiasSection::name);
    if (found == biases().end()) {
      std::vector<std::string_view> known;
      for (const BiasSection& of : biases()) known.push_back(of.name);
      std::string message = fmt::format("no [[bias]] has the name {}", quote(section.name));
      if (const auto near = comm::nearest_name(section.name, known)) {
        message += fmt::format("; did you mean {}?", quote(*near));
      }
      error(place + ".name", std::move(message));
      return;
    }
    for (std::size_t before = 0; before < k; ++before) {
      if (all[before].name != section.name) continue;
      error(place + ".name",
            fmt::format("the bias {} is there already in this state", quote(section.name)));
    }
    const BiasRow* const row = bias_table().find(found->kind);
    if (row == nullptr) return;
    for (const std::string_view key : {"center", "stiffness", "force"}) {
      const std::string of_key = fmt::format("{}.{}", place, key);
      if (!gives(of_key) || std::ranges::find(row->keys, key) != row->keys.end()) continue;
      error(of_key, fmt::format("the bias {} is of the kind {}, which has no {}",
                                quote(section.name), quote(found->kind), quote(key)));
    }
  }

  void ensemble() {
    if (const std::string why = why_no_ensemble(input_); !why.empty()) {
      error("replicas", fmt::format("replicas need an ensemble to exchange in: {}", why));
      return;
    }
    if (input_.thermostats.size() != 1 || !input_.thermostats[0].is_used()) {
      error("replicas", fmt::format("replicas need one [thermostat], which acts on all; here {}",
                                    input_.thermostats.size() > 1 ? "are several" : "is none"));
      return;
    }
    const ThermostatRow* const thermostat = row_of(input_.thermostats[0]);
    if (thermostat != nullptr && !thermostat->takes_ramps) {
      error("thermostat.kind",
            fmt::format("the temperature of a replica changes with its state, and kind = {} in "
                        "[thermostat] keeps one",
                        quote(input_.thermostats[0].kind)));
    }
    const BarostatRow* const barostat = row_of(input_.barostat);
    if (barostat != nullptr && !barostat->takes_ramps) {
      error("barostat.kind", fmt::format("the targets of a replica change with its state, and kind "
                                         "= {} in [barostat] keeps them",
                                         quote(input_.barostat.kind)));
    }
    if (replicas().exchange == ReplicasSection::Exchange::none) return;
    for (std::size_t n = 0; n < biases().size(); ++n) {
      if (biases()[n].kind != "metadynamics" && biases()[n].kind != "moving") continue;
      error(fmt::format("bias[{}].kind", n),
            fmt::format("a bias of the kind {} changes in time, so that states are not the same "
                        "from one exchange to the next; expected exchange = \"none\" in "
                        "[replicas], or another bias",
                        quote(biases()[n].kind)));
    }
  }

  void multiple_of(std::int64_t of, std::string_view whose) {
    if (of <= 1 || replicas().interval % of == 0) return;
    error("replicas.interval", fmt::format("\"interval\" in [replicas] is {}; expected a multiple "
                                           "of {}, {}",
                                           replicas().interval, of, whose));
  }

  void intervals() {
    if (!good_("replicas.interval")) return;
    const std::int64_t interval = replicas().interval;
    if (good_("run.steps") && input_.run.steps % interval != 0) {
      error("run.steps",
            fmt::format("\"steps\" is {}; expected a multiple of \"interval\" in "
                        "[replicas], which is {}, so that the run ends with an exchange",
                        input_.run.steps, interval));
    }
    multiple_of(input_.time_steps.longest(), "the longest of [multiple_time_steps]");
    if (input_.barostat.is_used()) multiple_of(input_.barostat.interval, "that of [barostat]");
    if (!has_value(input_, good_, "replicas.energy_interval")) return;
    const std::int64_t energies = replicas().steps_between_energies();
    if (interval % energies == 0 || energies % interval == 0) return;
    error(
        "replicas.energy_interval",
        fmt::format("\"energy_interval\" in [replicas] is {}; expected a divisor of \"interval\", "
                    "which is {}, or a multiple of it",
                    energies, interval));
  }

  void outputs() {
    if (input_.output.report && gives("output.report")) {
      error("output.report", "a run of replicas writes no report; expected false");
    }
    if (!input_.output.exports.empty()) {
      error(
          "output.export",
          "a run of replicas exports no trajectories; \"sterna export\" does it for each of them");
    }
  }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
};

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

void check_states(Input& input, bool, const IsGood& is_good, const Report& report) {
  StateChecker(input, is_good, report).check();
}

double temperature_of_state(const Input& input, std::size_t number) {
  const auto given = input.tables<StateSection>()[number].temperature;
  return given ? *given : input.thermostats[0].temperature;
}

std::optional<double> pressure_of_state(const Input& input, std::size_t number) {
  if (!input.barostat.is_used()) return std::nullopt;
  const auto given = input.tables<StateSection>()[number].pressure;
  return given ? *given : input.barostat.pressure;
}

RunState run_state(const Input& input, std::size_t number) {
  RunState state{.number = static_cast<int>(number),
                 .temperature = temperature_of_state(input, number),
                 .pressure = pressure_of_state(input, number),
                 .parameters = {}};
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
      state.parameters[fmt::format("{}.{}", bias.name, key)] = value;
    };
    set("center", unit * own.center);
    set("stiffness", own.stiffness / (per * per));
    set("force", own.force / per);
  }
  return state;
}

Input input_of_replica(const Input& input, std::size_t number) {
  Input own = input;
  own.section<MovingTargets>() = {.by_states = true, .first_state = static_cast<int>(number)};
  own.run.name = std::filesystem::path(replica_files::of_replica(output_stem(input), number))
                     .filename()
                     .string();
  // Random numbers follow from the seed, so each replica needs another one: a number that an input
  // file may have.
  constexpr std::uint64_t apart = 0xD1B54A32D192ED03U;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  own.run.seed = (own.run.seed + number * apart) & largest;
  own.output.checkpoint_interval = 0;
  own.output.checkpoint_time = 0.0;
  const double temperature = temperature_of_state(input, number);
  own.thermostats[0].temperature = temperature;
  if (own.start.temperature) own.start.temperature = temperature;
  if (const auto pressure = pressure_of_state(input, number)) own.barostat.pressure = *pressure;
  const StateSection& state = input.tables<StateSection>()[number];
  for (BiasSection& bias : own.tables<BiasSection>()) {
    bias = bias_in_state(state, bias);
  }
  return own;
}

}  // namespace sterna::md
