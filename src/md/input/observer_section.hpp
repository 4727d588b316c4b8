#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// A section of the input that turns an observer on, declared beside the observer and named like
/// it. Its options are a struct, which an input keeps as `input.section<Options>()`.
struct ObserverSection {
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
};

/// All observers' sections, in the order of the reference page. Defined in
/// observe/observer_table.cpp, which knows the observers.
std::span<const ObserverSection> observer_sections();

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
