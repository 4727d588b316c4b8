#include "md/replicas/state_files.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "md/core/gas_constant.hpp"
#include "md/ensemble/replica_files.hpp"
#include "md/ensemble/run_state.hpp"
#include "md/ensemble/states_from_input.hpp"
#include "md/forces/alchemy/input/mutation_sections.hpp"
#include "md/input/read_input.hpp"
#include "sterna/version.hpp"

namespace sterna::md {
namespace {

std::string path_of(const Input& input, std::size_t state) {
  return replica_files::of_state(output_stem(input), state) + std::string(replica_files::energies);
}

}  // namespace

StateFiles::StateFiles(const Input& input)
    : input_(input), is_alchemical_(states_are_alchemical(input)) {}

void StateFiles::create() {
  const DhdlHead head = this->head();
  for (std::size_t state = 0; state < head.lambdas.size(); ++state) {
    files_.emplace_back(path_of(input_, state), head.of_state(state));
  }
}

void StateFiles::reopen(const Json& sizes) {
  for (std::size_t state = 0; state < count_of_states(input_); ++state) {
    files_.emplace_back(path_of(input_, state), sizes.at(state).get<std::uint64_t>());
  }
}

double StateFiles::unit() const {
  const double temperature = temperature_of_state(input_, 0);
  return is_alchemical_ ? input_.units.boltzmann() * temperature
                        : 1e-3 * gas_constant * temperature;
}

DhdlHead StateFiles::head() const {
  const std::size_t states = count_of_states(input_);
  DhdlHead head{
      .comment = fmt::format("# Reduced energies of the samples of one state in all "
                             "states, written by sterna {}: what\n# the others have more, "
                             "times this k T:\n",
                             version),
      .temperature = temperature_of_state(input_, 0),
      .thermal_energy = unit(),
      .parts = {},
      .lambdas = {},
      .derivatives = is_alchemical_ ? alchemical_parts_of_positions(input_).size() : 0};
  for (std::size_t part = 0; part < head.derivatives; ++part) {
    head.parts.emplace_back(alchemical_parts[part].lambda);
  }
  // States that differ in other ways, too, are told apart by their numbers.
  std::set<std::vector<double>> distinct;
  bool only_alchemical = is_alchemical_;
  RunState first = run_state(input_, 0);
  for (std::size_t state = 0; state < states; ++state) {
    RunState own = run_state(input_, state);
    std::vector<double>& lambdas = head.lambdas.emplace_back();
    if (is_alchemical_) {
      for (const AlchemicalPart& part : alchemical_parts) {
        const auto lambda = own.parameters.find(part.parameter);
        if (lambdas.size() < head.derivatives) lambdas.push_back(lambda->second);
        own.parameters.erase(lambda);
        if (state == 0) first.parameters.erase(first.parameters.find(part.parameter));
      }
    }
    only_alchemical = only_alchemical && distinct.insert(lambdas).second &&
                      own.temperature == first.temperature && own.pressure == first.pressure &&
                      own.parameters == first.parameters;
  }
  if (only_alchemical) return head;
  head.parts.emplace_back("state-lambda");
  for (std::size_t state = 0; state < states; ++state) {
    head.lambdas[state].push_back(static_cast<double>(state));
  }
  return head;
}

void StateFiles::write(const MeetingData& met, std::span<const std::size_t> state_of, double time) {
  const double unit = this->unit();
  for (std::size_t replica = 0; replica < state_of.size(); ++replica) {
    const std::size_t own = state_of[replica];
    std::string line = fmt::format("{:.6f}", time);
    if (is_alchemical_) {
      const double reduced = unit / (input_.units.boltzmann() * temperature_of_state(input_, own));
      const std::span slopes = met.derivatives[replica];
      for (const double slope : slopes.first(alchemical_parts_of_positions(input_).size())) {
        line += fmt::format(" {:.10g}", reduced * slope);
      }
    }
    const std::vector<double>& energies = met.reduced[replica];
    for (const double energy : energies) {
      line += fmt::format(" {:.10g}", unit * (energy - energies[own]));
    }
    files_[own].append(line + "\n");
  }
}

void StateFiles::sync() {
  for (GrowingFile& file : files_) file.sync();
}

Json StateFiles::sizes() const {
  Json sizes = Json::array();
  for (const GrowingFile& file : files_) sizes.push_back(file.bytes());
  return sizes;
}

}  // namespace sterna::md
