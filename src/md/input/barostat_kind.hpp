#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The properties of a kind of barostat that the input needs, declared beside the barostat. Keys
/// that only some kinds have are in a struct, which the input keeps as
/// `barostat.options<Options>()`.
struct BarostatKind {
  std::string_view name;      ///< value of `kind` in [barostat]
  std::string_view sentence;  ///< for the reference page: function and source
  /// For the barostat's own page: equations as lines of text, in which V is the volume, P the
  /// pressure of the centers, P₀ the target pressure, and T the temperature; remarks; and the
  /// source, without a full stop.
  std::string_view equations = {}, remarks = {}, source = {};
  std::vector<std::string_view> aliases = {};  ///< names in other programs; only suggested
  std::string_view time_constant;              ///< meaning of the key "time_constant"
  std::vector<KeySchema> keys = {};            ///< the kind's own, without `section` and
                                               ///< `condition`
  /// Whether it needs a thermostat that samples the canonical ensemble.
  bool needs_thermostat = true;
  /// Whether the barostat uses the virial tensor of each step instead of its mean only, so that the
  /// tensor must be symmetric in a sheared box.
  bool needs_symmetric_virial = false;
  /// Reports mistakes of this barostat beyond single keys; null: there are none.
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
};

/// All kinds, in the order of the reference page. Defined in
/// integrate/barostats/barostat_table.cpp, which knows them.
std::span<const BarostatKind> barostat_kinds();

/// The kind of the barostat that the file gives; null for "none".
const BarostatKind* kind_of(const Input::Barostat& barostat);

/// The target of a kind's own key, such as `barostat_option<&StochasticCellOptions::bulk_modulus>`.
template <auto member>
Target barostat_option(Input& input, std::size_t) {
  using Options = typename MemberOf<decltype(member)>::type;
  return target_of(input.barostat.options<Options>().*member);
}

}  // namespace sterna::md
