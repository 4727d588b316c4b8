#include "md/input/changeable_terms.hpp"

namespace sterna::md {

const BondedRow* find_changeable_term(std::string_view section, std::string_view potential) {
  const auto kind = find_bonded(section, potential);
  if (!kind) return nullptr;
  const BondedRow& row = bonded_table()[*kind];
  return row.table == nullptr ? &row : nullptr;
}

std::vector<std::string_view> changeable_potentials(std::string_view section) {
  std::vector<std::string_view> names;
  for (const BondedRow& row : bonded_table()) {
    if (row.section == section && row.table == nullptr) names.push_back(row.name);
  }
  return names;
}

}  // namespace sterna::md
