#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/registry.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

class Observer;
struct ObserverRequest;

/// An observer, with the section of the input that turns it on, declared beside the observer. The
/// section is called as the observer is. The options are a struct, which an input keeps as
/// `input.section<Options>()`.
struct ObserverRow {
  SectionSchema schema;
  std::vector<KeySchema> keys;  ///< without `section`
  /// Steps between two samples; 0: the observer is off.
  std::int64_t (*interval)(const Input& input) = nullptr;
  /// Checks that need more than one key, called by `check_input`; may be null, as the following
  /// members.
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
  /// Checks that need the box.
  void (*check_in_box)(const Input& input, const Box& box, const Report& report) = nullptr;
  /// Advice on settings that are possible but probably not meant.
  void (*advise)(const Input& input, const Report& report) = nullptr;
  /// For an observer with data of each particle: bytes per particle at the end of the run, both in
  /// memory and in a checkpoint.
  double (*bytes_per_particle)(const Input& input) = nullptr;
  /// For an observer that can keep a number of each atom: the name of the particle field, or none.
  std::string (*field)(const Input& input) = nullptr;
  /// Called where the section's interval is not 0. Null where there is nothing to observe.
  std::unique_ptr<Observer> (*make)(const ObserverRequest& request) = nullptr;
  /// Whether samples need the whole tensor of the virial, which charges at any distance compute
  /// only where it is wanted.
  bool needs_virial_tensor = false;
  /// Whether samples need pairs of all types in the list, not only of those with pair forces.
  bool needs_all_pairs = false;
  /// Whether samples need all pairs of each local particle from its own rank, also those across a
  /// border that another rank computes.
  bool needs_full_shell = false;
  /// Whether particles may come and go between two samples.
  bool has_changing_numbers = false;
};

/// The rows of all observers, which the layers above hand in (`owner_tables.hpp`).
const Registry<ObserverRow>& observer_rows();

template <class Options>
std::int64_t interval_of(const Input& input) {
  return input.section<Options>().interval;
}

/// The key "interval", which every such section has.
template <class Options>
KeySchema interval_key(std::string_view description = "Steps between two samples. 0: none.") {
  return {.name = "interval",
          .target = option<&Options::interval>,
          .description = description,
          .need = Need::required,
          .range = {.minimum = 0.0, .maximum = most_steps},
          .aliases = {"every"}};
}

}  // namespace sterna::md
