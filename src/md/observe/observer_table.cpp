#include "md/observe/observer_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "md/input/molecule_model_from_input.hpp"
#include "md/output/run_files.hpp"

namespace sterna::md {
namespace {

constexpr const ObserverRow* rows[] = {
#define STERNA_OBSERVER(name) &observer::name,
#include "md/observe/observer_list.inc"
#undef STERNA_OBSERVER
};

}  // namespace

std::span<const ObserverSection> observer_sections() {
  static const std::vector<ObserverSection> sections = [] {
    std::vector<ObserverSection> all;
    for (const ObserverRow* row : rows) all.push_back(row->section());
    return all;
  }();
  return sections;
}

std::span<const std::string> result_file_endings() {
  static const std::vector<std::string> endings = [] {
    std::vector<std::string> all;
    for (const ObserverSection& section : observer_sections()) {
      all.push_back(fmt::format(".{}.txt", section.schema.name));
    }
    return all;
  }();
  return endings;
}

std::vector<std::unique_ptr<Observer>> make_observers(const comm::Context& context,
                                                      const Input& input,
                                                      const std::vector<std::string>& names,
                                                      std::span<const std::int64_t> type_counts,
                                                      const Topology& topology) {
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
                                .rotating = rotating};
  std::vector<std::unique_ptr<Observer>> observers;
  for (std::size_t n = 0; n < std::size(rows); ++n) {
    if (observer_sections()[n].interval(input) == 0) continue;
    if (auto made = rows[n]->make(request)) observers.push_back(std::move(made));
  }
  return observers;
}

namespace {

bool any_needs(const Input& input, bool ObserverRow::*what) {
  for (std::size_t n = 0; n < std::size(rows); ++n) {
    if (rows[n]->*what && observer_sections()[n].interval(input) > 0) return true;
  }
  return false;
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
