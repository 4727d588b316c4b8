#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "md/input/sections/section.hpp"

namespace sterna::md::section {

// Keys that several sections share, which act on some molecules or in some steps only. `Section` is
// the struct of one table of the section.

/// The keys `component`, `lower` and `upper`.
template <class Section>
std::vector<KeySchema> selection_keys(Names aliases_of_component) {
  return {
      {.name = "component",
       .target = [](Input& i, std::size_t n) -> Target {
         return &i.tables<Section>()[n].component;
       },
       .description = "Name of the `[[component]]` or `[[type]]` whose molecules it acts on.",
       .default_text = "all",
       .aliases = std::move(aliases_of_component)},
      {.name = "lower",
       .target = [](Input& i, std::size_t n) -> Target { return &i.tables<Section>()[n].lower; },
       .description = "Lower corner of the region where it acts, counted from the box's "
                      "corner; molecules belong to it by their centers of mass.",
       .default_text = "no bound",
       .dimension = Dimension::length,
       .aliases = {"from"}},
      {.name = "upper",
       .target = [](Input& i, std::size_t n) -> Target { return &i.tables<Section>()[n].upper; },
       .description = "Upper corner of that region.",
       .default_text = "no bound",
       .dimension = Dimension::length,
       .aliases = {"to"}}};
}

/// The keys `start_step` and `stop_step`.
template <class Section>
std::vector<KeySchema> step_range_keys() {
  return {{.name = "start_step",
           .target = [](Input& i, std::size_t n) -> Target {
             return &i.tables<Section>()[n].start_step;
           },
           .description = "It acts from this step on.",
           .range = {.minimum = 0.0, .maximum = most_steps}},
          {.name = "stop_step",
           .target = [](Input& i, std::size_t n) -> Target {
             return &i.tables<Section>()[n].stop_step;
           },
           .description = "The last step in which it acts. 0: that of the run.",
           .default_text = "0: to the end",
           .range = {.minimum = 0.0, .maximum = most_steps}}};
}

}  // namespace sterna::md::section
