#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

class Barostat;
struct BarostatRequest;

/// A kind of barostat, declared beside the barostat. The keys that only some kinds have stand in a
/// struct, which the input keeps as `barostat.options<Options>()`.
struct BarostatRow {
  std::string_view name;      ///< kind = "..." in [barostat]
  std::string_view sentence;  ///< for the reference page: what it does, its source
  /// For the page of the barostat. Equations are lines of text; in them V is the volume, P the
  /// pressure of the centers, P₀ the pressure to keep, and T the temperature. Remarks are
  /// sentences. The source has no full stop.
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
  /// Whether pressure and temperature may change in a run: the barostat has a `set_targets`.
  bool takes_ramps = false;
  /// Whether it keeps the pressure of the key "pressure".
  bool keeps_pressure = true;
  /// Sets what follows from the kind's own keys, before all checks; null: nothing does.
  void (*complete)(Input& input) = nullptr;
  /// Reports mistakes of this barostat beyond single keys; null: there are none.
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
  std::unique_ptr<Barostat> (*make)(const BarostatRequest& request) = nullptr;
};

/// All kinds, as the owner of their table handed them in (`owner_tables.hpp`).
const Registry<BarostatRow>& barostat_rows();

/// Returns the row of the barostat in the file; null for "none".
const BarostatRow* row_of(const Input::Barostat& barostat);

/// The target of a kind's own key, such as `barostat_option<&StochasticCellOptions::bulk_modulus>`.
template <auto member>
Target barostat_option(Input& input, std::size_t) {
  using Options = typename MemberOf<decltype(member)>::type;
  return target_of(input.barostat.options<Options>().*member);
}

}  // namespace sterna::md
