// Reads MODYLAS's .mdff: species of molecules, each with masses, charges and Lennard-Jones
// parameters of its atoms, lists of terms by numbers of atoms from 0, pairs without interaction
// ("void") and pairs three bonds apart. The name of the force field decides the combining rule and
// the form of the torsion, as it decides which executable MODYLAS uses.

#include "md/start/foreign/modylas/force_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/forces/bonded/bonded_parameter.hpp"
#include "md/forces/bonded/bonded_table.hpp"
#include "md/model/library/charmm_cmap.hpp"
#include "md/start/foreign/modylas/chemical_symbol.hpp"

namespace sterna::md::modylas {
namespace {

enum class Family { charmm, oplsaa, amber, gaff, kremer };

constexpr std::int64_t most_atoms = 100'000'000;
constexpr std::int64_t most_molecules = 1'000'000'000;

using Atoms = std::vector<int>;  // from 0
using Pair = std::array<int, 2>;

Pair ordered(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

/// A record of a list: indices of atoms, then parameters.
struct Record {
  std::string_view word;  ///< its first word, for messages
  Atoms atoms{};
  std::vector<double> numbers{};
};

class ForceFieldReader {
 public:
  ForceFieldReader(Values& values, ForeignDraft& draft, PositionConstrain& held)
      : values_(values), draft_(draft), held_(held) {}

  ForceFieldFacts read(std::optional<double> divide_lj, std::optional<double> divide_coulomb) {
    const Block& root = values_.document().root();
    if (const Block* block = values_.require(root, "forcefield")) {
      force_field(*block, divide_lj, divide_coulomb);
    }
    const Block* const held = values_.find(root, "position constrain");
    if (held != nullptr) held_.read(values_, *held);
    const Block* system = values_.require(root, "system");
    const Block* topology = values_.require(root, "topology and parameters");
    if (system != nullptr && topology != nullptr) all_species(*system, *topology);
    held_.write(draft_, values_.document().path());
    ignored(root, {});
    return facts_;
  }

 private:
  void ignored(const Block& block, std::initializer_list<std::string_view> without_meaning) {
    values_.report_unused(block, Severity::warning, "MODYLAS ignores it, too", without_meaning);
  }

  void force_field(const Block& block, std::optional<double> divide_lj,
                   std::optional<double> divide_coulomb) {
    const std::string_view type = Values::peek(block, "type");
    if (type.empty()) {
      values_.error(block.tag, "<forcefield> lacks type = charmm, oplsaa, amber, gaff or kremer");
      return;
    }
    const auto family =
        values_.choice(block, "type", {"charmm", "oplsaa", "amber", "gaff", "kremer"});
    if (!family) return;
    family_ = static_cast<Family>(*family);
    if (const auto version = values_.integer(block, "cmap_version", 22, 36)) {
      cmap_version_ = static_cast<int>(*version);
      if (cmap_version_ != 22 && cmap_version_ != 36) {
        values_.error(Values::peek(block, "cmap_version"), "expected cmap_version = 22 or 36");
      }
    }
    const auto lj = values_.positive(block, "special_divide_lj");
    const auto coulomb = values_.positive(block, "special_divide_coulomb");
    if (scales_14()) {
      constexpr double of_opls = 2.0;
      if (!divide_lj) divide_lj = lj;
      if (!divide_coulomb) divide_coulomb = coulomb;
      if ((!divide_lj || !divide_coulomb) && family_ != Family::oplsaa) {
        values_.error(type, fmt::format("type = {} needs special_divide_lj and "
                                        "special_divide_coulomb",
                                        printable(type)));
      }
      divide_lj_ = divide_lj.value_or(of_opls);
      divide_coulomb_ = divide_coulomb.value_or(of_opls);
    }
    if (family_ == Family::amber) {
      values_.warning(type,
                      "type = amber mixes sigma geometrically and takes half of each "
                      "torsion's constant, as MODYLAS does; force fields of AMBER want "
                      "type = gaff");
    }
    const bool geometric = family_ == Family::oplsaa || family_ == Family::amber;
    facts_.tail_mixes_arithmetically = geometric;
    draft_.input.interaction.mixing = geometric ? Mixing::geometric : Mixing::lorentz_berthelot;
    decide("interaction.mixing", type);
    ignored(block, {});
  }

  bool scales_14() const { return family_ != Family::charmm && family_ != Family::kremer; }
  bool lengths_are_of_the_minimum() const { return !scales_14(); }

  void all_species(const Block& system, const Block& topology) {
    const auto count = values_.integer(topology, "nspecies", 1, 1'000'000);
    const auto species = values_.all(topology, "species");
    if (!count) {
      if (values_.ok()) values_.error(topology.tag, "nspecies = ... is missing");
      return;
    }
    const auto wanted = static_cast<std::size_t>(*count);
    if (species.size() < wanted) {
      values_.error(topology.tag, fmt::format("nspecies = {}, but there are {} <species> blocks",
                                              wanted, species.size()));
      return;
    }
    for (std::size_t n = wanted; n < species.size(); ++n) {
      values_.warning(species[n]->tag, "this species is beyond nspecies; MODYLAS ignores it, too");
    }
    if (system.words.size() != 2 * wanted) {
      values_.error(system.tag, fmt::format("expected a number and a count of molecules for each "
                                            "of the {} species; found {} words",
                                            wanted, system.words.size()));
      return;
    }
    ignored(topology, {});
    ignored(system, {});
    for (std::size_t n = 0; n < wanted; ++n) {
      values_.number(system.words[2 * n]);  // MODYLAS uses the species in their order
      const std::string_view word = system.words[2 * n + 1];
      const auto molecules = values_.integer(word, 0, most_molecules);
      if (molecules) one_species(*species[n], *molecules, n);
    }
  }

  // ---- a species

  void one_species(const Block& block, std::int64_t count, std::size_t number) {
    const auto atoms = values_.integer(block, "natom", 1, most_atoms);
    if (!atoms) {
      if (values_.ok()) values_.error(block.tag, "natom = ... is missing");
      return;
    }
    natom_ = static_cast<std::size_t>(*atoms);
    const auto mass = of_atoms(block, "mass");
    charge_ = of_atoms(block, "charge");
    epsilon_ = of_atoms(block, "epsilon");
    length_ = of_atoms(block, "r");
    if (!values_.ok()) return;
    terms_.clear();
    voids_.clear();
    for (const std::string_view kind : {"bond morse2", "angle morse"}) {
      if (const Block* morse = values_.find(block, kind); morse && !morse->words.empty()) {
        values_.error(morse->tag, fmt::format("<{}> is not taken over", kind));
      }
    }
    stretches(block);
    bends(block);
    torsions(block);
    impropers(block);
    correction_maps(block);
    rigid_pairs(block);
    void_pairs(block);
    scales_14() ? pairs_from_torsions(block) : special_pairs(block);
    for (const Pair& pair : voids_) {
      if (specials_.contains(pair)) continue;
      add("exclusion", "", {}, {pair[0], pair[1]}, block.tag);
    }
    specials_.clear();
    ignored(block,
            {"id", "segments", "coulomb special pair", "nspecialpair_coulomb", "lj special pair",
             "nspecialpair_lj", "nbondmorse2", "nanglemorse", "nshakepair"});
    const auto runs = held_.next_species(count, mass);
    for (std::size_t run = 0; count > 0 && run < runs.size(); ++run) {
      frozen_ = runs[run].frozen;
      write(block, mass, runs[run].count,
            run == 0 ? fmt::format("species{}", number) : fmt::format("species{}_{}", number, run));
    }
  }

  std::vector<double> of_atoms(const Block& block, std::string_view name) {
    std::vector<double> numbers;
    const Block* list = values_.require(block, name);
    if (list == nullptr) return numbers;
    if (list->words.size() != natom_) {
      values_.error(list->tag, fmt::format("natom = {}, but <{}> has {} numbers", natom_, name,
                                           list->words.size()));
      return numbers;
    }
    for (const std::string_view word : list->words) {
      const auto value = values_.number(word);
      if (value && *value < 0.0 && name != "charge") {
        values_.error(word, fmt::format("<{}>: expected no negative number", name));
      }
      if (value && *value == 0.0 && name == "mass") {
        values_.error(word, "an atom without mass is not taken over");
      }
      numbers.push_back(value.value_or(1.0));
    }
    return numbers;
  }

  /// The records of a list, as many as the key `count_key` says; all if it is empty.
  std::vector<Record> records(const Block& block, std::string_view name, std::string_view count_key,
                              std::size_t atoms, std::size_t numbers) {
    std::vector<Record> result;
    const Block* list = values_.find(block, name);
    std::optional<std::int64_t> count;
    if (!count_key.empty()) {
      count = values_.integer(block, count_key, 0, std::int64_t{1} << 40).value_or(0);
    }
    const std::size_t width = atoms + numbers;
    const std::size_t words = list != nullptr ? list->words.size() : 0;
    if (list != nullptr && words % width != 0) {
      values_.error(list->tag, fmt::format("<{}> has {} words, which is no multiple of the {} of a "
                                           "record",
                                           name, words, width));
      return result;
    }
    const std::size_t given = words / width;
    const std::size_t wanted = count ? static_cast<std::size_t>(*count) : given;
    if (given < wanted) {
      values_.error(
          list != nullptr ? list->tag : block.tag,
          fmt::format("{} = {}, but <{}> has {} records", count_key, wanted, name, given));
      return result;
    }
    if (given > wanted) {
      values_.warning(list->tag,
                      fmt::format("{} = {}, but <{}> has {} records; MODYLAS leaves out the rest, "
                                  "too",
                                  count_key, wanted, name, given));
    }
    for (std::size_t n = 0; n < wanted && values_.ok(); ++n) {
      Record record{.word = list->words[n * width]};
      for (std::size_t k = 0; k < width; ++k) {
        const std::string_view word = list->words[n * width + k];
        if (k >= atoms) {
          record.numbers.push_back(values_.number(word).value_or(0.0));
          continue;
        }
        const auto atom = values_.integer(word, 0, static_cast<std::int64_t>(natom_) - 1);
        if (!atom) break;
        if (std::ranges::find(record.atoms, *atom) != record.atoms.end()) {
          values_.error(word, fmt::format("<{}>: an atom stands twice in a record", name));
        }
        record.atoms.push_back(static_cast<int>(*atom));
      }
      result.push_back(std::move(record));
    }
    return values_.ok() ? result : std::vector<Record>();
  }

  void stretches(const Block& block) {
    for (const Record& r : records(block, "bond", "nbond", 2, 2)) {
      add("bond", "harmonic", {{"stiffness", 2.0 * r.numbers[0]}, {"r0", r.numbers[1]}}, r.atoms,
          r.word);
    }
    for (const Record& r : records(block, "bond morse", "nbondmorse", 2, 3)) {
      add("bond", "morse", {{"depth", r.numbers[0]}, {"alpha", r.numbers[1]}, {"r0", r.numbers[2]}},
          r.atoms, r.word);
    }
    for (const Record& r : records(block, "ub", "nub", 3, 2)) {
      if (r.numbers[0] == 0.0) continue;
      add("angle", "urey_bradley", {{"stiffness", 2.0 * r.numbers[0]}, {"r0", r.numbers[1]}},
          r.atoms, r.word);
    }
  }

  void bends(const Block& block) {
    for (const Record& r : records(block, "angle", "nangle", 3, 2)) {
      add("angle", "harmonic",
          {{"bending_stiffness", 2.0 * r.numbers[0]}, {"theta0", r.numbers[1]}}, r.atoms, r.word);
    }
  }

  /// Reads torsions. One without a constant only tells which atoms are three bonds apart.
  void torsions(const Block& block) {
    torsion_atoms_.clear();
    // In two of MODYLAS's builds the constant is the whole barrier, and the phase has the opposite
    // sign.
    const bool barriers = family_ == Family::oplsaa || family_ == Family::amber;
    for (const Record& r : records(block, "dihedral", "ndihedral", 4, 3)) {
      torsion_atoms_.emplace_back(r.atoms, r.word);
      if (r.numbers[0] == 0.0) continue;
      if (r.numbers[1] == 0.0) continue;  // a constant energy has no force
      add("torsion", "periodic",
          {{"amplitude", barriers ? 0.5 * r.numbers[0] : r.numbers[0]},
           {"multiplicity", std::abs(r.numbers[1])},
           {"phase", barriers ? -r.numbers[2] : r.numbers[2]}},
          r.atoms, r.word);
    }
  }

  void impropers(const Block& block) {
    if (family_ == Family::charmm || family_ == Family::kremer) {
      for (const Record& r : records(block, "itorsion", "nitorsion", 4, 2)) {
        // MODYLAS uses the unsigned angle. Only for 0 and 180 degrees is this the same as the
        // signed one.
        if (r.numbers[1] != 0.0 && std::abs(r.numbers[1]) != 180.0) {
          values_.error(r.word,
                        "an improper with another angle at rest than 0 or 180 degrees is "
                        "not taken over");
        }
        add("improper", "harmonic",
            {{"bending_stiffness", 2.0 * r.numbers[0]}, {"phi0", r.numbers[1]}}, r.atoms, r.word);
      }
      return;
    }
    for (const Record& r : records(block, "itorsion", "nitorsion", 4, 3)) {
      if (family_ == Family::gaff) {
        const double sign = r.numbers[1];
        if (sign != 1.0 && sign != -1.0) {
          values_.error(r.word, "the sign of an improper of GAFF is neither 1 nor -1");
        }
        add_improper(r, r.numbers[0], r.numbers[2], sign > 0.0 ? 0.0 : 180.0);
      } else {
        add_improper(r, 0.5 * r.numbers[0], r.numbers[1], r.numbers[2]);
      }
    }
  }

  void add_improper(const Record& record, double amplitude, double multiplicity, double phase) {
    if (amplitude == 0.0 || multiplicity == 0.0) return;
    add("improper", "periodic",
        {{"amplitude", amplitude}, {"multiplicity", std::abs(multiplicity)}, {"phase", phase}},
        record.atoms, record.word);
  }

  void correction_maps(const Block& block) {
    for (const Record& r : records(block, "cmap", "ncmap", 5, 1)) {
      const bool is_kind = r.numbers[0] >= 1.0 && r.numbers[0] <= charmm_cmap_kinds &&
                           r.numbers[0] == std::floor(r.numbers[0]);
      const auto energies =
          charmm_cmap(cmap_version_, is_kind ? static_cast<int>(r.numbers[0]) : 0);
      if (energies.empty()) {
        values_.error(r.word, fmt::format("expected a kind of map from 1 to {}; found {:g}",
                                          charmm_cmap_kinds, r.numbers[0]));
        continue;
      }
      Input::MoleculeTerm& term =
          add("cmap", "bicubic", {{"r0", r.numbers[0]}}, r.atoms, r.word);  // a number for each
                                                                            // kind of map
      term.parameters = {};
      term.table.assign(energies.begin(), energies.end());
    }
  }

  void rigid_pairs(const Block& block) {
    for (const Record& r : records(block, "shake pair", "", 2, 1)) {
      add("constraint", "", {{"r0", r.numbers[0]}}, r.atoms, r.word);
    }
  }

  /// Reads the two lists of void pairs, of which MODYLAS uses one.
  void void_pairs(const Block& block) {
    std::set<Pair> coulomb;
    for (const Record& r : records(block, "lj void pair", "nvoidpair_lj", 2, 0)) {
      voids_.insert(ordered(r.atoms[0], r.atoms[1]));
    }
    for (const Record& r : records(block, "coulomb void pair", "nvoidpair_coulomb", 2, 0)) {
      coulomb.insert(ordered(r.atoms[0], r.atoms[1]));
    }
    if (coulomb == voids_) return;
    const Block* list = values_.find(block, "coulomb void pair");
    values_.warning(list != nullptr ? list->tag : block.tag,
                    "the pairs of <coulomb void pair> are not those of <lj void pair>; these hold "
                    "for both, as in MODYLAS");
  }

  /// Reads parameters of an atom toward a single other atom. Either atom of a pair may have some.
  void special_pairs(const Block& block) {
    std::map<Pair, std::pair<double, double>> own;  // epsilon and distance of the minimum
    std::map<Pair, std::string_view> words;
    for (const Record& r : records(block, "lj special pair", "nspecialpair_lj", 2, 2)) {
      own[{r.atoms[0], r.atoms[1]}] = {r.numbers[0], r.numbers[1]};
      words.emplace(ordered(r.atoms[0], r.atoms[1]), r.word);
    }
    for (const auto& [pair, word] : words) {
      const auto of = [&](int atom, int other) {
        const auto at = static_cast<std::size_t>(atom);
        const auto found = own.find({atom, other});
        return found != own.end() ? found->second : std::pair(epsilon_[at], length_[at]);
      };
      const auto a = of(pair[0], pair[1]), b = of(pair[1], pair[0]);
      const double epsilon = std::sqrt(a.first * b.first);
      if (family_ == Family::kremer && epsilon == 0.0) {
        voids_.insert(pair);
        continue;
      }
      if (voids_.contains(pair)) {
        values_.error(word, "this pair is in <lj void pair>, too: expected one of both");
        continue;
      }
      add_special(pair, epsilon, sigma_of(0.5 * (a.second + b.second)), 1.0, word);
    }
  }

  /// Adds the 1-4 pairs of torsions, without pairs that are also 1-3 neighbors by another path.
  void pairs_from_torsions(const Block& block) {
    std::set<Pair> nearer;  // end atom and third atom of a torsion
    for (const auto& [atoms, word] : torsion_atoms_) {
      nearer.insert({atoms[0], atoms[2]});
      nearer.insert({atoms[3], atoms[1]});
    }
    const bool geometric = family_ != Family::gaff;
    std::size_t excluded = 0;
    for (const auto& [atoms, word] : torsion_atoms_) {
      const Pair pair = ordered(atoms[0], atoms[3]);
      if (nearer.contains({pair[0], pair[1]}) || nearer.contains({pair[1], pair[0]})) continue;
      if (specials_.contains(pair)) continue;
      if (voids_.contains(pair)) {
        ++excluded;
        continue;
      }
      const auto a = static_cast<std::size_t>(pair[0]), b = static_cast<std::size_t>(pair[1]);
      const double sigma =
          geometric ? std::sqrt(length_[a] * length_[b]) : 0.5 * (length_[a] + length_[b]);
      add_special(pair, std::sqrt(epsilon_[a] * epsilon_[b]) / divide_lj_, sigma_of(sigma),
                  1.0 / divide_coulomb_, word);
    }
    if (excluded > 0) {
      values_.warning(block.tag,
                      fmt::format("{} torsion{} with ends in <lj void pair>, which do not interact "
                                  "here; MODYLAS subtracts a part of an interaction that it has "
                                  "left out",
                                  excluded, excluded == 1 ? " has" : "s have"));
    }
  }

  void add_special(const Pair& pair, double epsilon, double sigma, double coulomb,
                   std::string_view word) {
    const double product = coulomb * charge_[static_cast<std::size_t>(pair[0])] *
                           charge_[static_cast<std::size_t>(pair[1])];
    specials_.insert(pair);
    add("special_pair", "",
        {{"epsilon", epsilon}, {"sigma", epsilon > 0.0 ? sigma : 1.0}, {"charge_product", product}},
        {pair[0], pair[1]}, word);
  }

  /// Sigma from a Lennard-Jones length of a type or pair. For 0 any positive value will do.
  double sigma_of(double length) const {
    if (!(length > 0.0)) return 1.0;
    return lengths_are_of_the_minimum() ? length / std::pow(2.0, 1.0 / 6.0) : length;
  }

  // ---- the draft

  struct Given {
    Input::MoleculeTerm term;
    std::vector<std::string_view> keys;
    std::string_view word;  ///< of the first record, for messages
  };
  struct Terms {
    std::vector<Given> given;
    std::map<std::vector<double>, std::size_t> known;
  };

  /// Adds the atoms to the term of these parameters.
  Input::MoleculeTerm& add(std::string_view section, std::string_view potential,
                           std::initializer_list<std::pair<std::string_view, double>> parameters,
                           const Atoms& atoms, std::string_view word) {
    Terms& terms = terms_[{section, potential}];
    std::vector<double> key;
    for (const auto& [name, value] : parameters) key.push_back(value);
    const auto [known, is_new] = terms.known.emplace(key, terms.given.size());
    if (is_new) {
      Given& given = terms.given.emplace_back();
      given.word = word;
      given.term.potential = potential;
      const auto names = bonded_parameter_names();
      for (const auto& [name, value] : parameters) {
        const auto place = std::ranges::find(names, name) - names.begin();
        given.term.parameters[static_cast<std::size_t>(place)] = value;
        given.keys.push_back(name);
      }
    }
    Given& given = terms.given[known->second];
    Atoms& listed = given.term.atoms.emplace_back();
    for (const int atom : atoms) listed.push_back(atom + 1);
    return given.term;
  }

  void write(const Block& block, const std::vector<double>& mass, std::int64_t count,
             const std::string& name) {
    const std::string place = fmt::format("molecule[{}]", draft_.input.molecules.size());
    Input::Molecule& molecule = draft_.input.molecules.emplace_back();
    molecule.name = name;
    molecule.count = count;
    molecule.excluded_bonds = 0;
    decide(place, block.tag);
    for (const char* key : {"name", "count", "excluded_bonds"}) {
      decide(fmt::format("{}.{}", place, key), block.tag);
    }
    for (std::size_t atom = 0; atom < natom_; ++atom) {
      facts_.has_charges = facts_.has_charges || charge_[atom] != 0.0;
      Input::MoleculeAtom& made = molecule.atoms.emplace_back();
      made.type = type_of(mass[atom], atom, block.tag);
      made.charge = charge_[atom];
      const std::string atom_place = fmt::format("{}.atom[{}]", place, atom);
      decide(atom_place, block.tag);
      decide(atom_place + ".type", block.tag);
      decide(atom_place + ".charge", block.tag);
    }
    for (const auto& [kind, terms] : terms_) {
      const auto& [section, potential] = kind;
      std::vector<Input::MoleculeTerm>& list = section_of(molecule, section);
      for (const Given& given : terms.given) {
        write(fmt::format("{}.{}[{}]", place, section, list.size()), section, given);
        list.push_back(given.term);
      }
    }
  }

  void write(const std::string& place, std::string_view section, const Given& given) {
    decide(place, given.word);
    decide(place + ".atoms", given.word);
    if (!given.term.potential.empty()) decide(place + ".potential", given.word);
    if (section == "cmap") {
      decide(place + ".energy", given.word);
      return;
    }
    for (const std::string_view key : given.keys) {
      const std::string_view name = section == "constraint" ? "distance" : key;
      decide(fmt::format("{}.{}", place, name), given.word);
    }
  }

  static std::vector<Input::MoleculeTerm>& section_of(Input::Molecule& molecule,
                                                      std::string_view section) {
    if (section == "bond") return molecule.bonds;
    if (section == "angle") return molecule.angles;
    if (section == "torsion") return molecule.torsions;
    if (section == "improper") return molecule.impropers;
    if (section == "cmap") return molecule.cmaps;
    if (section == "special_pair") return molecule.special_pairs;
    if (section == "constraint") return molecule.constraints;
    return molecule.exclusions;
  }

  /// The name of the [[type]] with this atom's parameters.
  std::string type_of(double mass, std::size_t atom, std::string_view word) {
    const double epsilon = epsilon_[atom];
    const double sigma = sigma_of(length_[atom]);
    const bool frozen = !frozen_.empty() && frozen_[atom] != 0;
    std::string& name = types_[{mass, epsilon, sigma, frozen ? 1.0 : 0.0}];
    if (!name.empty()) return name;
    const std::string_view symbol = symbol_of(mass);
    name = fmt::format("{}{}{}", symbol, ++types_of_symbol_[symbol], frozen ? "_frozen" : "");
    const std::string place = fmt::format("type[{}]", draft_.input.types.size());
    Input::Type& type = draft_.input.types.emplace_back();
    type.name = name;
    type.mass = mass;
    type.epsilon = epsilon;
    type.sigma = sigma;
    decide(place, word);
    for (const char* key : {"name", "mass", "epsilon", "sigma"}) {
      decide(fmt::format("{}.{}", place, key), word);
    }
    if (frozen) {
      const std::string freeze = fmt::format("freeze[{}]", draft_.input.freezes.size());
      draft_.input.freezes.emplace_back().component = name;
      decide(freeze, word);
      decide(freeze + ".component", word);
    }
    return name;
  }

  void decide(std::string_view key, std::string_view word) {
    draft_.decide(key, values_.document().diagnostic(word, Severity::error, {}));
  }

  Values& values_;
  ForeignDraft& draft_;
  PositionConstrain& held_;
  ForceFieldFacts facts_;
  Family family_ = Family::charmm;
  int cmap_version_ = 36;
  double divide_lj_ = 1.0, divide_coulomb_ = 1.0;
  std::map<std::array<double, 4>, std::string> types_;  // by parameters; the last: is it frozen
  std::map<std::string_view, int> types_of_symbol_;
  // Data of the present species.
  std::size_t natom_ = 0;
  std::vector<double> charge_, epsilon_, length_;
  std::vector<char> frozen_;  // by atom; empty: no atom is frozen
  std::vector<std::pair<Atoms, std::string_view>> torsion_atoms_;
  std::set<Pair> voids_, specials_;
  std::map<std::pair<std::string_view, std::string_view>, Terms> terms_;  // by section and
                                                                          // potential
};

}  // namespace

ForceFieldFacts read_force_field(Values& values, std::optional<double> divide_lj,
                                 std::optional<double> divide_coulomb, PositionConstrain& held,
                                 ForeignDraft& draft) {
  return ForceFieldReader(values, draft, held).read(divide_lj, divide_coulomb);
}

}  // namespace sterna::md::modylas
