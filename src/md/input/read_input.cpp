#include "md/input/read_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/check_input.hpp"
#include "md/input/check_molecules.hpp"
#include "md/input/checked_toml.hpp"
#include "md/input/foreign_files.hpp"
#include "md/input/hydrogen_mass.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/molecule_file.hpp"
#include "md/input/published_components.hpp"
#include "md/input/syntax_error.hpp"
#include "sterna/comm/nearest_name.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {
namespace {

constexpr std::size_t largest_file = 1u << 20;  // bytes; an input file has a few thousand
constexpr std::size_t most_diagnostics = 100;   // nobody reads more; bounds the time
constexpr std::size_t longest_line = 1000;      // bytes kept of a source line
constexpr std::size_t most_tables = 256;        // of types and sites: pairs grow with the square
constexpr std::size_t most_pairs = 65536;
constexpr std::size_t most_in_molecule = 100'000'000;
constexpr std::int64_t endless = 1'000'000'000'000'000;  // steps of a run that a program ends
// Beyond these, powers of a number leave the range of a double; nothing physical is there. What is
// smaller is 0 that a program has computed, where 0 is allowed.
constexpr double largest_number = 1e15;
constexpr double smallest_number = 1e-15;

std::string found(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return quote(node.ref<std::string>());
    case toml::node_type::integer:
      return fmt::format("{}", node.ref<std::int64_t>());
    case toml::node_type::floating_point:
      return fmt::format("{}", node.ref<double>());
    case toml::node_type::boolean:
      return node.ref<bool>() ? "true" : "false";
    case toml::node_type::array: {
      const std::size_t count = node.as_array()->size();
      return fmt::format("a list of {} value{}", count, count == 1 ? "" : "s");
    }
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

/// A number of a TOML document, whichever way it is written; nothing for other nodes.
std::optional<double> plain_number(const toml::node& node) {
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  if (const auto* number = node.as_floating_point()) return number->get();
  return std::nullopt;
}

/// A whole number, also when written as 1e6.
std::optional<std::int64_t> whole_number(const toml::node& node) {
  if (const auto* integer = node.as_integer()) return integer->get();
  const auto* number = node.as_floating_point();
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (number == nullptr || !(std::abs(number->get()) <= exact)) return std::nullopt;
  if (std::floor(number->get()) != number->get()) return std::nullopt;
  return static_cast<std::int64_t>(number->get());
}

bool in_range(double value, const Range& range) {
  if (!(value <= range.maximum)) return false;
  return range.exclusive_minimum ? value > range.minimum : value >= range.minimum;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, bool look_at_files,
         bool from_program = false)
      : text_(text), look_at_files_(look_at_files), from_program_(from_program) {
    result_.input.path = name;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    while (true) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      lines_.push_back(line);
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
  }

  ReadResult read() {
    std::optional<toml::table> parsed = parse();
    if (!parsed) return std::move(result_);
    toml::table& document = *parsed;
    read_units(document);
    for (auto&& [key, node] : document) read_top_level(key, node);
    missing();
    conditions();
    const std::vector<Diagnostic> in_molecule_files = read_molecule_files();
    if (from_program_ && !result_.input.places.contains("run.steps")) {
      result_.input.run.steps = endless;
    } else if (!from_program_ && result_.input.start.kind == "program") {
      report(Severity::error, place_named("start.kind"),
             "only a program in C++ or Python can give particles itself; expected \"lattice\", "
             "\"random\" or \"file\"");
    }
    // From here on a component's number does not tell that of its sites in the file.
    take_published_sites(result_.input);
    mass_density();
    check_input(result_.input, look_at_files_, is_good(), reports());
    if (result_.ok() && in_molecule_files.empty()) hydrogen_masses();
    sort_diagnostics();
    result_.diagnostics.insert(result_.diagnostics.end(), in_molecule_files.begin(),
                               in_molecule_files.end());
    if (more_errors_) {
      result_.diagnostics.push_back({Severity::error,
                                     result_.input.path,
                                     0,
                                     0,
                                     1,
                                     "there are more errors, which are not shown",
                                     {},
                                     1});
    }
    return std::move(result_);
  }

  /// Of the file of a molecule, whose text this is: the first molecule of the result. `around`: the
  /// input that names the file.
  ReadResult read_molecule(const Input& around, const Input::Molecule& molecule) {
    result_.input.units = around.units;
    result_.input.types = around.types;
    result_.input.interaction = around.interaction;
    result_.input.molecules.resize(1);
    result_.input.molecules[0].name = molecule.name;
    result_.input.molecules[0].count = molecule.count;
    result_.input.molecules[0].file = molecule.file;
    result_.input.molecules[0].residue_numbers = molecule.residue_numbers;
    result_.input.molecules[0].chains = molecule.chains;
    std::optional<toml::table> parsed = parse();
    if (!parsed) return std::move(result_);
    toml::table& document = *parsed;
    for (const char* key : {"name", "count", "residue_numbers", "chains", "file"}) {
      if (const toml::node* node = document.get(key)) {
        error(node->source(), fmt::format("\"{}\" belongs in the [[molecule]] of the input", key));
        document.erase(key);
      }
      excused_.insert(fmt::format("molecule[0].{}", key));
    }
    const SectionSchema& section = *find_section("molecule");
    read_section(section, document, "molecule[0]", 0, document.source());
    missing_keys();
    conditions();
    check_molecule(result_.input, 0, is_good(), reports());
    sort_diagnostics();
    return std::move(result_);
  }

 private:
  /// Nothing where the text is no TOML, which is reported.
  std::optional<toml::table> parse() {
    try {
      return toml::parse(text_, std::string_view(result_.input.path));
    } catch (const toml::parse_error& problem) {
      syntax_error(problem);
    } catch (const TomlParserFault&) {
      parser_fault();
    }
    return std::nullopt;
  }

  IsGood is_good() const {
    return [this](std::string_view place) {
      return result_.input.places.contains(place) && !bad_.contains(place);
    };
  }
  Report reports() {
    return [this](Severity severity, std::string_view place, std::string message) {
      report(severity, place_named(place), std::move(message));
    };
  }

  /// In the order of the file; what has no line comes last.
  void sort_diagnostics() {
    std::ranges::stable_sort(result_.diagnostics, {}, [](const Diagnostic& d) {
      return std::tuple(d.line == 0 ? std::numeric_limits<int>::max() : d.line, d.column);
    });
  }

  using Place = Input::Place;

  void hydrogen_masses() {
    try {
      move_hydrogen_masses(result_.input);
    } catch (const HydrogenMassError& problem) {
      report(Severity::error,
             place_named(fmt::format("molecule[{}].hydrogen_mass", problem.molecule())),
             problem.what());
    }
  }

  /// What is wrong in the files of molecules.
  std::vector<Diagnostic> read_molecule_files() {
    std::vector<Diagnostic> findings;
    for (std::size_t m = 0; m < result_.input.molecules.size(); ++m) {
      const std::string place = fmt::format("molecule[{}].file", m);
      if (!look_at_files_ || !result_.input.places.contains(place) || bad_.contains(place))
        continue;
      try {
        const std::string text = molecule_file_text(result_.input, result_.input.molecules[m]);
        ReadResult read = read_molecule_text(result_.input, m, text);
        findings.insert(findings.end(), read.diagnostics.begin(), read.diagnostics.end());
        const bool good = read.ok();
        if (good) result_.input.molecules[m] = std::move(read.input.molecules[0]);
      } catch (const std::runtime_error& problem) {
        report(Severity::error, place_named(place), problem.what());
      }
    }
    return findings;
  }

  // ---- places

  Place place_of(const toml::source_region& region) const {
    Place place;
    const auto line = static_cast<std::size_t>(region.begin.line);
    if (line == 0 || line > lines_.size()) return place;
    place.line = static_cast<int>(line);
    place.column = static_cast<int>(region.begin.column);
    if (region.end.line == region.begin.line && region.end.column > region.begin.column) {
      place.length = static_cast<int>(region.end.column - region.begin.column);
    }
    keep_source(place, lines_[line - 1]);
    return place;
  }

  /// A file may be one line of a million characters, with a thousand places in it.
  static void keep_source(Place& place, std::string_view line) {
    if (line.size() <= longest_line) {
      place.source_line = line;
      return;
    }
    const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; };
    std::size_t at = 0;  // the byte where the column begins
    for (int column = 0; at < line.size(); ++at) {
      if (is_start(line[at]) && ++column == place.column) break;
    }
    std::size_t begin = at > longest_line / 2 ? at - longest_line / 2 : 0;
    while (begin < line.size() && !is_start(line[begin])) ++begin;
    place.source_line = line.substr(begin, longest_line);
    place.source_column =
        1 + static_cast<int>(std::ranges::count_if(line.substr(0, begin), is_start));
  }

  Place place_named(std::string_view name) const {
    const auto found_place = result_.input.places.find(name);
    if (found_place != result_.input.places.end()) return found_place->second;
    // "start.cells" may not be there: then its section is what to look at.
    const std::size_t point = name.rfind('.');
    return point == std::string_view::npos ? Place{} : place_named(name.substr(0, point));
  }

  void syntax_error(const toml::parse_error& problem) {
    SyntaxError found_error =
        explain_syntax_error(place_of(problem.source()), problem.description());
    report(Severity::error, found_error.place, std::move(found_error.message));
  }

  /// The parser gave up without saying where: at the end of the shortest text that has the fault.
  void parser_fault() {
    const auto fails = [this](std::size_t lines) {
      const std::size_t end = static_cast<std::size_t>(lines_[lines - 1].data() - text_.data()) +
                              lines_[lines - 1].size();
      try {
        static_cast<void>(toml::parse(text_.substr(0, end)));
      } catch (const TomlParserFault&) {
        return true;
      } catch (const toml::parse_error&) {
      }
      return false;
    };
    std::size_t low = 1, high = lines_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (fails(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    Place place;
    place.line = static_cast<int>(low);
    const std::string_view line = lines_[low - 1];
    const std::size_t first = line.find_first_not_of(" \t");
    place.column = first == std::string_view::npos ? 1 : static_cast<int>(first) + 1;
    keep_source(place, line);
    const bool header = first != std::string_view::npos && line[first] == '[';
    report(Severity::error, place,
           header ? "not valid TOML: expected a name in the brackets, as in [run] or [[type]]"
                  : "not valid TOML: this line cannot be understood");
  }

  void report(Severity severity, const Place& place, std::string message) {
    ++findings_;
    if (is_full()) {
      more_errors_ = more_errors_ || severity == Severity::error;
      return;
    }
    result_.diagnostics.push_back({severity, result_.input.path, place.line, place.column,
                                   place.length, std::move(message), place.source_line,
                                   place.source_column});
  }

  bool is_full() const { return result_.diagnostics.size() >= most_diagnostics; }

  void error(const toml::source_region& region, std::string message) {
    report(Severity::error, is_full() ? Place{} : place_of(region), std::move(message));
  }

  // ---- the document

  void read_units(const toml::table& document) {
    const toml::node* node = document.get("units");
    if (node == nullptr) return;
    const KeySchema& key = *find_key("", "units");
    const auto* text = node->as_string();
    const auto units =
        text != nullptr ? UnitSystem::by_name(text->get()) : std::optional<UnitSystem>{};
    if (units) {
      result_.input.units = *units;
      return;
    }
    units_unknown_ = true;
    wrong_value(key, *node);
  }

  void read_top_level(const toml::key& key, const toml::node& node) {
    if (const KeySchema* known = find_key("", key.str())) {
      remember(std::string(known->name), key.source(), node);
      return;
    }
    const SectionSchema* section = find_section(key.str());
    if (section == nullptr || key.str().find('.') != std::string_view::npos) {
      unknown_top_level(key, node);
      return;
    }
    const bool several = section->may_repeat && node.is_array_of_tables();
    if (section->is_array || several) {
      read_tables(*section, key, node, "", 0);
    } else if (const toml::table* one = node.as_table(); one != nullptr && section->may_repeat) {
      make_tables(*section, 1, 0);
      read_section(*section, *one, fmt::format("{}[0]", section->name), 0, key.source());
    } else if (const toml::table* table = node.as_table()) {
      read_section(*section, *table, section->name, 0, key.source());
    } else {
      wrong_shape(*section, key, node);
    }
  }

  /// All [[section]]; those in another section's table `outer` are in `outer_place`, which ends
  /// with a point.
  void read_tables(const SectionSchema& section, const toml::key& key, const toml::node& node,
                   std::string_view outer_place, std::size_t outer) {
    const toml::array* array = node.as_array();
    const bool all_tables =
        array != nullptr && !array->empty() &&
        std::ranges::all_of(*array, [](const toml::node& n) { return n.is_table(); });
    if (!all_tables) {
      wrong_shape(section, key, node);
      return;
    }
    const std::size_t most = section.name == "pair"                  ? most_pairs
                             : section.name.starts_with("molecule.") ? most_in_molecule
                                                                     : most_tables;
    if (array->size() > most) {
      error(key.source(), fmt::format("there are {} sections {}{}; expected at most {}",
                                      array->size(), section_label(section),
                                      outer_place.empty() ? "" : " of one component", most));
      present_.insert(section.name);
      return;
    }
    const std::size_t first = make_tables(section, array->size(), outer);
    for (std::size_t i = 0; i < array->size(); ++i) {
      const toml::table& table = *array->get(i)->as_table();
      const std::string place = fmt::format("{}{}[{}]", outer_place, key.str(), i);
      read_section(section, table, place, first + i, table.source());
    }
  }

  /// Room for so many tables of a section; the index of the first.
  std::size_t make_tables(const SectionSchema& section, std::size_t count, std::size_t outer) {
    Input& input = result_.input;
    if (section.name == "type") {
      input.types.resize(count);
    } else if (section.name == "component") {
      input.components.resize(count);
    } else if (section.name == "molecule") {
      input.molecules.resize(count);
    } else if (is_inner(section)) {
      resize_inner(input, section.name, outer, count);
      std::size_t& made = made_[section.name];
      return std::exchange(made, made + count);
    } else if (section.name == "thermostat") {
      input.thermostats.resize(count);
    } else if (section.name == "drift_control") {
      input.drift_controls.resize(count);
    } else if (section.name == "limit") {
      input.limits.resize(count);
    } else if (section.name == "wall") {
      input.walls.resize(count);
    } else if (section.name == "field") {
      input.fields.resize(count);
    } else if (section.name == "restraint") {
      input.restraints.resize(count);
    } else if (section.name == "freeze") {
      input.freezes.resize(count);
    } else if (section.name == "group") {
      input.section<AtomGroupSections>().all.resize(count);
    } else {
      input.pairs.resize(count);
    }
    return 0;
  }

  void wrong_shape(const SectionSchema& section, const toml::key& key, const toml::node& node) {
    present_.insert(section.name);
    std::string message = fmt::format("\"{}\" is {}; expected a section {}", key.str(), found(node),
                                      section_label(section));
    if (section.is_array && node.is_table()) {
      message = fmt::format("[{0}] stands for a list; write [[{0}]]", section.name);
    } else if (!section.is_array && node.is_array_of_tables()) {
      message = fmt::format("[[{0}]] may stand only once; write [{0}]", section.name);
    }
    error(node.is_table() && node.source().begin.line > 0 ? node.source() : key.source(),
          std::move(message));
  }

  void unknown_top_level(const toml::key& key, const toml::node& node) {
    const std::string_view name = key.str();
    if (node.is_table() || node.is_array_of_tables()) {
      std::string message = fmt::format("unknown section {}",
                                        node.is_table() ? fmt::format("[{}]", shortened(name))
                                                        : fmt::format("[[{}]]", shortened(name)));
      if (const SectionSchema* meant = meant_section(name)) {
        message += fmt::format("; did you mean {}?", section_label(*meant));
        excused_.insert(std::string(meant->name));
      } else {
        message += "; the sections are";
        std::string_view separator = " ";
        for (const SectionSchema& section : input_sections()) {
          message += fmt::format("{}{}", std::exchange(separator, ", "), section_label(section));
        }
      }
      error(key.source(), std::move(message));
      return;
    }
    std::string message = fmt::format("unknown key {} before the first section", quote(name));
    const std::string_view only[] = {"units"};
    if (comm::nearest_name(name, only) || is_alias(*find_key("", "units"), name)) {
      message += "; did you mean \"units\"?";
    } else if (const auto home = sections_with(name); !home.empty()) {
      message += fmt::format("; it belongs in {}", home);
    } else {
      message += "; only \"units\" may stand there";
    }
    error(key.source(), std::move(message));
  }

  static std::string shortened(std::string_view name) {
    const std::string quoted = quote(name);
    return quoted.substr(1, quoted.size() - 2);
  }

  static bool is_alias(const KeySchema& key, std::string_view name) {
    return std::ranges::find(key.aliases, name) != key.aliases.end();
  }

  static const SectionSchema* meant_section(std::string_view name) {
    std::vector<std::string_view> names;
    for (const SectionSchema& section : input_sections()) {
      if (std::ranges::find(section.aliases, name) != section.aliases.end()) return &section;
      names.push_back(section.name);
    }
    const auto near = comm::nearest_name(name, names);
    return near ? find_section(*near) : nullptr;
  }

  /// The keys that may be meant: the one that other programs call so, and the one spelled most
  /// alike. Only one of them where the table has the other already.
  static std::vector<const KeySchema*> meant_keys(std::string_view section, std::string_view name,
                                                  const toml::table& table) {
    std::vector<std::string_view> names;
    std::vector<const KeySchema*> meant;
    for (const KeySchema& key : input_keys()) {
      if (key.section != section) continue;
      if (is_alias(key, name)) meant = {&key};
      names.push_back(key.name);
    }
    const auto near = comm::nearest_name(name, names);
    if (near && (meant.empty() || meant[0]->name != *near)) {
      meant.push_back(find_key(section, *near));
    }
    const auto given = [&](const KeySchema* key) { return table.contains(key->name); };
    if (meant.size() == 2 && given(meant[0]) != given(meant[1])) std::erase_if(meant, given);
    if (meant.size() == 2 && given(meant[0])) meant.resize(1);
    return meant;
  }

  /// A section in this one that other programs call so, or whose name is spelled alike.
  static const SectionSchema* meant_inner_section(const SectionSchema& outer,
                                                  std::string_view name) {
    const std::string prefix = fmt::format("{}.", outer.name);
    std::vector<std::string_view> names;
    for (const SectionSchema& section : input_sections()) {
      if (!section.name.starts_with(prefix)) continue;
      if (std::ranges::find(section.aliases, name) != section.aliases.end()) return &section;
      names.push_back(section.name.substr(prefix.size()));
    }
    const auto near = comm::nearest_name(name, names);
    return near ? find_section(prefix + std::string(*near)) : nullptr;
  }

  /// The sections that have a key of this very name: "[start] or [thermostat]".
  static std::string sections_with(std::string_view name) {
    std::vector<std::string> labels;
    for (const KeySchema& key : input_keys()) {
      if (key.name == name && !key.section.empty()) {
        labels.push_back(section_label(*find_section(key.section)));
      }
    }
    return fmt::format("{}", fmt::join(labels, " or "));
  }

  /// Sections where a key of this name has this choice: a pair potential in [interaction] is one of
  /// [[pair]].
  static std::string sections_with_choice(std::string_view name, std::string_view choice) {
    std::vector<std::string> labels;
    for (const KeySchema& key : input_keys()) {
      if (key.name != name || key.choices == nullptr) continue;
      const auto choices = key.choices();
      if (std::ranges::find(choices, choice) != choices.end()) {
        labels.push_back(section_label(*find_section(key.section)));
      }
    }
    return fmt::format("{}", fmt::join(labels, " or "));
  }

  // ---- a section

  void read_section(const SectionSchema& section, const toml::table& table, std::string_view place,
                    std::size_t index, const toml::source_region& key_source) {
    present_.insert(section.name);
    instances_.push_back({&section, std::string(place), index});
    const bool has_source = table.source().begin.line > 0;
    result_.input.places[std::string(place)] = place_of(has_source ? header(table) : key_source);
    for (auto&& [key, node] : table) {
      const std::string key_place = fmt::format("{}.{}", place, key.str());
      if (const KeySchema* known = find_key(section.name, key.str())) {
        remember(key_place, key.source(), node);
        read_value(*known, index, node, key_place);
      } else if (const auto* inner = find_section(fmt::format("{}.{}", section.name, key.str()))) {
        remember(key_place, key.source(), node);
        read_tables(*inner, key, node, fmt::format("{}.", place), index);
      } else {
        unknown_key(section, place, key, table);
      }
    }
  }

  /// Of a table the region covers its header only.
  static toml::source_region header(const toml::table& table) { return table.source(); }

  void remember(std::string place, const toml::source_region& key_source, const toml::node& node) {
    const bool has_source = node.source().begin.line > 0;
    result_.input.places[std::move(place)] = place_of(has_source ? node.source() : key_source);
  }

  void unknown_key(const SectionSchema& section, std::string_view place, const toml::key& key,
                   const toml::table& table) {
    if (is_full()) return error(key.source(), {});
    const std::string_view name = key.str();
    std::string message = fmt::format("unknown key {} in {}", quote(name), section_label(section));
    if (const SectionSchema* inner = meant_inner_section(section, name)) {
      error(key.source(), fmt::format("{}; did you mean {}?", message, section_label(*inner)));
      return;
    }
    auto meant = meant_keys(section.name, name, table);
    const std::string elsewhere = sections_with(name);
    if (!elsewhere.empty()) {
      std::erase_if(meant, [&](const KeySchema* known) { return is_alias(*known, name); });
    }
    if (!meant.empty()) {
      std::string_view separator = "; did you mean ";
      for (const KeySchema* known : meant) {
        message += fmt::format("{}\"{}\"", std::exchange(separator, " or "), known->name);
        excused_.insert(fmt::format("{}.{}", place, known->name));
      }
      message += "?";
    } else if (!elsewhere.empty()) {
      message += fmt::format("; it belongs in {}", elsewhere);
    } else if (name == "units") {
      message += "; it belongs before the first section";
    } else {
      message += "; the keys are";
      std::string_view separator = " ";
      for (const KeySchema& known : input_keys()) {
        if (known.section != section.name) continue;
        message += fmt::format("{}\"{}\"", std::exchange(separator, ", "), known.name);
      }
    }
    error(key.source(), std::move(message));
  }

  // ---- a value

  void read_value(const KeySchema& key, std::size_t index, const toml::node& node,
                  const std::string& place) {
    const std::size_t before = findings_;
    value_place_ = place;
    const Target target = key.target(result_.input, index);
    if (const auto* choice = std::get_if<ChoiceTarget>(&target)) {
      read_choice(*choice, key, node);
    } else {
      std::visit(
          [&](auto value) {
            if constexpr (std::is_pointer_v<decltype(value)>) read_into(*value, key, node);
          },
          target);
    }
    if (findings_ > before) bad_.insert(place);
    if (key.name == "density" && mass_density_node_ == &node) mass_density_place_ = place;
  }

  void wrong_value(const KeySchema& key, const toml::node& node, std::string_view addition = "") {
    error(node.source(), fmt::format("{} is {}; expected {}{}", key_label(key), found(node),
                                     expectation(key, result_.input.units), addition));
  }

  void read_into(UnitSystem&, const KeySchema&, const toml::node&) {}  // read before all others

  void read_into(bool& value, const KeySchema& key, const toml::node& node) {
    if (const auto* boolean = node.as_boolean()) {
      value = boolean->get();
    } else {
      wrong_value(key, node);
    }
  }

  template <class Integer>
  requires std::is_integral_v<Integer>
  void read_into(Integer& value, const KeySchema& key, const toml::node& node) {
    const auto number = whole_number(node);
    if (number && std::in_range<Integer>(*number) &&
        in_range(static_cast<double>(*number), key.range)) {
      value = static_cast<Integer>(*number);
    } else {
      wrong_value(key, node);
    }
  }

  /// The number in internal units, or nothing after a diagnostic.
  std::optional<double> quantity(const KeySchema& key, const toml::node& node) {
    const UnitSystem& units = result_.input.units;
    double value = 0.0;
    if (const auto number = plain_number(node)) {
      if (!std::isfinite(*number)) {
        wrong_value(key, node);
        return std::nullopt;
      }
      value = units.to_internal(*number, key.wall_clock ? Dimension::none : key.dimension);
    } else if (const auto* text = node.as_string()) {
      // Without a unit system no text can be judged, and its error is there already.
      if (units_unknown_) return key.range.maximum >= 1.0 ? 1.0 : key.range.maximum;
      const auto parsed = key.wall_clock ? wall_clock(text->get())
                                         : parse_with_unit(text->get(), key.dimension, node);
      if (!parsed.error.empty()) {
        error(node.source(), fmt::format("{}: {}", key_label(key), parsed.error));
        return std::nullopt;
      }
      value = parsed.value;
    } else {
      wrong_value(key, node);
      return std::nullopt;
    }
    const double size = std::abs(value);
    if (size < smallest_number && in_range(0.0, key.range)) return 0.0;
    if (!in_range(value, key.range)) {
      wrong_value(key, node);
      return std::nullopt;
    }
    if (size > largest_number || size < smallest_number) {
      error(node.source(), fmt::format("{} is {}, which is beyond all bounds; expected {}",
                                       key_label(key), found(node), expectation(key, units)));
      return std::nullopt;
    }
    return value;
  }

  UnitSystem::Quantity parse_with_unit(const std::string& text, Dimension dimension,
                                       const toml::node& node) {
    const UnitSystem& units = result_.input.units;
    auto parsed = units.parse(text, dimension);
    if (dimension != Dimension::number_density || parsed.error.empty()) return parsed;
    // The masses that turn a mass density into a number density may stand further down.
    const auto mass = units.parse(text, Dimension::mass_density);
    if (!mass.error.empty()) {
      if (!units.is_reduced()) {
        parsed.error +=
            fmt::format("; or a mass density: {}",
                        fmt::join(UnitSystem::unit_names(Dimension::mass_density), ", "));
      }
      return parsed;
    }
    if (mass.value > 0.0) mass_density_node_ = &node;
    return mass;
  }

  /// Seconds, from "90 s", "5 min" or "2 h".
  static UnitSystem::Quantity wall_clock(std::string_view text) {
    double number = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    if (problem == std::errc{} && std::isfinite(number)) {
      if (unit == "s") return {number, {}};
      if (unit == "min") return {number * 60.0, {}};
      if (unit == "h") return {number * 3600.0, {}};
    }
    return {0.0, fmt::format("{} is not a time; expected seconds, or a text with the unit s, min "
                             "or h such as \"5 min\"",
                             quote(text))};
  }

  void read_into(double& value, const KeySchema& key, const toml::node& node) {
    if (const auto number = quantity(key, node)) value = *number;
  }

  void read_into(std::optional<double>& value, const KeySchema& key, const toml::node& node) {
    if (const auto number = quantity(key, node)) value = *number;
  }

  void read_into(std::string& value, const KeySchema& key, const toml::node& node) {
    const auto* text = node.as_string();
    const auto* boolean = node.as_boolean();
    if (boolean != nullptr && !key.if_true.empty()) {
      value = boolean->get() ? key.if_true : key.if_false;
    } else if (text == nullptr) {
      wrong_value(key, node);
    } else if (key.choices != nullptr) {
      if (const auto choice = chosen(key, text->get(), node)) value = *choice;
    } else if (is_good_text(key, text->get(), node)) {
      value = text->get();
    }
  }

  bool is_good_text(const KeySchema& key, const std::string& text, const toml::node& node) {
    if (text.empty()) {
      error(node.source(), fmt::format("{} is empty; expected a text", key_label(key)));
    } else if (std::ranges::any_of(text,
                                   [](char c) { return static_cast<unsigned char>(c) < 32; })) {
      error(node.source(), fmt::format("{} contains a control character", key_label(key)));
    } else if (text.size() > key.longest_text) {
      error(node.source(), fmt::format("{} has {} characters; expected at most {}", key_label(key),
                                       text.size(), key.longest_text));
    } else {
      return true;
    }
    return false;
  }

  void read_choice(const ChoiceTarget& target, const KeySchema& key, const toml::node& node) {
    const auto* text = node.as_string();
    if (text == nullptr) return wrong_value(key, node);
    const auto choice = chosen(key, text->get(), node);
    if (!choice) return;
    const auto choices = key.choices();
    const auto found_choice = std::ranges::find(choices, *choice);
    target.set(target.place, static_cast<std::size_t>(found_choice - choices.begin()));
  }

  std::optional<std::string> chosen(const KeySchema& key, const std::string& text,
                                    const toml::node& node) {
    const auto choices = key.choices();
    if (std::ranges::find(choices, text) != choices.end()) return text;
    std::string hint;
    if (const auto translated = translated_choice(text, choices); !translated.empty()) {
      hint = fmt::format("; did you mean \"{}\"?", translated);
    } else if (const auto near = comm::nearest_name(text, choices)) {
      hint = fmt::format("; did you mean \"{}\"?", *near);
    } else if (const auto home = sections_with_choice(key.name, text); !home.empty()) {
      hint = fmt::format("; {} belongs in {}", quote(text), home);
    }
    error(node.source(), fmt::format("{} is {}; expected {}{}", key_label(key), quote(text),
                                     choice_list(choices), hint));
    return std::nullopt;
  }

  void read_into(Vec3& value, const KeySchema& key, const toml::node& node) {
    std::optional<Vec3> vector;
    read_into(vector, key, node);
    value = vector.value_or(value);
  }

  void read_into(std::optional<Vec3>& value, const KeySchema& key, const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != 3) {
      wrong_value(key, node);
      return;
    }
    Vec3 vector;
    bool good = true;
    for (int axis = 0; axis < 3; ++axis) {
      const auto number = quantity(key, *array->get(static_cast<std::size_t>(axis)));
      good = good && number.has_value();
      vector[axis] = number.value_or(0.0);
    }
    if (good) value = vector;
  }

  void read_into(std::array<int, 3>& value, const KeySchema& key, const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != 3) {
      wrong_value(key, node);
      return;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto number = whole_number(*array->get(axis));
      if (!number || !in_range(static_cast<double>(*number), key.range)) {
        error(array->get(axis)->source(),
              fmt::format("{} holds {}; expected {}", key_label(key), found(*array->get(axis)),
                          expectation(key, result_.input.units)));
      } else {
        value[axis] = static_cast<int>(*number);
      }
    }
  }

  void read_into(std::vector<std::string>& value, const KeySchema& key, const toml::node& node) {
    const toml::array* array = node.as_array();
    // An empty list chooses nothing, but names nothing either.
    const bool names_nothing = array != nullptr && array->empty() && key.choices == nullptr;
    if (array == nullptr || names_nothing || array->size() > 64) {
      wrong_value(key, node);
      return;
    }
    std::vector<std::string> items;
    for (const toml::node& item : *array) {
      const auto* text = item.as_string();
      if (text == nullptr) {
        error(item.source(), fmt::format("{} holds {}; expected {}", key_label(key), found(item),
                                         expectation(key, result_.input.units)));
      } else if (key.choices == nullptr) {
        if (is_good_text(key, text->get(), item)) items.push_back(text->get());
      } else if (const auto choice = chosen(key, text->get(), item)) {
        items.push_back(*choice);
      }
    }
    value = std::move(items);
  }

  void read_into(std::vector<double>& value, const KeySchema& key, const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->empty()) {
      wrong_value(key, node);
      return;
    }
    std::vector<double> numbers;
    for (const toml::node& item : *array) {
      const auto number = quantity(key, item);
      if (!number) return;
      numbers.push_back(*number);
    }
    value = std::move(numbers);
  }

  void read_into(Input::AtomLists& value, const KeySchema& key, const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->empty()) {
      wrong_value(key, node);
      return;
    }
    Input::AtomLists lists;
    if (!array->get(0)->is_array()) {
      if (auto atoms = atom_list(key, *array)) lists.push_back(std::move(*atoms));
      value = std::move(lists);
      return;
    }
    for (const toml::node& item : *array) {
      const toml::array* inner = item.as_array();
      if (inner == nullptr) {
        wrong_atom(key, item);
        continue;
      }
      result_.input.places[fmt::format("{}[{}]", value_place_, lists.size())] =
          place_of(item.source());
      auto atoms = atom_list(key, *inner);
      lists.push_back(atoms ? std::move(*atoms) : std::vector<int>());
    }
    value = std::move(lists);
  }

  std::optional<std::vector<int>> atom_list(const KeySchema& key, const toml::array& array) {
    std::vector<int> atoms;
    for (const toml::node& item : array) {
      const auto number = whole_number(item);
      if (!number || *number < 1 || !std::in_range<int>(*number)) {
        wrong_atom(key, item);
        return std::nullopt;
      }
      atoms.push_back(static_cast<int>(*number));
    }
    return atoms;
  }

  void wrong_atom(const KeySchema& key, const toml::node& item) {
    error(item.source(), fmt::format("{} holds {}; expected {}", key_label(key), found(item),
                                     expectation(key, result_.input.units)));
  }

  // ---- after all sections

  /// "1.4 g/cm^3" becomes a number density with the mean mass of the types or components.
  void mass_density() {
    if (mass_density_node_ == nullptr || mass_density_place_.empty()) return;
    double mass = 0.0, fractions = 0.0;
    for (std::size_t n = 0; n < result_.input.types.size(); ++n) {
      const auto& type = result_.input.types[n];
      mass += type.fraction * type.mass;
      fractions += type.fraction;
    }
    for (const Input::Component& component : result_.input.components) {
      for (const Input::Site& site : component.sites) mass += component.fraction * site.mass;
      fractions += component.fraction;
    }
    // A type without mass or without share is an error of its own.
    if (mass > 0.0 && fractions > 0.0) result_.input.start.density *= fractions / mass;
  }

  struct Instance {
    const SectionSchema* section;
    std::string place;
    std::size_t index;
  };

  /// What decides whether a key of this section has its meaning.
  struct Decider {
    const KeySchema& key;
    std::string place;
    std::size_t index;
  };

  static Decider decider_of(const KeySchema& key, const Instance& instance) {
    const KeySchema& decider = *find_key(key.condition->section, key.condition->key);
    const bool here = decider.section == key.section;
    return {decider, fmt::format("{}.{}", here ? instance.place : decider.section, decider.name),
            here ? instance.index : 0};
  }

  std::string value_of(const Decider& decider) {
    const Target target = decider.key.target(result_.input, decider.index);
    if (const auto* choice = std::get_if<ChoiceTarget>(&target)) {
      return std::string(choice_name(decider.key, *choice));
    }
    return *std::get<std::string*>(target);
  }

  /// Whether this key has its meaning here; nothing where the deciding key could not be read.
  std::optional<bool> applies(const KeySchema& key, const Instance& instance) {
    if (!key.condition) return true;
    const Decider decider = decider_of(key, instance);
    const bool given = result_.input.places.contains(decider.place);
    if (bad_.contains(decider.place)) return std::nullopt;
    if (!given && (decider.key.need == Need::required || excused_.contains(decider.place))) {
      return std::nullopt;
    }
    const auto& values = key.condition->values;
    return std::ranges::find(values, value_of(decider)) != values.end();
  }

  /// Particles are of types or components; "there is no section [[type]]" leads on to the keys.
  void missing_particles() {
    for (const std::string_view section : {"type", "component"}) {
      if (present_.contains(section) || excused_.contains(section)) return;
    }
    report(Severity::error, Place{},
           "there is no section [[type]], of particles, nor [[component]], of rigid molecules; one "
           "of them is required, with \"name\"");
  }

  void missing() {
    for (const SectionSchema& section : input_sections()) {
      if (!section.required || present_.contains(section.name)) continue;
      if (excused_.contains(section.name)) continue;
      report(Severity::error, Place{},
             fmt::format("there is no section {}{}", section_label(section), needed_keys(section)));
    }
    missing_particles();
    missing_keys();
  }

  void missing_keys() {
    for (const Instance& instance : instances_) {
      const auto& [section, place, index] = instance;
      for (const KeySchema& key : input_keys()) {
        if (key.section != section->name || key.need == Need::optional) continue;
        if (from_program_ && key.section == "run" && key.name == "steps") continue;
        if (key.need == Need::with_real_units &&
            (result_.input.units.is_reduced() || units_unknown_)) {
          continue;
        }
        const std::string key_place = fmt::format("{}.{}", place, key.name);
        if (result_.input.places.contains(key_place) || excused_.contains(key_place)) continue;
        if (applies(key, instance) != true) continue;
        if (key.unneeded != nullptr && key.unneeded(result_.input, index)) continue;
        std::string because;
        if (key.condition) {
          because =
              fmt::format(" with {} = {}", key.condition->key, choice_list(key.condition->values));
        }
        if (key.need == Need::with_real_units) {
          because = fmt::format(" with units = \"{}\"", result_.input.units.name());
        }
        report(Severity::error, place_named(place),
               fmt::format("{} lacks the key \"{}\", required{}: {}", section_label(*section),
                           key.name, because, expectation(key, result_.input.units)));
      }
    }
  }

  static std::string needed_keys(const SectionSchema& section) {
    std::string text;
    for (const KeySchema& key : input_keys()) {
      if (key.section != section.name || key.need != Need::required) continue;
      if (key.condition && key.condition->severity == Severity::error) continue;
      text += fmt::format("{}\"{}\"", text.empty() ? "; it is required, with " : ", ", key.name);
    }
    return text.empty() ? "; it is required" : text;
  }

  void conditions() {
    for (const Instance& instance : instances_) {
      const auto& [section, place, index] = instance;
      for (const KeySchema& key : input_keys()) {
        if (key.section != section->name || !key.condition) continue;
        const std::string key_place = fmt::format("{}.{}", place, key.name);
        if (!result_.input.places.contains(key_place) || applies(key, instance) != false) continue;
        const Condition& condition = *key.condition;
        const std::string value = value_of(decider_of(key, instance));
        const std::string where =
            condition.section == key.section ? "" : fmt::format(" in [{}]", condition.section);
        const bool is_error = condition.severity == Severity::error;
        report(condition.severity, place_named(key_place),
               fmt::format("{} has no {} with {} = \"{}\"{}; only with {} = {}", key_label(key),
                           is_error ? "meaning" : "effect", condition.key, value, where,
                           condition.key, choice_list(condition.values)));
        if (is_error) bad_.insert(key_place);
      }
    }
  }

  std::string_view text_;
  bool look_at_files_;
  bool from_program_;
  std::vector<std::string_view> lines_;
  ReadResult result_;
  std::size_t findings_ = 0;  // those not shown too
  bool more_errors_ = false;
  bool units_unknown_ = false;
  std::set<std::string, std::less<>> bad_;      // places whose value could not be read
  std::set<std::string, std::less<>> excused_;  // missing, but another error has told the reason
  std::set<std::string_view> present_;          // sections
  std::vector<Instance> instances_;
  std::map<std::string_view, std::size_t> made_;  // tables of inner sections
  std::string value_place_;                       // of what is read
  const toml::node* mass_density_node_ = nullptr;
  std::string mass_density_place_;
};

ReadResult unreadable(std::string_view name, std::string message) {
  ReadResult result;
  result.input.path = name;
  Diagnostic diagnostic;
  diagnostic.file = name;
  diagnostic.message = std::move(message);
  result.diagnostics.push_back(std::move(diagnostic));
  return result;
}

}  // namespace

ReadResult read_input_text(std::string_view text, std::string_view name, bool look_at_files) {
  if (text.size() > largest_file) {
    return unreadable(name, fmt::format("the input file is larger than {} MiB; is it the start "
                                        "file? Name that one in [start]",
                                        largest_file >> 20));
  }
  return Reader(text, name, look_at_files).read();
}

ReadResult read_molecule_text(const Input& input, std::size_t molecule, std::string_view text) {
  const Input::Molecule& around = input.molecules[molecule];
  return Reader(text, molecule_file_path(input, around), true).read_molecule(input, around);
}

std::optional<std::string> input_file_text(const std::string& path, ReadResult& result) {
  try {
    std::string text = comm::read_regular_file(path, largest_file);
    if (const auto foreign = foreign_file_advice(path)) {
      result = unreadable(path, fmt::format("this is no input file: it {}", *foreign));
      return std::nullopt;
    }
    return text;
  } catch (const comm::UnreadableFile& error) {
    const bool large = error.reason() == comm::UnreadableFile::Reason::too_large;
    result = unreadable(
        path, fmt::format("the input file {}{}", error.what(),
                          large ? "; is it the start file? Name that one in [start]" : ""));
    return std::nullopt;
  }
}

ReadResult read_program_input(std::string_view text, std::string_view name) {
  return Reader(text, name, true, true).read();
}

ReadResult read_input(const std::string& path) {
  ReadResult failure;
  const auto text = input_file_text(path, failure);
  return text ? read_input_text(*text, path) : failure;
}

Diagnostic diagnose(const Input& input, Severity severity, std::string_view place,
                    std::string message) {
  Diagnostic diagnostic{severity, input.path, 0, 0, 1, std::move(message), {}, 1};
  const auto found_place = input.places.find(place);
  if (found_place != input.places.end()) {
    diagnostic.line = found_place->second.line;
    diagnostic.column = found_place->second.column;
    diagnostic.length = found_place->second.length;
    diagnostic.source_line = found_place->second.source_line;
    diagnostic.source_column = found_place->second.source_column;
    if (!found_place->second.file.empty()) diagnostic.file = found_place->second.file;
  }
  return diagnostic;
}

std::string start_file_path(const Input& input) {
  const std::filesystem::path file(input.start.file);
  if (file.is_absolute()) return input.start.file;
  return (std::filesystem::path(input.path).parent_path() / file).string();
}

}  // namespace sterna::md
