#pragma once

namespace sterna::md {

enum class Axis { x, y, z };

constexpr int index_of(Axis axis) {
  return static_cast<int>(axis);
}

constexpr char name_of(Axis axis) {
  return "xyz"[index_of(axis)];
}

}  // namespace sterna::md
