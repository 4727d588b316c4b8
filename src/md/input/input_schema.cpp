#include "md/input/input_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "md/input/barostat_row.hpp"
#include "md/input/integrator_row.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/sections/section.hpp"
#include "md/input/start_reader_row.hpp"
#include "md/input/thermostat_row.hpp"
#include "md/input/trajectory_row.hpp"

namespace sterna::md {
namespace {

constexpr InputSection (*const declared_sections[])() = {
#define STERNA_INPUT_SECTION(name) section::name,
#include "md/input/sections/section_list.inc"
#undef STERNA_INPUT_SECTION
};

/// The key "units", which stands before the first section.
KeySchema units_key() {
  return {.section = "",
          .name = "units",
          .target = [](Input& i, std::size_t) -> Target { return &i.units; },
          .description =
              "What plain numbers mean. \"reduced\": Lennard-Jones units, everything in terms of "
              "mass, sigma and epsilon. \"nano\": nm, ps, u, kJ/mol, K, bar. \"metal\": angstrom, "
              "ps, u, eV, K, bar. \"real\": angstrom, fs, u, kcal/mol, K, atm.",
          .choices =
              [] {
                const auto names = UnitSystem::names();
                return std::vector<std::string_view>(names.begin(), names.end());
              },
          .aliases = {"unit", "unit_style", "unit_system"}};
}

/// Puts each section that a kind of physics declares behind the one that it names, which may be of
/// another kind.
void add_sections_of_physics(std::vector<InputSection>& all) {
  std::vector<InputSection> waiting;
  for (const PhysicsRow& physics : physics_rows()) {
    std::string_view before = {};
    for (const auto declare : physics.sections) {
      InputSection section = declare();
      if (section.behind.empty()) section.behind = before;
      before = section.schema.name;
      waiting.push_back(std::move(section));
    }
  }
  const auto place = [&](InputSection& section) {
    const auto before = std::ranges::find(
        all, section.behind, [](const InputSection& other) { return other.schema.name; });
    if (before == all.end()) return false;
    all.insert(before + 1, std::move(section));
    return true;
  };
  for (bool placed = true; placed;) {
    placed = false;
    for (auto section = waiting.begin(); section != waiting.end();) {
      if (place(*section)) {
        section = waiting.erase(section);
        placed = true;
      } else {
        ++section;
      }
    }
  }
  if (waiting.empty()) return;
  throw std::logic_error(fmt::format("[{}] stands behind [{}], which is no section",
                                     waiting.front().schema.name, waiting.front().behind));
}

/// Puts each key that a kind of physics adds to a section behind the key that it names.
void add_keys_of_physics(std::vector<InputSection>& all) {
  for (const PhysicsRow& physics : physics_rows()) {
    if (physics.keys == nullptr) continue;
    for (AddedKey& added : physics.keys()) {
      const auto section = std::ranges::find(
          all, added.section, [](const InputSection& other) { return other.schema.name; });
      if (section == all.end()) {
        throw std::logic_error(fmt::format("\"{}\" belongs to [{}], which is no section",
                                           added.key.name, added.section));
      }
      const auto before = std::ranges::find(section->keys, added.behind, &KeySchema::name);
      if (before == section->keys.end()) {
        throw std::logic_error(fmt::format("\"{}\" stands behind \"{}\", which is no key of [{}]",
                                           added.key.name, added.behind, added.section));
      }
      section->keys.insert(before + 1, std::move(added.key));
    }
  }
}

/// All sections with their keys, in the order of the reference page.
const std::vector<InputSection>& all_sections() {
  static const std::vector<InputSection> sections = [] {
    std::vector<InputSection> all;
    for (const auto declare : declared_sections) all.push_back(declare());
    add_sections_of_physics(all);
    add_keys_of_physics(all);
    for (const ObserverRow& observer : observer_rows()) {
      all.push_back({.schema = observer.schema, .keys = observer.keys});
      all.back().schema.keeps_state = true;
    }
    for (const TrajectoryRow& trajectory : trajectory_rows()) {
      all.push_back({.schema = trajectory.schema, .keys = trajectory.keys});
      all.back().schema.keeps_state = true;
    }
    return all;
  }();
  return sections;
}

/// For a key whose value is an enum, takes choices and their descriptions from the enum's table.
void take_choices(KeySchema& key, const Target& target) {
  std::vector<std::string_view> (*sentences)() = nullptr;
  const auto take = [&](const auto& choices) {
    key.choices = choices.names;
    sentences = choices.sentences;
  };
  if (const auto* choice = std::get_if<ChoiceTarget>(&target)) take(*choice);
  if (const auto* choices = std::get_if<ChoiceListTarget>(&target)) take(*choices);
  std::string text(key.description);
  const auto add = [&text](std::string_view more) {
    if (!text.empty() && !more.empty()) text += " ";
    text += more;
  };
  if (sentences != nullptr) std::ranges::for_each(sentences(), add);
  add(key.remark);
  key.description = section::kept(std::move(text));
}

std::vector<KeySchema> make_keys() {
  std::vector<KeySchema> keys{units_key()};
  for (const InputSection& section : all_sections()) {
    for (KeySchema key : section.keys) {
      key.section = section.schema.name;
      keys.push_back(std::move(key));
    }
  }
  Input input = input_with_all_sections();
  for (KeySchema& key : keys) take_choices(key, key.target(input, 0));
  return keys;
}

/// A number as users write it: 1e15, 1000, 0.5.
std::string number_text(double value) {
  const double exponent = std::round(std::log10(std::abs(value)));
  if (exponent >= 6.0 && value == std::pow(10.0, exponent)) return fmt::format("1e{}", exponent);
  return fmt::format("{}", value);
}

std::string with_range(std::string noun, const Range& range) {
  const std::string text = range_text(range);
  return text.empty() ? noun : fmt::format("{} {}", noun, text);
}

/// Three numbers as "[1, 2, 3]".
template <class Triple>
std::string triple_text(const Triple& triple) {
  return fmt::format("[{}, {}, {}]", triple[0], triple[1], triple[2]);
}

struct DefaultText {
  std::string operator()(const UnitSystem* units) const {
    return fmt::format("\"{}\"", units->name());
  }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::int64_t* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::uint64_t* value) const { return fmt::format("{}", *value); }
  std::string operator()(const double* value) const { return number_text(*value); }
  std::string operator()(const std::string* value) const { return fmt::format("\"{}\"", *value); }
  std::string operator()(const std::optional<double>*) const { return {}; }
  std::string operator()(const Vec3* value) const {
    return fmt::format("[{}, {}, {}]", value->x, value->y, value->z);
  }
  std::string operator()(const std::optional<Vec3>*) const { return {}; }
  std::string operator()(const std::array<int, 3>* value) const { return triple_text(*value); }
  std::string operator()(const std::vector<std::string>* values) const { return list(*values); }
  std::string operator()(const ChoiceTarget& target) const {
    const std::string_view name = choice_name(target);
    return name.empty() ? std::string() : fmt::format("\"{}\"", name);
  }
  std::string operator()(const ChoiceListTarget& target) const {
    return list(choice_names(target));
  }
  std::string operator()(const std::vector<double>*) const { return {}; }
  std::string operator()(const Input::AtomLists*) const { return {}; }

  template <class Names>
  static std::string list(const Names& names) {
    std::string text;
    for (const auto& name : names) {
      text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name);
    }
    return "[" + text + "]";
  }
};

}  // namespace

bool is_inner(const SectionSchema& section) {
  return section.name.find('.') != std::string_view::npos;
}

std::span<const SectionSchema> input_sections() {
  static const std::vector<SectionSchema> schemas = [] {
    std::vector<SectionSchema> all;
    for (const InputSection& section : all_sections()) all.push_back(section.schema);
    return all;
  }();
  return schemas;
}

std::span<const KeySchema> input_keys() {
  static const std::vector<KeySchema> keys = make_keys();
  return keys;
}

Input input_with_all_sections() {
  Input input;
  // An outer section comes before its inner sections, so that each has a table.
  for (const SectionSchema& section : input_sections()) {
    if (section.tables.resize != nullptr) section.tables.resize(input, 0, 1);
  }
  return input;
}

void check_owners_sections(const Input& input, const IsGood& is_good, const Report& report) {
  for (const InputSection& section : all_sections()) {
    if (section.check != nullptr) section.check(input, is_good, report);
  }
}

const SectionSchema* find_section(std::string_view name) {
  for (const SectionSchema& section : input_sections()) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

const KeySchema* find_key(std::string_view section, std::string_view name) {
  for (const KeySchema& key : input_keys()) {
    if (key.section == section && key.name == name) return &key;
  }
  return nullptr;
}

// It is long because it is a table, with a row for each word of another program.
std::string_view translated_choice(std::string_view value,
                                   std::span<const std::string_view> choices) {
  const auto is_choice = [choices](std::string_view name) {
    return std::ranges::find(choices, name) != choices.end();
  };
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"verlet", "velocity_verlet"},
      {"nve", "velocity_verlet"},
      {"nvt", "velocity_verlet"},
      {"md", "velocity_verlet"},
      {"minimise", "minimize"},
      {"cg", "minimize"},
      {"fire", "minimize"},
      {"steepest_descent", "minimize"},
      {"float", "mixed"},
      {"single", "mixed"},
      {"float64", "double"},
      {"shift", "shifted"},
      {"cut", "truncated"},
      {"none", "truncated"},
      {"switch", "switched"},
      {"arithmetic", "lorentz_berthelot"},
      {"sixthpower", "waldman_hagler"},
      {"si", "nano"},
      {"gromacs", "nano"},
      {"sse", "baseline"},
      {"scalar", "baseline"},
      {"avx", "avx2"},
      {"asimd", "neon"},
      {"cubic", "sc"},
      {"lj", "lennard_jones"},
      {"lj126", "lennard_jones"},
      {"LJ126", "lennard_jones"},
      {"Charge", "charge"},
      {"Dipole", "dipole"},
      {"Quadrupole", "quadrupole"},
      {"coulomb", "charge"},
      {"xyz", "extxyz"},
      {"exyz", "extxyz"},
      {"dump", "lammpstrj"},
      {"lammps", "lammpstrj"},
      {"lmp", "data"},
      {"spc/e", "spce"},
      {"SPC/E", "spce"},
      {"SPCE", "spce"},
      {"tip4p/2005", "tip4p_2005"},
      {"TIP4P/2005", "tip4p_2005"},
      {"TIP3P", "tip3p"},
      {"rf", "reaction_field"},
      {"ReactionField", "reaction_field"},
      {"reaction-field", "reaction_field"},
      {"cutoff", "truncated"},
      {"com", "center_of_mass"},
      {"CenterOfMass", "center_of_mass"},
      {"molecule", "center_of_mass"},
      {"atom", "site"},
      {"TwoParticleAverageSite", "2"},
      {"ThreeParticleAverageSite", "3"},
      {"OutOfPlaneSite", "3out"},
      {"LocalCoordinatesSite", "local"},
      {"average2", "2"},
      {"average3", "3"},
      {"outOfPlane", "3out"},
      {"localCoords", "local"},
      {"3FD", "3fd"},
      {"3FAD", "3fad"},
      {"3OUT", "3out"},
      {"2FD", "2fd"},
      {"4FDN", "4fdn"},
  };
  for (const auto& [other, own] : words) {
    if (other == value && is_choice(own)) return own;
  }
  const auto choice_of = [&](const auto& table) {
    const auto* const row = table.find_alias(value);
    return row != nullptr && is_choice(row->name) ? row->name : std::string_view();
  };
  for (const std::string_view own : {choice_of(thermostat_rows()), choice_of(integrator_rows()),
                                     choice_of(barostat_rows()), choice_of(start_reader_rows())}) {
    if (!own.empty()) return own;
  }
  return {};
}

std::string range_text(const Range& range) {
  std::string text;
  if (std::isfinite(range.minimum)) {
    text = fmt::format("{} {}", range.exclusive_minimum ? "greater than" : "of at least",
                       number_text(range.minimum));
  }
  if (std::isfinite(range.maximum)) {
    text += fmt::format("{} {}", text.empty() ? "of at most" : " and at most",
                        number_text(range.maximum));
  }
  return text;
}

std::string_view choice_name(const ChoiceTarget& target) {
  const auto choice = target.get(target.place);
  return choice ? target.names().at(*choice) : std::string_view();
}

std::vector<std::string_view> choice_names(const ChoiceListTarget& target) {
  const auto all = target.names();
  std::vector<std::string_view> names;
  for (const std::size_t choice : target.get(target.place)) names.push_back(all.at(choice));
  return names;
}

std::string choice_list(std::span<const std::string_view> choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += fmt::format("\"{}\"", choices[i]);
  }
  return text;
}

std::string key_label(const KeySchema& key) {
  if (key.section.empty()) return fmt::format("\"{}\"", key.name);
  return fmt::format("\"{}\" in {}", key.name, section_label(*find_section(key.section)));
}

std::string section_label(const SectionSchema& section) {
  return section.is_array ? fmt::format("[[{}]]", section.name) : fmt::format("[{}]", section.name);
}

namespace {

Input& completed_default() {
  static Input input = input_with_all_sections();
  return input;
}

struct Expectation {
  const KeySchema& key;
  const UnitSystem& units;

  std::string quantity() const {
    if (key.wall_clock) return with_range("a time in seconds", key.range);
    const auto noun = units.is_reduced() ? "a number" : dimension_noun(key.dimension);
    std::string text = with_range(std::string(noun), key.range);
    const std::string_view unit = units.label(key.dimension);
    if (!unit.empty()) text += fmt::format(", in {0} or as a text such as \"1.5 {0}\"", unit);
    return text;
  }
  std::string integer() const { return with_range("an integer", key.range); }
  std::string choices() const { return choice_list(key.choices()); }
  std::string triple(std::string_view example) const {
    return fmt::format("{}, such as {}", with_range("three numbers", key.range), example);
  }

  std::string operator()(const UnitSystem*) const { return choices(); }
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const int*) const { return integer(); }
  std::string operator()(const std::int64_t*) const { return integer(); }
  std::string operator()(const std::uint64_t*) const { return integer(); }
  std::string operator()(const double*) const { return quantity(); }
  std::string operator()(const std::optional<double>*) const { return quantity(); }
  std::string operator()(const std::string*) const {
    return key.choices != nullptr ? choices() : "a text in quotes";
  }
  std::string operator()(const Vec3*) const { return triple("[0.0, 0.0, 1.0]"); }
  std::string operator()(const std::optional<Vec3>*) const { return triple("[20.0, 20.0, 20.0]"); }
  std::string operator()(const std::array<int, 3>*) const {
    return with_range("three integers", key.range) + ", such as [4, 4, 4]";
  }
  std::string operator()(const std::vector<std::string>*) const {
    return key.choices != nullptr ? fmt::format("a list of {}", choices())
                                  : "a list of texts in quotes";
  }
  std::string operator()(const ChoiceTarget&) const { return choices(); }
  std::string operator()(const ChoiceListTarget&) const {
    return fmt::format("a list of {}", choices());
  }
  std::string operator()(const std::vector<double>*) const {
    return fmt::format("a list of which each item is {}", quantity());
  }
  std::string operator()(const Input::AtomLists*) const {
    return "numbers of atoms, counted from 1, such as [1, 2], or a list of such lists";
  }
};

}  // namespace

std::string default_text(const KeySchema& key) {
  if (key.need == Need::required) return {};
  if (!key.default_text.empty()) return std::string(key.default_text);
  return std::visit(DefaultText{}, key.target(completed_default(), 0));
}

std::string expectation(const KeySchema& key, const UnitSystem& units) {
  return std::visit(Expectation{key, units}, key.target(completed_default(), 0));
}

}  // namespace sterna::md
