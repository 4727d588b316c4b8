#include "md/start/foreign/ls1/objects.hpp"

#include <algorithm>
#include <utility>

namespace sterna::md::ls1 {
namespace {

bool at_most(double value, double limit, bool with_border) {
  return with_border ? value <= limit : value < limit;
}

class Cuboid final : public Object {
 public:
  Cuboid(const Vec3& lower, const Vec3& upper) : lower_(lower), upper_(upper) {}
  bool contains(const Vec3& point, bool with_border) const override {
    for (int axis = 0; axis < 3; ++axis) {
      if (!at_most(lower_[axis], point[axis], with_border)) return false;
      if (!at_most(point[axis], upper_[axis], with_border)) return false;
    }
    return true;
  }
  Vec3 lower() const override { return lower_; }
  Vec3 upper() const override { return upper_; }

 private:
  Vec3 lower_, upper_;
};

class Sphere final : public Object {
 public:
  Sphere(const Vec3& center, double radius) : center_(center), radius_(radius) {}
  bool contains(const Vec3& point, bool with_border) const override {
    const Vec3 d = point - center_;
    return at_most(dot(d, d), radius_ * radius_, with_border);
  }
  Vec3 lower() const override { return center_ - Vec3{radius_, radius_, radius_}; }
  Vec3 upper() const override { return center_ + Vec3{radius_, radius_, radius_}; }

 private:
  Vec3 center_;
  double radius_;
};

class Cylinder final : public Object {
 public:
  Cylinder(const Vec3& base, double radius, double height, int axis)
      : base_(base), radius_(radius), height_(height), axis_(axis) {}
  bool contains(const Vec3& point, bool with_border) const override {
    const Vec3 d = point - base_;
    const double a = d[(axis_ + 1) % 3], b = d[(axis_ + 2) % 3];
    return at_most(a * a + b * b, radius_ * radius_, with_border) &&
           at_most(0.0, d[axis_], with_border) && at_most(d[axis_], height_, with_border);
  }
  Vec3 lower() const override { return corner(-radius_, 0.0); }
  Vec3 upper() const override { return corner(radius_, height_); }

 private:
  Vec3 corner(double across, double along) const {
    Vec3 offset{across, across, across};
    offset[axis_] = along;
    return base_ + offset;
  }

  Vec3 base_;
  double radius_, height_;
  int axis_;
};

enum class Operation { unification, subtraction, intersection };

class Combination final : public Object {
 public:
  Combination(Operation operation, std::unique_ptr<Object> first, std::unique_ptr<Object> second)
      : operation_(operation), first_(std::move(first)), second_(std::move(second)) {}

  bool contains(const Vec3& point, bool with_border) const override {
    switch (operation_) {
      case Operation::unification:
        return first_->contains(point, with_border) || second_->contains(point, with_border) ||
               (first_->contains(point, true) && second_->contains(point, true));
      case Operation::subtraction:
        return first_->contains(point, with_border) && !second_->contains(point, !with_border);
      case Operation::intersection:
        break;
    }
    return first_->contains(point, with_border) && second_->contains(point, with_border);
  }
  Vec3 lower() const override {
    return corner(first_->lower(), second_->lower(), operation_ == Operation::unification);
  }
  Vec3 upper() const override {
    return corner(first_->upper(), second_->upper(), operation_ == Operation::intersection);
  }

 private:
  Vec3 corner(const Vec3& a, const Vec3& b, bool smaller) const {
    if (operation_ == Operation::subtraction) return a;
    Vec3 result;
    for (int axis = 0; axis < 3; ++axis) {
      result[axis] = smaller ? std::min(a[axis], b[axis]) : std::max(a[axis], b[axis]);
    }
    return result;
  }

  Operation operation_;
  std::unique_ptr<Object> first_, second_;
};

class Shifted final : public Object {
 public:
  Shifted(std::unique_ptr<Object> object, const Vec3& shift)
      : object_(std::move(object)), shift_(shift) {}
  bool contains(const Vec3& point, bool with_border) const override {
    return object_->contains(point - shift_, with_border);
  }
  Vec3 lower() const override { return object_->lower() + shift_; }
  Vec3 upper() const override { return object_->upper() + shift_; }

 private:
  std::unique_ptr<Object> object_;
  Vec3 shift_;
};

}  // namespace

std::unique_ptr<Object> read_object(const XmlElement& element, XmlValues& values) {
  const auto kind = values.choice(element, "type",
                                  {"Cuboid", "Sphere", "Cylinder", "ObjectUnification",
                                   "ObjectSubtractor", "ObjectIntersection", "ObjectShifter"});
  if (!kind) return nullptr;
  const auto vector = [&](std::string_view name) {
    const XmlElement* child = values.require(element, name);
    return child != nullptr ? values.vector(*child).value_or(Vec3{}) : Vec3{};
  };
  const auto length = [&](std::string_view name) {
    const XmlElement* child = values.require(element, name);
    return child != nullptr ? values.positive(*child).value_or(1.0) : 1.0;
  };
  const auto object = [&](std::string_view name) {
    const XmlElement* child = values.require(element, name);
    return child != nullptr ? read_object(*child, values) : nullptr;
  };
  switch (*kind) {
    case 0:
      return std::make_unique<Cuboid>(vector("lower"), vector("upper"));
    case 1:
      return std::make_unique<Sphere>(vector("center"), length("radius"));
    case 2: {
      const XmlElement* direction = element.find("direction");
      const auto axis = direction != nullptr ? values.integer(*direction, 0, 2) : std::nullopt;
      return std::make_unique<Cylinder>(vector("centerBase"), length("radius"), length("height"),
                                        static_cast<int>(axis.value_or(2)));
    }
    case 6: {
      auto shifted = object("object");
      if (shifted == nullptr) return nullptr;
      return std::make_unique<Shifted>(std::move(shifted), vector("shift"));
    }
    default:
      break;
  }
  auto first = object("object1"), second = object("object2");
  if (first == nullptr || second == nullptr) return nullptr;
  return std::make_unique<Combination>(static_cast<Operation>(*kind - 3), std::move(first),
                                       std::move(second));
}

}  // namespace sterna::md::ls1
