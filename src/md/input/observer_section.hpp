#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/input/check_input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// A section of the input that turns an observer on, declared beside the observer. It is called as
/// the observer is. The options are a struct, which an input keeps as `input.section<Options>()`.
struct ObserverSection {
  SectionSchema schema;
  std::vector<KeySchema> keys;  ///< without `section`
  /// Steps between two samples; 0: the observer is off.
  std::int64_t (*interval)(const Input& input) = nullptr;
  /// What no key alone can tell, as `check_input`; may be null, as the following ones.
  void (*check)(const Input& input, const IsGood& is_good, const Report& report) = nullptr;
  /// The same when the box is known.
  void (*check_in_box)(const Input& input, const Box& box, const Report& report) = nullptr;
  /// What is possible, but probably not what is wanted.
  void (*advise)(const Input& input, const Report& report) = nullptr;
  /// Of an observer that remembers each particle: bytes of one at the end of the run, in memory and
  /// in a checkpoint alike.
  double (*bytes_per_particle)(const Input& input) = nullptr;
};

/// All of them, in the order of the reference page. Defined where the observers are known, in
/// observe/observer_table.cpp.
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
