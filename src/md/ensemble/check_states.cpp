#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/ensemble/state_sections.hpp"
#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/bias/bias.hpp"
#include "md/forces/bias/input/bias_sections.hpp"
#include "md/input/barostat_row.hpp"
#include "md/input/check_ensemble.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/thermostat_row.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

class StateChecker {
 public:
  StateChecker(const Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void check() {
    const bool asked = input_.places.contains("replicas");
    if (gives("state[0]") && !asked) {
      report_(Severity::warning, "state[0]",
              "a run is in none of the [[state]]s without [replicas], which runs a replica in each "
              "of them; they only tell in which states a program may ask for energies");
    }
    for (std::size_t n = 0; n < states().size(); ++n) state(n);
    if (!asked) return;
    if (states().size() < 2) {
      error("replicas",
            fmt::format("[replicas] runs a replica in each [[state]], or without these in each "
                        "state of [alchemy]; expected at least two, here {}",
                        states().empty() ? "is none" : "is one"));
    }
    ensemble();
    intervals();
    outputs();
    expanded();
    observers();
    if (alchemy().is_used()) alchemical_keys();
  }

 private:
  const std::vector<StateSection>& states() const { return input_.tables<StateSection>(); }
  const std::vector<BiasSection>& biases() const { return input_.tables<BiasSection>(); }
  const ReplicasSection& replicas() const { return input_.section<ReplicasSection>(); }
  const AlchemySection& alchemy() const { return input_.section<AlchemySection>(); }
  bool gives(std::string_view place) const { return input_.places.contains(place); }
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  void state(std::size_t n) {
    const std::string place = fmt::format("state[{}]", n);
    if (gives(place + ".pressure") && !input_.barostat.is_used()) {
      error(place + ".pressure", "a state with a pressure needs a [barostat]");
    }
    if (gives(place + ".alchemical_state") && good_(place + ".alchemical_state")) {
      alchemical_state(states()[n].alchemical_state, place + ".alchemical_state");
    }
    const auto& of_biases = states()[n].biases;
    for (std::size_t k = 0; k < of_biases.size(); ++k) {
      bias(of_biases, k, fmt::format("{}.bias[{}]", place, k));
    }
  }

  void alchemical_state(std::int64_t number, const std::string& place) {
    if (!gives("alchemy")) {
      error(place, "a state with an alchemical state needs [alchemy]");
    } else if (number >= static_cast<std::int64_t>(alchemy().state_count())) {
      error(place, fmt::format("there is no state {} in [alchemy], which has {} states, counted "
                               "from 0",
                               number, alchemy().state_count()));
    }
  }

  /// What [alchemy] says of a single run has no effect on replicas.
  void alchemical_keys() {
    const bool is_in_all = !gives("state[0]");
    if (gives("alchemy.state") && is_in_all) {
      report_(Severity::warning, "alchemy.state",
              "\"state\" has no effect with [replicas], which runs a replica in each state of "
              "[alchemy]");
    }
    if (gives("alchemy.interval")) {
      report_(Severity::warning, "alchemy.interval",
              "\"interval\" in [alchemy] has no effect on replicas, whose energies in all states "
              "are written every \"energy_interval\" of [replicas]");
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

  void expanded() {
    if (!replicas().are_expanded()) {
      for (const std::string_view key : {"walkers", "weights"}) {
        const std::string place = fmt::format("replicas.{}", key);
        if (!gives(place)) continue;
        error(place, fmt::format("{} is for an expanded ensemble; expected exchange = \"expanded\"",
                                 quote(key)));
      }
      return;
    }
    const std::size_t given = replicas().weights.size();
    if (!gives("replicas.weights") || !good_("replicas.weights") || given == states().size())
      return;
    error("replicas.weights", fmt::format("\"weights\" has {} numbers; expected one for each of {} "
                                          "states",
                                          given, states().size()));
  }

  void observers() {
    if (replicas().exchange == ReplicasSection::Exchange::none) return;
    for (const ObserverRow& row : observer_rows()) {
      const std::string first = fmt::format("{}[0]", row.schema.name);
      const std::string_view place = gives(first) ? std::string_view(first) : row.schema.name;
      if (!gives(place) || row.interval == nullptr || row.interval(input_) == 0) continue;
      report_(Severity::warning, place,
              fmt::format("the results of [{}] of a replica are over all states that it visits; "
                          "expected exchange = \"none\" in [replicas] for those of each state",
                          row.schema.name));
    }
  }

  const Input& input_;
  const IsGood& good_;
  const Report& report_;
};

}  // namespace

void check_states(Input& input, bool, const IsGood& is_good, const Report& report) {
  // Nobody has to write the states of [alchemy] twice.
  auto& states = input.tables<StateSection>();
  if (input.places.contains("replicas") && states.empty()) {
    states.resize(input.section<AlchemySection>().state_count());
    for (std::size_t n = 0; n < states.size(); ++n) {
      states[n].alchemical_state = static_cast<std::int64_t>(n);
    }
  }
  StateChecker(input, is_good, report).check();
}

}  // namespace sterna::md
