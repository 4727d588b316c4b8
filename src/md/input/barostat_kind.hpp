#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// What the input knows of a kind of barostat, declared beside the barostat. The keys that only
/// some kinds have stand in a struct, which the input keeps as `barostat.options<Options>()`.
struct BarostatKind {
  std::string_view name;      ///< kind = "..." in [barostat]
  std::string_view sentence;  ///< for the reference page: what it does, its source
  /// For the page of its own: equations as lines of text, in which V is the volume, P the pressure
  /// of the centers, P₀ the one to keep, and T the temperature; what there is to know of them; and
  /// the source, without a stop.
  std::string_view equations = {}, remarks = {}, source = {};
  std::vector<std::string_view> aliases = {};  ///< what other programs call it; suggested only
  std::string_view time_constant;              ///< what the key "time_constant" is with this kind
  std::vector<KeySchema> keys = {};            ///< of its own; without `section` and `condition`
  /// Whether it needs a thermostat that samples the canonical ensemble.
  bool needs_thermostat = true;
  /// Whether its work follows from the virial tensor of each step, not only from its mean, so that
  /// the tensor must be symmetric where the box is sheared.
  bool needs_symmetric_virial = false;
  /// Whether pressure and temperature may move: it has a `set_targets`.
  bool takes_ramps = false;
  /// What is wrong with this barostat of the input beyond single keys; null: nothing.
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
};

/// All kinds, in the order of the reference page. Defined where they are known, in
/// integrate/barostats/barostat_table.cpp.
std::span<const BarostatKind> barostat_kinds();

/// Of the barostat that the file gives; null for "none".
const BarostatKind* kind_of(const Input::Barostat& barostat);

/// The names of the kinds that have a trait.
template <class Trait>
std::vector<std::string_view> barostats_that(Trait&& has) {
  std::vector<std::string_view> names;
  for (const BarostatKind& kind : barostat_kinds()) {
    if (has(kind)) names.push_back(kind.name);
  }
  return names;
}

/// The target of a key of a kind's own: `barostat_option<&StochasticCellOptions::bulk_modulus>`.
template <auto member>
Target barostat_option(Input& input, std::size_t) {
  using Options = typename MemberOf<decltype(member)>::type;
  return target_of(input.barostat.options<Options>().*member);
}

}  // namespace sterna::md
