#include "md/observe/observer_table.hpp"

#include <algorithm>

#include "md/forces/molecular/input/molecule_model_from_input.hpp"

namespace sterna::md {

const Registry<ObserverRow>& observer_table() {
  static const Registry<ObserverRow> table("observer", {
#define STERNA_OBSERVER(name) observer::name(),
#include "md/observe/observer_list.inc"
#undef STERNA_OBSERVER
                                                       });
  return table;
}

std::vector<std::unique_ptr<Observer>> make_observers(
    const comm::Context& context, const Input& input, const std::vector<std::string>& names,
    std::span<const std::int64_t> type_counts, const Topology& topology, AddedFields& fields) {
  MoleculeModel molecules;
  if (!input.components.empty()) molecules = molecule_model_from_input(input);
  const bool rotating = std::ranges::any_of(molecules.components, [](const Component& component) {
    return component.rotational_degrees_of_freedom() > 0;
  });
  const ObserverRequest request{.context = context,
                                .input = input,
                                .names = names,
                                .type_counts = type_counts,
                                .molecules = molecules,
                                .topology = topology,
                                .fields = fields,
                                .rotating = rotating};
  std::vector<std::unique_ptr<Observer>> observers;
  for (const ObserverRow& row : observer_table()) {
    if (row.interval(input) == 0) continue;
    if (auto made = row.make(request)) observers.push_back(std::move(made));
  }
  return observers;
}

namespace {

bool any_needs(const Input& input, bool ObserverRow::*what) {
  return std::ranges::any_of(observer_table(), [&](const ObserverRow& row) {
    return row.*what && row.interval(input) > 0;
  });
}

}  // namespace

bool observers_need_virial_tensor(const Input& input) {
  return any_needs(input, &ObserverRow::needs_virial_tensor);
}

bool observers_need_all_pairs(const Input& input) {
  return any_needs(input, &ObserverRow::needs_all_pairs);
}

bool observers_need_full_shell(const Input& input) {
  return any_needs(input, &ObserverRow::needs_full_shell);
}

}  // namespace sterna::md
