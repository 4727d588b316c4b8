#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/input/observer_row.hpp"
#include "md/model/molecule_model.hpp"
#include "md/observe/observer.hpp"
#include "md/system/added_fields.hpp"
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
  AddedFields& fields;                        ///< of the particles; outlives the observers
  bool rotating = false;                      ///< whether any molecule has an orientation
};

/// The rows, each defined in the observer's own file.
namespace observer {
#define STERNA_OBSERVER(name) ObserverRow name();
#include "md/observe/observer_list.inc"
#undef STERNA_OBSERVER
}  // namespace observer

/// All of them, in the order of the reference page.
const Registry<ObserverRow>& observer_table();

/// Makes the observers of an input, in the order of the table. `topology` and `fields` outlive them.
std::vector<std::unique_ptr<Observer>> make_observers(
    const comm::Context& context, const Input& input, const std::vector<std::string>& names,
    std::span<const std::int64_t> type_counts, const Topology& topology, AddedFields& fields);

/// Whether any observer of the input needs the whole virial tensor.
bool observers_need_virial_tensor(const Input& input);
/// Whether any observer of the input needs pairs of all types in the list.
bool observers_need_all_pairs(const Input& input);
/// Whether any observer of the input needs all pairs of each local particle on its own rank.
bool observers_need_full_shell(const Input& input);

}  // namespace sterna::md
