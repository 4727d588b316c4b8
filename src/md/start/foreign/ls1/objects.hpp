#pragma once

#include <memory>

#include "md/core/vector.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

/// A piece of space that a generator fills.
class Object {
 public:
  virtual ~Object() = default;
  /// Whether the point is in it; its border belongs to it only `with_border`.
  virtual bool contains(const Vec3& point, bool with_border) const = 0;
  /// Corners of a box around it.
  virtual Vec3 lower() const = 0;
  virtual Vec3 upper() const = 0;
};

/// Reads `<object type="...">`: Cuboid, Sphere, Cylinder (along z unless
/// `<direction>` is 0 for x or 1 for y), ObjectUnification,
/// ObjectSubtractor, ObjectIntersection, ObjectShifter. Nothing after a finding.
std::unique_ptr<Object> read_object(const XmlElement& element, XmlValues& values);

}  // namespace sterna::md::ls1
