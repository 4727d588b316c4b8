#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace sterna::md {

/// What the input knows of an integrator, declared beside the integrator.
struct IntegratorKind {
  std::string_view name;      ///< integrator = "..." in [run]
  std::string_view sentence;  ///< for the reference page
  /// For the page of its own: the order of a step as lines of text, what there is to know of it,
  /// and the source, without a stop.
  std::string_view equations = {}, remarks = {}, source = {};
  std::vector<std::string_view> aliases = {};  ///< what other programs call it; suggested only
  bool minimizes = false;                      ///< goes downhill in place of moving in time
  bool takes_multiple_time_steps = false;
  /// Whether thermostats act between two drifts, not at the end of a step.
  bool thermostats_act_between_drifts = false;
  bool takes_leapfrog = false;  ///< as the rotation of molecules
};

/// All of them, in the order of the reference page. Defined where they are known, in
/// integrate/integrators/integrator_table.cpp.
std::span<const IntegratorKind> integrator_kinds();
/// Null where there is none of this name.
const IntegratorKind* find_integrator(std::string_view name);

/// The names of those that have a trait.
template <class Trait>
std::vector<std::string_view> integrators_that(Trait&& has) {
  std::vector<std::string_view> names;
  for (const IntegratorKind& kind : integrator_kinds()) {
    if (has(kind)) names.push_back(kind.name);
  }
  return names;
}

}  // namespace sterna::md
