#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/input/observer_section.hpp"
#include "md/model/molecule_model.hpp"
#include "md/observe/observer.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The arguments from which an observer is made.
struct ObserverRequest {
  const comm::Context& context;
  const Input& input;
  const std::vector<std::string>& names;      ///< of the types or components
  std::span<const std::int64_t> type_counts;  ///< particles of each type in the system
  const MoleculeModel& molecules;             ///< empty if the input has types
  const Topology& topology;                   ///< of flexible molecules; outlives the observers
  bool rotating = false;                      ///< whether any molecule has an orientation
};

/// An observer as the input, the reference page and `Simulation` know it: the section that turns it
/// on, and the function that makes it.
struct ObserverRow {
  ObserverSection (*section)() = nullptr;
  /// Called if the section's interval is not 0. Returns null if there is nothing to observe.
  std::unique_ptr<Observer> (*make)(const ObserverRequest& request) = nullptr;
  /// Whether samples need the whole virial tensor, which charges at any distance compute only on
  /// demand.
  bool needs_virial_tensor = false;
  /// Whether samples need pairs of all types in the list, not only of types with pair forces.
  bool needs_all_pairs = false;
  /// Whether samples need all pairs of each local particle on its own rank, also pairs across a
  /// border, which another rank computes.
  bool needs_full_shell = false;
};

/// The rows; each is defined in the file of its observer.
namespace observer {
#define STERNA_OBSERVER(name) extern const ObserverRow name;
#include "md/observe/observer_list.inc"
#undef STERNA_OBSERVER
}  // namespace observer

/// The observers that an input asks for, in the order of the table. `topology` outlives them.
std::vector<std::unique_ptr<Observer>> make_observers(const comm::Context& context,
                                                      const Input& input,
                                                      const std::vector<std::string>& names,
                                                      std::span<const std::int64_t> type_counts,
                                                      const Topology& topology);

/// Whether any observer of the input needs the whole virial tensor.
bool observers_need_virial_tensor(const Input& input);
/// Whether any observer of the input needs pairs of all types in the list.
bool observers_need_all_pairs(const Input& input);
/// Whether any observer of the input needs all pairs of each local particle on its own rank.
bool observers_need_full_shell(const Input& input);

}  // namespace sterna::md
