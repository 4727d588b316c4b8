#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/error.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {

/// The methods of a family, in the order of the documentation.
template <class Row>
class MethodTable {
 public:
  MethodTable(std::string_view family, std::initializer_list<const Row*> rows) : family_(family) {
    for (const Row* const row : rows) {
      rows_.push_back(*row);
      infos_.push_back(row->info);
    }
  }

  std::size_t size() const { return rows_.size(); }
  const Row& operator[](std::size_t index) const { return rows_[index]; }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  std::span<const MethodInfo> infos() const { return infos_; }

  /// Throws Error with the nearest valid name if there is no such method. "auto" is no method.
  std::size_t index_of(std::string_view name) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].info.name == name) return i;
    }
    throw Error(unknown_method_message(family_, name, infos_));
  }
  const Row& find(std::string_view name) const { return rows_[index_of(name)]; }

 private:
  std::string_view family_;
  std::vector<Row> rows_;
  std::vector<MethodInfo> infos_;
};

}  // namespace sterna::comm
