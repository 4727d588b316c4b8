#pragma once

#include <any>
#include <map>
#include <typeindex>

namespace sterna::md {

/// One value for each C++ type: the type's default until `of()` is used to change it. Copies are
/// deep.
class ValuesByType {
 public:
  template <class Value>
  Value& of() {
    std::any& value = values_[std::type_index(typeid(Value))];
    if (!value.has_value()) value.emplace<Value>();
    return *std::any_cast<Value>(&value);
  }

  template <class Value>
  const Value& of() const {
    static const Value unchanged{};
    const auto found = values_.find(std::type_index(typeid(Value)));
    return found == values_.end() ? unchanged : *std::any_cast<Value>(&found->second);
  }

 private:
  std::map<std::type_index, std::any> values_;
};

}  // namespace sterna::md
