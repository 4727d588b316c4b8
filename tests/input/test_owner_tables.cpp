// What every row of every table owes to the pages, the messages and the readers that use it.

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>

#include "md/core/registry.hpp"
#include "md/domain/decomposition_method.hpp"
#include "md/forces/bonded/bonded_table.hpp"
#include "md/forces/pair/pair_potential_table.hpp"
#include "md/input/barostat_row.hpp"
#include "md/input/integrator_row.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/start_reader_row.hpp"
#include "md/input/thermostat_row.hpp"
#include "md/input/trajectory_row.hpp"
#include "md/simulation/force_term_table.hpp"
#include "md/system/virtual_site_kinds.hpp"

using namespace sterna::md;

namespace {

bool is_sentence(std::string_view text) {
  return text.size() > 8 && text.ends_with('.') && text.find("  ") == std::string_view::npos;
}
/// What is put into a sentence.
bool is_phrase(std::string_view text) {
  return text.size() > 5 && !text.ends_with('.') && text.find("  ") == std::string_view::npos;
}

template <class Function>
bool is_given(Function* function) {
  return function != nullptr;
}

/// The keys of a row of their own.
template <class Row>
void check_keys(const Row& row) {
  std::set<std::string_view> names;
  for (const KeySchema& key : row.keys) {
    CAPTURE(key.name);
    CHECK(names.insert(key.name).second);
    CHECK(is_given(key.target));
    // The choices of an enum have sentences of their own.
    CHECK((key.description.empty() || is_sentence(key.description)));
  }
}

/// What other programs call a row is not the name of another one of its table.
template <class Row>
void check_aliases(const Registry<Row>& table, std::span<const std::string_view> aliases) {
  for (const std::string_view alias : aliases) {
    CAPTURE(alias);
    CHECK(table.find(alias) == nullptr);
  }
}

/// Kinds that have a page of their own.
template <class Row>
void check_kinds(const Registry<Row>& table) {
  CHECK(table.size() > 1);
  for (const Row& row : table) {
    CAPTURE(row.name);
    CHECK(is_sentence(row.sentence));
    CHECK(!row.equations.empty());
    CHECK(is_sentence(row.remarks));
    CHECK(is_phrase(row.source));
    CHECK(is_given(row.make));
    check_aliases(table, row.aliases);
    if constexpr (requires { row.keys; }) check_keys(row);
  }
}

/// Owners of a section of the input.
template <class Row>
void check_sections(const Registry<Row>& table) {
  CHECK(table.size() > 1);
  for (const Row& row : table) {
    CAPTURE(row.schema.name);
    CHECK(is_sentence(row.schema.description));
    CHECK(find_section(row.schema.name) != nullptr);
    CHECK(is_given(row.interval));
    CHECK(is_given(row.make));
    check_aliases(table, row.schema.aliases);
    check_keys(row);
  }
}

}  // namespace

TEST_CASE("kinds of integrators, thermostats and barostats say what their pages need") {
  check_kinds(integrator_rows());
  check_kinds(thermostat_rows());
  check_kinds(barostat_rows());
}

TEST_CASE("observers and trajectories say what their sections need") {
  check_sections(observer_rows());
  check_sections(trajectory_rows());
  std::set<std::string_view> endings;
  for (const TrajectoryRow& row : trajectory_rows()) {
    CAPTURE(row.schema.name);
    CHECK(row.ending.starts_with('.'));
    CHECK(endings.insert(row.ending).second);
    CHECK(is_given(row.bytes_per_atom));
    CHECK(is_given(row.groups));
  }
}

TEST_CASE("readers of start files say how a file is recognized") {
  for (const StartReaderRow& row : start_reader_rows()) {
    CAPTURE(row.name);
    CHECK(is_phrase(row.sentence));
    CHECK(is_phrase(row.looks_like));
    const bool is_recognized = row.recognizes != nullptr || row.recognizes_later != nullptr;
    CHECK(is_recognized);
    CHECK(is_given(row.open));
    check_aliases(start_reader_rows(), row.aliases);
    check_keys(row);
  }
}

TEST_CASE("potentials and bonded terms have sentences, formulas and sources") {
  for (const PairPotentialRow& row : pair_potential_table()) {
    CAPTURE(row.name);
    CHECK(!row.sentence.empty());
    CHECK(!row.formula.empty());
    CHECK(!row.source.empty());
  }
  for (const BondedRow& row : bonded_table()) {
    CAPTURE(row.section);
    CAPTURE(row.name);
    CHECK(!row.sentence.empty());
    CHECK(!row.formula.empty());
    CHECK(!row.source.empty());
    CHECK(!row.energy_name.empty());
  }
}

TEST_CASE("kinds of physics say where their sections and keys stand") {
  std::set<std::string_view> names;
  for (const PhysicsRow& row : physics_rows()) {
    CAPTURE(row.name);
    CHECK(is_phrase(row.sentence));
    CHECK(is_given(row.check));
    for (const auto declare : row.sections) {
      const InputSection section = declare();
      CAPTURE(section.schema.name);
      CHECK(is_sentence(section.schema.description));
      CHECK(find_section(section.schema.name) != nullptr);
      // The first one of a row names the section before it.
      const bool follows_its_row = section.behind.empty() && declare != row.sections.front();
      CHECK((follows_its_row || find_section(section.behind) != nullptr));
      CHECK(names.insert(section.schema.name).second);
      check_keys(section);
    }
    if (row.keys != nullptr) {
      for (const AddedKey& added : row.keys()) {
        CAPTURE(added.key.name);
        CHECK(find_key(added.section, added.key.name) != nullptr);
        CHECK(find_key(added.section, added.behind) != nullptr);
        CHECK(is_sentence(added.key.description));
      }
    }
    for (const ParameterFile& file : row.files) {
      CAPTURE(file.name);
      CHECK(is_phrase(file.phrase));
      CHECK(is_given(file.text));
    }
    CHECK(is_given(row.citations) == is_given(row.bibliography));
  }
  // Those that are known to be handed in by their owners.
  for (const char* name :
       {"electrostatics", "wall", "field", "restraint", "freeze", "thermostat"}) {
    CHECK(names.contains(name));
  }
}

TEST_CASE("virtual sites, decompositions and force terms are described") {
  for (const VirtualSiteRow& row : virtual_site_kinds()) {
    CAPTURE(row.name);
    CHECK(is_phrase(row.sentence));
    CHECK(!row.formula.empty());
    CHECK(is_given(row.make));
  }
  for (const DecompositionRow& row : decomposition_methods()) {
    CAPTURE(row.name);
    CHECK(is_phrase(row.description));
    CHECK(is_given(row.make));
  }
  for (const ForceTermRow& row : force_term_table()) {
    CAPTURE(row.name);
    CHECK(is_phrase(row.sentence));
    CHECK(is_given(row.make));
  }
}
