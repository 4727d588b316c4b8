#pragma once

#include "md/core/choice.hpp"

namespace sterna::md {

enum class Axis { x, y, z };
template <>
inline constexpr auto choice_table<Axis> =
    std::to_array<Choice<Axis>>({{"x", Axis::x}, {"y", Axis::y}, {"z", Axis::z}});

constexpr int index_of(Axis axis) {
  return static_cast<int>(axis);
}

constexpr char name_of(Axis axis) {
  return "xyz"[index_of(axis)];
}

}  // namespace sterna::md
