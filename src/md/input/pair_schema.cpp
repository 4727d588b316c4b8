#include "md/input/pair_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <string>
#include <utility>

#include "md/forces/pair/pair_potential_table.hpp"

namespace sterna::md {
namespace {

constexpr Range positive{.minimum = 0.0, .exclusive_minimum = true};
constexpr Range not_negative{.minimum = 0.0};

using Names = std::vector<std::string_view>;

/// One potential's parameter of some name.
struct Use {
  const PairPotentialEntry* potential;
  const PairParameter* parameter;
};

std::vector<Use> uses_of(std::string_view name) {
  std::vector<Use> uses;
  for (const PairPotentialEntry& entry : pair_potential_table()) {
    for (const PairParameter& parameter : entry.parameters) {
      if (parameter.name == name) uses.push_back({&entry, &parameter});
    }
  }
  return uses;
}

/// A schema looks at texts that live for ever.
std::string_view kept(std::string text) {
  static std::list<std::string> texts;
  return texts.emplace_back(std::move(text));
}

template <std::size_t number>
Target target_of(Input& input, std::size_t pair) {
  return &input.pairs[pair].parameters[number];
}
using TargetOf = Target (*)(Input&, std::size_t);
template <std::size_t... numbers>
constexpr std::array<TargetOf, sizeof...(numbers)> make_targets(std::index_sequence<numbers...>) {
  return {target_of<numbers>...};
}
constexpr auto targets = make_targets(std::make_index_sequence<most_pair_parameters>{});

/// Other programs' names of parameters.
Names aliases_of(std::string_view name) {
  if (name == "epsilon") return {"eps"};
  if (name == "sigma") return {"sig"};
  if (name == "amplitude") return {"A", "a"};
  if (name == "c6") return {"C", "c"};
  if (name == "c8") return {"D", "d"};
  if (name == "depth") return {"D0", "d0", "De"};
  if (name == "r0") return {"re", "minimum"};
  if (name == "repulsive_exponent") return {"n", "gammaR", "lambda_r"};
  if (name == "attractive_exponent") return {"m", "gammaA", "lambda_a"};
  return {};
}

KeySchema parameter_key(std::size_t number, std::string_view name) {
  const std::vector<Use> uses = uses_of(name);
  KeySchema key{.section = "pair", .name = name, .target = targets[number], .description = {}};
  Names potentials;
  std::string description, preset;
  key.dimension = uses[0].parameter->dimension;
  key.range = uses[0].parameter->range;
  for (const Use& use : uses) {
    potentials.push_back(use.potential->name);
    // What is a value of any of them; `check_pair_potentials` knows that of each.
    const Range& range = use.parameter->range;
    if (range.minimum < key.range.minimum) key.range = range;
    if (range.minimum == key.range.minimum && !range.exclusive_minimum) key.range = range;
    description += fmt::format("{}`{}`: {}", description.empty() ? "" : "; ", use.potential->name,
                               use.parameter->description);
    if (use.parameter->required) continue;
    preset = fmt::format("{}", use.parameter->preset);
  }
  const bool mixes = potentials[0] == "lennard_jones";
  key.description = kept(description + ".");
  key.default_text = mixes            ? std::string_view("mixed; required of other potentials")
                     : preset.empty() ? std::string_view("required")
                                      : kept(preset);
  key.condition = Condition{"pair", "potential", potentials, Severity::error};
  key.aliases = aliases_of(name);
  return key;
}

}  // namespace

std::vector<KeySchema> pair_keys() {
  std::vector<KeySchema> keys{
      {.section = "pair",
       .name = "first",
       .target = [](Input& i, std::size_t n) -> Target { return &i.pairs[n].first; },
       .description = "Name of one type or component.",
       .need = Need::required},
      {.section = "pair",
       .name = "second",
       .target = [](Input& i, std::size_t n) -> Target { return &i.pairs[n].second; },
       .description = "Name of the other.",
       .need = Need::required},
      {.section = "pair",
       .name = "potential",
       .target = [](Input& i, std::size_t n) -> Target { return &i.pairs[n].potential; },
       .description = "Of types: their potential; formulas and sources are in "
                      "[potentials.md](potentials.md).",
       .choices =
           [] {
             Names names;
             for (const PairPotentialEntry& entry : pair_potential_table()) {
               names.push_back(entry.name);
             }
             return names;
           },
       .aliases = {"style", "kind", "form"}},
      {.section = "pair",
       .name = "cutoff",
       .target = [](Input& i, std::size_t n) -> Target { return &i.pairs[n].cutoff; },
       .description = "Where the potential of these two types ends, if before the cutoff in "
                      "`[interaction]`. Where the potential is switched, that begins at the same "
                      "share of it.",
       .default_text = "the cutoff in `[interaction]`",
       .dimension = Dimension::length,
       .range = positive,
       .condition = Condition{"pair", "potential",
                              [] {
                                Names names;
                                for (const PairPotentialEntry& entry : pair_potential_table()) {
                                  if (entry.name != "lennard_jones") names.push_back(entry.name);
                                }
                                return names;
                              }(),
                              Severity::error},
       .aliases = {"rcut", "rc", "r_cut"}},
      {.section = "pair",
       .name = "table",
       .target = [](Input& i, std::size_t n) -> Target { return &i.pairs[n].table; },
       .description = "File with lines of three numbers, the distance, the energy and the force "
                      "-du/dr, in the units of the input; what follows a # is a comment. Relative "
                      "to the folder of the input file.",
       .need = Need::required,
       .condition = Condition{"pair", "potential", {"tabulated"}, Severity::error},
       .aliases = {"file", "points"}},
  };
  const auto names = pair_parameter_names();
  for (std::size_t number = 0; number < names.size(); ++number) {
    keys.push_back(parameter_key(number, names[number]));
  }
  const KeySchema of_components[] = {
      {.section = "pair",
       .name = "eta",
       .target = [](Input& i, std::size_t n) -> Target { return &i.pairs[n].eta; },
       .description = "Of components: factor of the mixed sigma between their sites: eta "
                      "(sigma1 + sigma2) / 2.",
       .default_text = "1",
       .range = positive},
      {.section = "pair",
       .name = "xi",
       .target = [](Input& i, std::size_t n) -> Target { return &i.pairs[n].xi; },
       .description = "Of components: factor of the mixed epsilon between their sites: xi "
                      "sqrt(epsilon1 epsilon2).",
       .default_text = "1",
       .range = not_negative}};
  keys.insert(keys.end(), std::begin(of_components), std::end(of_components));
  return keys;
}

}  // namespace sterna::md
