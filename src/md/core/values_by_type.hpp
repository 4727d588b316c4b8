#pragma once

#include <map>
#include <memory>
#include <typeindex>
#include <utility>

namespace sterna::md {

/// One value for each C++ type: the type's default until `of()` is used to change it. Copies are
/// deep.
class ValuesByType {
 public:
  template <class Value>
  Value& of() {
    return values_[std::type_index(typeid(Value))].template as<Value>();
  }

  template <class Value>
  const Value& of() const {
    static const Value unchanged{};
    const auto found = values_.find(std::type_index(typeid(Value)));
    return found == values_.end() ? unchanged : found->second.template as<Value>();
  }

 private:
  /// A value of any type. It is a `std::any` without the 600 lines of that header, which every
  /// program that includes `simulation.hpp` would compile.
  class Slot {
   public:
    Slot() = default;
    Slot(const Slot& other)
        : value_(other.value_ ? other.copy_(other.value_.get()) : nullptr), copy_(other.copy_) {}
    Slot(Slot&&) noexcept = default;
    Slot& operator=(Slot other) noexcept {
      value_ = std::move(other.value_);
      copy_ = other.copy_;
      return *this;
    }
    ~Slot() = default;

    template <class Value>
    Value& as() {
      if (!value_) {
        value_ = std::make_shared<Value>();
        copy_ = [](const void* value) -> std::shared_ptr<void> {
          return std::make_shared<Value>(*static_cast<const Value*>(value));
        };
      }
      return *static_cast<Value*>(value_.get());
    }
    template <class Value>
    const Value& as() const {
      return *static_cast<const Value*>(value_.get());
    }

   private:
    std::shared_ptr<void> value_;
    std::shared_ptr<void> (*copy_)(const void*) = nullptr;
  };

  std::map<std::type_index, Slot> values_;
};

}  // namespace sterna::md
