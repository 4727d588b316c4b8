#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "md/core/registry.hpp"

namespace sterna::md {

class Integrator;
struct IntegratorRequest;

/// An integrator, declared beside it.
struct IntegratorRow {
  std::string_view name;      ///< integrator = "..." in [run]
  std::string_view sentence;  ///< for the reference page
  /// For the integrator's own page: the order of a step as lines of text, remarks, and the source,
  /// without a full stop.
  std::string_view equations = {}, remarks = {}, source = {};
  std::vector<std::string_view> aliases = {};  ///< names in other programs; only suggested
  bool minimizes = false;                      ///< minimizes the energy instead of moving in time
  bool takes_multiple_time_steps = false;
  /// Whether thermostats act between two drifts instead of at the end of a step.
  bool thermostats_act_between_drifts = false;
  bool takes_leapfrog = false;  ///< as the rotation of molecules
  std::unique_ptr<Integrator> (*make)(const IntegratorRequest& request) = nullptr;
};

/// The rows of all integrators, which the layers above hand in (`owner_tables.hpp`).
const Registry<IntegratorRow>& integrator_rows();

}  // namespace sterna::md
