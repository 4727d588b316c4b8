#pragma once

#include <memory>

#include "md/core/vector.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

/// A region of space that a generator fills.
class Object {
 public:
  virtual ~Object() = default;
  /// Whether the point is in the object. Points on its surface count only if `with_border`.
  virtual bool contains(const Vec3& point, bool with_border) const = 0;
  /// Opposite corners of a bounding box.
  virtual Vec3 lower() const = 0;
  virtual Vec3 upper() const = 0;
};

/// Reads `<object type="...">`: Cuboid, Sphere, Cylinder (along z unless `<direction>` is 0 for x
/// or 1 for y), ObjectUnification, ObjectSubtractor, ObjectIntersection, ObjectShifter. Returns
/// null after a mistake.
std::unique_ptr<Object> read_object(const XmlElement& element, XmlValues& values);

}  // namespace sterna::md::ls1
