#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace sterna::md {

/// The properties of an integrator that the input needs, declared beside the integrator.
struct IntegratorKind {
  std::string_view name;      ///< value of `integrator` in [run]
  std::string_view sentence;  ///< for the reference page
  /// For the integrator's own page: the order of a step as lines of text, remarks, and the source,
  /// without a full stop.
  std::string_view equations = {}, remarks = {}, source = {};
  std::vector<std::string_view> aliases = {};  ///< names in other programs; only suggested
  bool minimizes = false;                      ///< minimizes the energy instead of moving in time
  bool takes_multiple_time_steps = false;
  /// Whether thermostats act between two drifts instead of at the end of a step.
  bool thermostats_act_between_drifts = false;
  bool takes_leapfrog = false;  ///< whether molecules may rotate by leapfrog
};

/// All integrators, in the order of the reference page. Defined in
/// integrate/integrators/integrator_table.cpp, which knows them.
std::span<const IntegratorKind> integrator_kinds();
/// The integrator of this name; null if there is none.
const IntegratorKind* find_integrator(std::string_view name);

/// The names of the integrators that have a trait.
template <class Trait>
std::vector<std::string_view> integrators_that(Trait&& has) {
  std::vector<std::string_view> names;
  for (const IntegratorKind& kind : integrator_kinds()) {
    if (has(kind)) names.push_back(kind.name);
  }
  return names;
}

}  // namespace sterna::md
